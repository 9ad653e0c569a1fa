"""`score` of a task: how many points a pass is worth before any bonus."""

import json
import pathlib

import jsonschema
import pytest
import yaml

from exactchange.task import Task, TaskError, load_task, task_from_data, task_schema

TASK = """id: t
instruction: Do it.
sources: {s: {adapter: file, path: "{workdir}/a.yaml"}}
must: [{change: {in: s, at: a, to: 1}}]
"""
BONUS = "bonus: [{effort: {steps: 5}}]\n"


def loaded(folder: pathlib.Path, more: str) -> Task:
    (folder / "task.yaml").write_text(TASK + more, encoding="utf-8")
    return load_task(folder / "task.yaml")


@pytest.mark.parametrize(
    ("more", "passed"),
    [
        ("", 60),
        ("score: {}\n", 60),
        ("score: {passed: 0}\n", 0),
        ("score: {passed: 100}\n", 100),
        ('params: {p: 75}\nscore: {passed: "{p}"}\n', 75),
    ],
)
def test_a_pass_is_worth_60_unless_the_task_says_otherwise(tmp_path: pathlib.Path, more: str, passed: int) -> None:
    task = loaded(tmp_path, BONUS + more)
    assert task.score.passed == passed
    assert task_from_data(json.loads(json.dumps(task.as_data())), name="json") == task
    again = task_from_data(yaml.safe_load(yaml.safe_dump(task.as_data())), name="yaml")
    assert (again.score, again.hash) == (task.score, task.hash)
    assert jsonschema.Draft7Validator(task_schema()).is_valid(yaml.safe_load(TASK + BONUS + more))


@pytest.mark.parametrize(
    ("score", "said"),
    [
        ("{passed: 101}", "at most 100"),
        ("{passed: -1}", "at least 0"),
        ("{passed: 60.5}", "a whole number"),
        ('{passed: "60"}', "a whole number"),
        ("{passed: true}", "a whole number"),
        ("{pased: 60}", "did you mean 'passed'?"),
        ("60", "mapping"),
        ("{passed: 60, bonus: 40}", "unknown key 'bonus'"),
    ],
)
def test_points_that_are_none_are_refused_at_their_line(tmp_path: pathlib.Path, score: str, said: str) -> None:
    with pytest.raises(TaskError) as refused:
        loaded(tmp_path, BONUS + f"score: {score}\n")
    assert said in str(refused.value) and "task.yaml:6:" in str(refused.value)
    assert not jsonschema.Draft7Validator(task_schema()).is_valid(yaml.safe_load(TASK + f"score: {score}\n"))


def test_points_without_a_bonus_are_warned_of(tmp_path: pathlib.Path) -> None:
    assert [hint.kind for hint in loaded(tmp_path, "score: {passed: 70}\n").hints] == ["score"]
    assert loaded(tmp_path, BONUS + "score: {passed: 70}\n").hints == ()


def test_what_a_pass_is_worth_is_part_of_the_hash_and_of_no_fragment(tmp_path: pathlib.Path) -> None:
    hashes = {loaded(tmp_path, BONUS + more).hash for more in ("", "score: {passed: 70}\n", "score: {passed: 80}\n")}
    assert len(hashes) == 3
    (tmp_path / "part.yaml").write_text("score: {passed: 70}\n", encoding="utf-8")
    with pytest.raises(TaskError, match="`score` cannot stand in a fragment"):
        loaded(tmp_path, BONUS + "use: [part.yaml]\n")
