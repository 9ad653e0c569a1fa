import json
import os
import pathlib
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from tests.episode.kit import CLICK, Desk, close, good_run, kit_task, new_desk

from exactchange.case import Case
from exactchange.episode import case_from_directories
from exactchange.errors import UsageError
from exactchange.session import judged
from exactchange.values import Value
from exactchange.verdict import Finding, Verdict


@contextmanager
def _case(before: pathlib.Path, after: pathlib.Path, **other: object) -> Generator[Case]:
    case = case_from_directories(kit_task(), before, after, **other)  # type: ignore[arg-type]
    try:
        yield case
    finally:
        close(case)


def _judged(before: pathlib.Path, after: pathlib.Path, **other: object) -> Verdict:
    with _case(before, after, **other) as case:
        return judged(kit_task(), case)


@pytest.fixture
def sides(tmp_path: pathlib.Path) -> tuple[Desk, Desk]:
    before, after = new_desk(tmp_path / "before"), tmp_path / "after"
    shutil.copytree(before.folder, after)
    return before, Desk(after)


def _nothing(_desk: Desk) -> None:
    return


def _reach(desk: Desk) -> None:
    desk.write(a=2, b=1)


def _spoil_note(desk: Desk) -> None:
    _reach(desk)
    (desk.folder / "note.txt").write_text("bye\n")


def _lose_row(desk: Desk) -> None:
    _reach(desk)
    desk.sql("DELETE FROM t WHERE id = 1")


def _corrupt(desk: Desk) -> None:
    _reach(desk)
    (desk.folder / "app.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)


def _lose_document(desk: Desk) -> None:
    (desk.folder / "doc.json").unlink()


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (_reach, "passed"),
        (_nothing, "unmet"),
        (_spoil_note, "unmet"),
        (_lose_row, "vetoed"),
        (_lose_document, "vetoed"),
        (_corrupt, "undecided"),
    ],
)
def test_two_copies_are_judged_as_start_and_end(
    sides: tuple[Desk, Desk], change: Callable[[Desk], None], outcome: str
) -> None:
    before, after = sides
    change(after)
    assert _judged(before.folder, after.folder).outcome == outcome


def test_nothing_of_the_copies_is_touched(sides: tuple[Desk, Desk]) -> None:
    before, after = sides
    _lose_row(after)

    def state() -> list[tuple[str, bytes, os.stat_result]]:
        found = sorted(item for side in sides for item in side.folder.rglob("*"))
        return [(str(item), item.read_bytes(), item.stat()) for item in found]

    old = [(name, data, (facts.st_mtime_ns, facts.st_mode, facts.st_ino)) for name, data, facts in state()]
    _judged(before.folder, after.folder)
    assert [(name, data, (f.st_mtime_ns, f.st_mode, f.st_ino)) for name, data, f in state()] == old


def test_the_findings_on_state_are_those_of_the_live_run(tmp_path: pathlib.Path) -> None:
    import asyncio

    desk = new_desk(tmp_path / "work")
    shutil.copytree(desk.folder, tmp_path / "before")
    live = asyncio.run(good_run(kit_task(), desk, None))
    stored = _judged(tmp_path / "before", desk.folder)
    assert _state(live) == _state(stored)
    assert (live.outcome, live.unexplained) == (stored.outcome, stored.unexplained)


def _state(verdict: Verdict) -> list[tuple[str, bool | None]]:
    return [(item.name, item.holds) for item in verdict.findings if not _of_actions(item)]


def _of_actions(finding: Finding) -> bool:
    return finding.name == "nothing explodes"


def test_what_the_agent_says_it_did_is_reported_by_the_agent(sides: tuple[Desk, Desk], tmp_path: pathlib.Path) -> None:
    before, after = sides
    _reach(after)
    log = tmp_path / "actions.jsonl"
    actions: list[Value] = [dict(CLICK), {"kind": "tool", "tool": "explode"}]
    log.write_text("".join(json.dumps(item) + "\n" for item in actions))
    with _case(before.folder, after.folder, actions=log, answer="done") as case:
        assert [(action.seq, action.kind, action.reported_by) for action in case.actions] == [
            (1, "click", "agent"),
            (2, "tool", "agent"),
        ]
        assert case.answer == "done"
        assert case.sources["doc"].steps == (0, 2)
        verdict = judged(kit_task(), case)
    assert verdict.outcome == "vetoed"
    assert [item.kind for item in verdict.warnings] == ["between captures"]


@pytest.mark.parametrize("lines", [None, 0, 1])
@pytest.mark.parametrize("change", [_reach, _nothing])
def test_two_copies_exclude_nothing_that_was_undone_between_them_and_the_verdict_says_so(
    sides: tuple[Desk, Desk], tmp_path: pathlib.Path, change: Callable[[Desk], None], lines: int | None
) -> None:
    before, after = sides
    change(after)
    log = None if lines is None else tmp_path / "actions.jsonl"
    if log is not None:
        log.write_text(json.dumps(CLICK) + "\n" if lines else "")
    with _case(before.folder, after.folder, actions=log) as case:
        verdict = judged(kit_task(), case)
    assert "between captures" in [item.kind for item in verdict.warnings]


@pytest.mark.parametrize("text", ["not json\n", "[1]\n", '{"kind": "click"', '{"a": 1, "a": 2}\n'])
def test_a_log_that_cannot_be_read_is_wrong_usage_with_its_line(
    sides: tuple[Desk, Desk], tmp_path: pathlib.Path, text: str
) -> None:
    log = tmp_path / "actions.jsonl"
    log.write_text('{"kind": "click"}\n' + text)
    with pytest.raises(UsageError, match="actions.jsonl:2"):
        _judged(sides[0].folder, sides[1].folder, actions=log)


def test_a_directory_that_is_missing_is_wrong_usage(sides: tuple[Desk, Desk], tmp_path: pathlib.Path) -> None:
    for pair in ((tmp_path / "none", sides[1].folder), (sides[0].folder, tmp_path / "none")):
        with pytest.raises(UsageError, match="no directory"):
            _judged(*pair)


def test_a_page_is_unread_and_never_a_pass(sides: tuple[Desk, Desk]) -> None:
    before, after = sides
    _reach(after)
    task = kit_task(
        sources={
            "page": {"adapter": "browser", "start": "http://127.0.0.1:{port}/"},
            "doc": {"adapter": "file", "path": "{workdir}/doc.json"},
        },
        veto=[],
    )
    case = case_from_directories(task, before.folder, after.folder)
    verdict = judged(task, case)
    close(case)
    assert (verdict.outcome, verdict.cause, verdict.score) == ("undecided", "infrastructure", None)
    assert {name for name, _ in verdict.unread} == {"page"}


def test_a_link_to_a_side_stands_for_the_side_and_another_mode_of_it_counts(
    sides: tuple[Desk, Desk], tmp_path: pathlib.Path
) -> None:
    before, after = sides
    _reach(after)
    (tmp_path / "latest").symlink_to("after")
    assert _judged(before.folder, tmp_path / "latest").passed
    after.folder.chmod(0o777)
    assert not _judged(before.folder, tmp_path / "latest").passed
