"""Real faults of other judges as small inputs, each with the right answer, judged by a task file beside it."""

import json
import pathlib
from collections.abc import Sequence

import pytest
from tests.authoring.kit import lines, noise
from tests.language.worlds import State, case_of, left, must

from exactchange.judging import BrokenTask, judge
from exactchange.task import Task, load_task
from exactchange.values import Value, loads
from exactchange.verdict import Outcome, Verdict

CASES = pathlib.Path(__file__).parents[2] / "fixtures" / "cases"
STILL: State = {"state.json": "{}\n"}


def folder_of(name: str) -> pathlib.Path:
    (folder,) = CASES.glob(f"{name}-*")
    return folder


def task_of(name: str, file: str = "task.yaml", **params: Value) -> Task:
    return load_task(folder_of(name) / file, params=params)


def state(name: str, file: str) -> State:
    """The state that a file of a case is."""
    return {"state.json": (folder_of(name) / file).read_text("utf-8")}


def judged(folder: pathlib.Path, task: Task, *states: State, answer: str | None = None) -> Verdict:
    case = case_of(folder, task, states, answer=answer)
    try:
        return judge(task, case)
    finally:
        for evidence in case.sources.values():
            for snapshot in evidence.captures:
                snapshot.close()


URLS: list[tuple[str, Outcome]] = [
    ("http://shop.test/admin/reports/viewed", "passed"), ("http://SHOP.test:80/admin/reports/viewed/", "passed"),
    ("http://shop.test/admin/reports/viewed-summary?x=1", "unmet"), ("http://shop.test/admin/reports", "unmet"),
    ("http://shop.test/admin/reports/viewed?x=1", "unmet"),
    ("http://shop.test.evil.test/admin/reports/viewed", "unmet"),
    ("http://evil.test/?to=http://shop.test/admin/reports/viewed", "unmet"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "outcome"), URLS)
def test_case_a_01_a_url_that_begins_like_the_wanted_one_is_another_page(
    url: str, outcome: Outcome, tmp_path: pathlib.Path
) -> None:
    after: State = {"state.json": json.dumps({"url": url})}
    assert judged(tmp_path, task_of("a-01"), state("a-01", "before.json"), after).outcome == outcome


def test_case_a_01_the_case_itself_is_unmet_and_shows_the_other_page(tmp_path: pathlib.Path) -> None:
    verdict = judged(tmp_path, task_of("a-01"), state("a-01", "before.json"), state("a-01", "after.json"))
    assert (verdict.outcome, left(verdict)) == ("unmet", ["url"])
    assert "viewed-summary" in must(verdict).near[0].got


def test_case_a_02_what_already_holds_before_the_start_is_no_pass(tmp_path: pathlib.Path) -> None:
    """An end state that an idle agent reaches makes the task broken; a wanted transition that never was is unmet."""
    sides = [state("a-02", "before.json"), state("a-02", "after.json")]
    with pytest.raises(BrokenTask, match="doing nothing would pass"):
        judged(tmp_path, task_of("a-02", "task-endstate.yaml"), *sides)
    transition = task_of("a-02", "task-transition.yaml")
    assert judged(tmp_path, transition, *sides).outcome == "unmet"
    off: State = {"state.json": '{"wifi": "off", "volume": 4}'}
    assert judged(tmp_path, transition, off, sides[1]).outcome == "passed"
    assert judged(tmp_path, transition, sides[0], off, sides[0]).outcome == "unmet"


def answers(name: str) -> list[tuple[str, str]]:
    text = (folder_of(name) / "answers.jsonl").read_text("utf-8")
    return [(item["answer"], item["right"]) for item in map(json.loads, text.splitlines())]


@pytest.mark.parametrize("name", ["a-03", "a-10"])
def test_case_a_03_and_a_10_an_answer_is_compared_as_a_number_or_word_with_its_unit(
    name: str, tmp_path: pathlib.Path
) -> None:
    found = {answer: judged(tmp_path, task_of(name), STILL, STILL, answer=answer) for answer, _ in answers(name)}
    for answer, right in answers(name):
        # A synonym that the task does not know ("none") is unmet, and no silent pass.
        assert found[answer].outcome == ("passed" if right == "pass" else "unmet"), answer
        assert (found[answer].score == 0) == (right != "pass")


OTHER_ANSWERS: list[tuple[str, str, Outcome]] = [
    ("a-03", "0", "passed"), ("a-03", "0.5", "unmet"), ("a-03", "-1", "unmet"), ("a-03", "100", "unmet"),
    ("a-03", "O", "unmet"),
    ("a-10", "21.0 in", "passed"), ("a-10", '21"', "passed"), ("a-10", "21″", "passed"),
    ("a-10", "21 INCHES", "passed"),
    ("a-10", "210 inches", "unmet"), ("a-10", "21 ft", "unmet"), ("a-10", "21 inches or 22", "unmet"),
    ("a-10", "twenty-one", "unmet"), ("a-10", "", "unmet"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer", "outcome"), OTHER_ANSWERS)
def test_case_a_03_and_a_10_hold_for_other_spellings_too(
    name: str, answer: str, outcome: Outcome, tmp_path: pathlib.Path
) -> None:
    assert judged(tmp_path, task_of(name), STILL, STILL, answer=answer).outcome == outcome


def test_case_a_05_a_reward_of_the_environment_and_a_bonus_lift_no_failed_must(tmp_path: pathlib.Path) -> None:
    verdict = judged(tmp_path, task_of("a-05"), state("a-05", "before.json"), state("a-05", "after.json"))
    assert (verdict.outcome, verdict.bonus.met) == ("unmet", 0)
    assert verdict.score == 0
    assert (must(verdict, 0).holds, must(verdict, 1).holds) == (False, True)
    assert [item.change.address for item in verdict.allowed] == ["env_reward"]
    right: State = {"state.json": '{"cards": [4, 7, 2], "selected": 7, "submitted": true, "env_reward": 0.1}'}
    assert judged(tmp_path, task_of("a-05"), state("a-05", "before.json"), right).score == 100


def test_case_a_06_a_right_run_passes_and_the_defective_gold_fails_its_own_task(tmp_path: pathlib.Path) -> None:
    before = state("a-06", "before.json")
    right = judged(tmp_path, task_of("a-06"), before, state("a-06", "after.json"))
    assert (right.outcome, left(right)) == ("passed", [])
    gold = judged(tmp_path, task_of("a-06"), before, state("a-06", "gold-defective.json"))
    assert gold.outcome == "unmet"
    assert [must(gold, number).holds for number in range(3)] == [False, False, True]
    more = (folder_of("a-06") / "after.json").read_text("utf-8").replace('"handoff": true', '"handoff": true, "fee": 5')
    assert left(judged(tmp_path, task_of("a-06"), before, {"state.json": more})) == ["fee"]


def test_case_a_09_a_value_that_the_application_can_never_hold_is_unmet_and_never_passed_by_likeness(
    tmp_path: pathlib.Path,
) -> None:
    sides: list[State] = [
        {"db.db": (folder_of("a-09") / f"{side}.sql").read_text("utf-8")} for side in ("before", "after")
    ]
    change: State = {"db.db": "DROP TABLE orders;" + str(sides[1]["db.db"])}
    verdict = judged(tmp_path, task_of("a-09"), sides[0], change)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["orders[id=7].status"])
    (near,) = must(verdict).near
    assert (near.wanted, near.got) == ('to "Completed"', '"Complete" (str)')
    blamed = [warned.message for warned in verdict.warnings if warned.kind == "impossible"]
    why = 'db: orders.status can never be "Completed": its CHECK lets in only "Pending", "Complete"'
    assert [message.split(": ", 1)[1] for message in blamed] == [why]
    passed = judged(tmp_path, task_of("a-09", status="Complete"), sides[0], change)
    assert passed.outcome == "passed" and all(warned.kind != "impossible" for warned in passed.warnings)


def test_case_a_13_what_an_idle_run_shows_too_is_not_the_agents_doing(tmp_path: pathlib.Path) -> None:
    before, after = state("a-13", "before.json"), state("a-13", "after.json")
    verdict = judged(tmp_path, task_of("a-13"), before, after)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["page.headline"])
    calibrated = judged(tmp_path, task_of("a-13", "task-calibrated.yaml"), before, after)
    assert (calibrated.outcome, [item.change.address for item in calibrated.ignored]) == ("passed", ["page.headline"])
    damage = (folder_of("a-13") / "after.json").read_text("utf-8").replace('"cart": 1', '"cart": 1, "paid": true')
    worse = judged(tmp_path, task_of("a-13", "task-calibrated.yaml"), before, {"state.json": damage})
    assert left(worse) == ["page.paid"]


def test_case_a_13_the_idle_run_gives_just_that_rule() -> None:
    trees = [loads((folder_of("a-13") / file).read_text("utf-8")) for file in ("before.json", "noop-after.json")]
    before, idle = (dict(tree) for tree in trees if isinstance(tree, dict))
    assert lines(noise(before, idle, idle)) == ["modified page.headline (2)"]


def pair(name: str) -> list[State]:
    """Both sides of a pair of values as states of one file."""
    both = json.loads((folder_of(name) / "pair.json").read_text("utf-8"))
    return [{"state.json": json.dumps(both[side])} for side in ("before", "after")]


def ruled(folder: pathlib.Path, rules: str, states: Sequence[State]) -> Verdict:
    file = folder / "task.yaml"
    head = 'id: t\ninstruction: Do it.\nsources: {state: {adapter: file, path: "{workdir}/state.json", key: key}}\n'
    file.write_text(head + rules, encoding="utf-8")
    return judged(folder, load_task(file), *states)


def test_case_f_03_an_ignore_for_id_hides_neither_paid_nor_valid_to(tmp_path: pathlib.Path) -> None:
    verdict = ruled(tmp_path, "must: [{change: {in: state, at: x}}]\nignore: [{in: state, at: id}]", pair("f-03"))
    assert left(verdict) == ["paid", "user.valid_to"]
    assert [item.change.address for item in verdict.ignored] == ["id"]


def test_case_f_06_a_tolerance_is_the_tasks_own_and_of_one_place(tmp_path: pathlib.Path) -> None:
    rules = "must: [{change: {in: state, at: amt, to: {number: 10, within: 0.01}}}]"
    assert left(ruled(tmp_path, rules, pair("f-06"))) == ["big"]
    exact = "must: [{change: {in: state, at: amt, to: {number: 10}}}]"
    assert left(ruled(tmp_path, exact, pair("f-06"))) == ["amt", "big"]


def test_case_f_07_every_one_of_fifty_changes_has_to_be_explained(tmp_path: pathlib.Path) -> None:
    sides = pair("f-07")
    assert ruled(tmp_path, 'must: [{change: {in: state, at: "*", to: 1, count: 50}}]', sides).outcome == "passed"
    verdict = ruled(tmp_path, 'must: [{change: {in: state, at: "*", to: 1, count: 49}}]', sides)
    assert (verdict.outcome, len(verdict.unexplained)) == ("unmet", 1)


def test_case_f_08_a_removal_beside_a_change_lands_on_its_own_entry(tmp_path: pathlib.Path) -> None:
    sides: list[State] = [{"state.json": f'{{"of": {side["state.json"]}}}'} for side in pair("f-08")]
    rules = "must: [{change: {in: state, at: 'of[key=\"a/n\"].value', from: v1, to: v11}}]"
    verdict = ruled(tmp_path, rules, sides)
    assert must(verdict).holds is True
    assert left(verdict) == [f'of[key="a/"].{name}' for name in ("flags", "key", "value")]
    gone = rules + "\nallow: [{in: state, at: 'of[key=\"a/\"]', op: removed}]"
    assert ruled(tmp_path, gone, sides).outcome == "passed"
