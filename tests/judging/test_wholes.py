"""What came or went as a whole: a must that names a container asks for all of it, not for a part of it."""

import pathlib

import pytest
from tests.conditions.test_patterns import FOLDER
from tests.conditions.test_places import by_css, el, page
from tests.judging.kit import Data, case, change, finding, judged, source

from exactchange.episode import case_from_directories
from exactchange.session import judged as judged_by
from exactchange.task import load_task
from exactchange.values import ABSENT, State, Value
from exactchange.verdict import Outcome

SECTION: Value = {"a": {"x": 1, "y": {"z": 2}}, "b": 3}
GONE: Value = {"b": 3}
PART: Value = {"a": {"x": 1}, "b": 3}
CASES: list[tuple[Value, Value, Data, Outcome]] = [
    (SECTION, GONE, change("a", op="removed"), "passed"),
    (SECTION, GONE, change("a", op="removed", count="all"), "passed"),
    (SECTION, GONE, change("a", op="removed", count={"ge": 1}), "passed"),
    (SECTION, PART, change("a", op="removed"), "unmet"),
    (SECTION, PART, change("a", op="removed", count="all"), "unmet"),
    (SECTION, PART, change("a.y", op="removed"), "passed"),
    (SECTION, PART, change("a.y.z", op="removed"), "passed"),
    (SECTION, PART, change("a.**", op="removed"), "passed"),  # any depth speaks of what is inside
    (SECTION, PART, change("", op="removed"), "unmet"),
    (GONE, SECTION, change("a", op="added"), "passed"),
    (PART, SECTION, change("a", op="added"), "unmet"),
    (PART, SECTION, change("a.y", op="added"), "passed"),
    (PART, SECTION, change("a.y.z", op="added", to=2), "passed"),
    ({"l": ["a", "b"]}, {"l": ["b"]}, change("l", op="removed"), "unmet"),
    ({"l": ["a", "b"]}, {"l": ["b"]}, change("l[*]", op="removed"), "passed"),
    ({"l": ["a", "b"]}, {}, change("l", op="removed"), "passed"),
    (PART, SECTION, change("", op="added", to=2), "passed"),  # a value stands in a leaf
    ({"a": 1, "a/b": 2}, {"a": 1}, change("*", op="removed"), "passed"),  # of a key with a slash none is a folder
]


@pytest.mark.parametrize(("before", "after", "must", "outcome"), CASES)
def test_a_named_container_comes_or_goes_as_one(before: Value, after: Value, must: Data, outcome: Outcome) -> None:
    run = case(source("s", [before, after]))
    verdict = judged(run, must)
    assert verdict.outcome == outcome
    if outcome == "passed":
        assert not verdict.unexplained


@pytest.mark.parametrize(("before", "after", "must", "outcome"), CASES)
def test_to_allow_what_is_inside_changes_nothing_about_it(
    before: Value, after: Value, must: Data, outcome: Outcome
) -> None:
    run = case(source("s", [before, after]))
    allow = [{"in": "s", "at": "a.**"}, {"in": "s", "at": "l[*]"}]
    assert judged(run, must, allow=allow).outcome == outcome


def test_a_must_that_found_only_a_part_says_what_is_still_there() -> None:
    run = case(source("s", [SECTION, PART]))
    why = finding(judged(run, change("a", op="removed")), "must").why
    assert why == "no such change: what is named is still there, with 1 change inside it"
    run = case(source("s", [PART, SECTION]))
    assert "was there before" in finding(judged(run, change("a", op="added")), "must").why


TASK = """\
id: gone
instruction: Delete the folder.
sources:
  files: {adapter: tree, path: "{workdir}", except: ["notes.yaml"]}
  notes: {adapter: file, path: "{workdir}/notes.yaml"}
must: [{name: gone, change: {MUST, op: removed}}]
"""
INNER = {"box/in/c.txt": "three\n", "box/in/d.txt": "four\n"}
FILES = {"box/a.txt": "one\n", "box/b.txt": "two\n", "boxes.txt": "", "notes.yaml": "a: 1\nb: 2\n"}


@pytest.mark.parametrize(
    ("must", "left", "outcome"),
    [
        ("in: files, at: box", {"boxes.txt", "notes.yaml"}, "passed"),
        ("in: files, at: box", {"box/a.txt", "boxes.txt", "notes.yaml"}, "unmet"),
        ("in: files, at: box/in", {"box/a.txt", "box/b.txt", "boxes.txt", "notes.yaml"}, "passed"),
        ("in: files, at: box/in", {"box/a.txt", "box/b.txt", "box/in/c.txt", "boxes.txt", "notes.yaml"}, "unmet"),
        ("in: files, at: box/b.txt", {"box/a.txt", "boxes.txt", "notes.yaml"}, "passed"),
        ("in: notes", {"box/a.txt", "box/b.txt", "boxes.txt"}, "passed"),
        ("in: notes", {"box/a.txt", "box/b.txt", "boxes.txt", "cleared"}, "unmet"),
    ],
)
def test_a_file_or_folder_is_gone_only_when_all_of_it_is(
    tmp_path: pathlib.Path, must: str, left: set[str], outcome: Outcome
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, names in ((before, set(FILES)), (after, left)):
        for name, text in {**FILES, **(INNER if must.endswith("box/in") else {})}.items():
            if name in names or (folder == before and name in INNER):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
    if "cleared" in left:
        (after / "notes.yaml").write_text("a: 1\n")
    task = tmp_path / "task.yaml"
    task.write_text(TASK.replace("MUST", must))
    loaded = load_task(task)
    verdict = judged_by(loaded, case_from_directories(loaded, before, after))
    assert (verdict.outcome, finding(verdict, "must").holds) == (outcome, outcome == "passed")


@pytest.mark.parametrize("op", ["added", "removed"])
@pytest.mark.parametrize(
    ("there", "elsewhere", "outcome"),
    [
        ([], [], "passed"),
        (["box/a.txt"], [], "unmet"),
        ([], ["boxes.txt"], "unmet"),  # another file, which nobody asked for
        ([], ["other/box/a.txt"], "unmet"),
    ],
)
def test_a_folder_comes_or_goes_with_all_of_its_files_as_one_change(
    tmp_path: pathlib.Path, op: str, there: list[str], elsewhere: list[str], outcome: Outcome
) -> None:
    full = ["box/a.txt", "box/b.txt", "box/in/c.txt", "box/in/d.txt", *elsewhere]
    folders = {"removed": (full, there), "added": (there, full)}[op]
    for name, files in zip(("before", "after"), folders, strict=True):
        for file in ["keep.txt", *files]:
            (tmp_path / name / file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / file).write_text("x")
        (tmp_path / name / "notes.yaml").write_text("a: 1\n")
    task = tmp_path / "task.yaml"
    task.write_text(TASK.replace("MUST, op: removed", f"in: files, at: box, op: {op}"))
    loaded = load_task(task)
    verdict = judged_by(loaded, case_from_directories(loaded, tmp_path / "before", tmp_path / "after"))
    assert verdict.outcome == outcome
    if outcome == "passed":
        assert {change.address.partition(".@")[0] for change in verdict.findings[0].explains} == set(full)


def test_a_whole_directory_comes_and_goes_as_one() -> None:
    there: Value = {"a/b": {"x": 1}, "c": {"y": 1, "z": 2}}
    none: State = ABSENT
    for op, before, after in (("added", none, there), ("removed", there, none)):
        verdict = judged(case(source("s", [before, after], kind=FOLDER)), change("", op=op))
        assert (verdict.outcome, len(verdict.findings[0].explains)) == ("passed", 3)


def test_what_a_selector_finds_comes_as_a_whole_too() -> None:
    assert judged(page({}, {"a": el("x", "1")}), by_css(".x", op="added")).outcome == "passed"
    assert judged(page({"a": el("x", "1")}, {}), by_css(".x", op="removed")).outcome == "passed"
    assert judged(page({"a": {"class": "x"}}, {"a": el("x", "1")}), by_css(".x", op="added")).outcome == "unmet"
