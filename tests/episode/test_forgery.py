"""What somebody may do to a recording, and that nothing of it makes a pass."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable

import pytest
from tests.episode.kit import case_of, kit_task, lines_of, rechain, recorded, refused, unseal, write_lines

from exactchange.case import Case
from exactchange.episode import InvalidEpisode, read_episode
from exactchange.errors import UsageError
from exactchange.session import judge_episode
from exactchange.values import Value
from exactchange.values.jsonform import Json


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return recorded(tmp_path_factory.mktemp("original"))


@pytest.fixture
def episode(original: pathlib.Path, tmp_path: pathlib.Path) -> pathlib.Path:
    shutil.copytree(original, tmp_path / "episode")
    return tmp_path / "episode"


def test_a_copy_is_as_good_as_the_original(episode: pathlib.Path) -> None:
    assert judge_episode(kit_task(), episode).passed


Lines = list[bytes]
EDITS: dict[str, Callable[[Lines, int], Lines]] = {
    "removed": lambda lines, n: lines[:n] + lines[n + 1 :],
    "twice": lambda lines, n: lines[: n + 1] + lines[n:],
    "altered": lambda lines, n: [*lines[:n], lines[n].replace(b'"', b'" ', 1), *lines[n + 1 :]],
    "swapped": lambda lines, n: [*lines[:n], *reversed(lines[n : n + 2]), *lines[n + 2 :]],
    "blank before": lambda lines, n: [*lines[:n], b"", *lines[n:]],
    "garbage before": lambda lines, n: [*lines[:n], b"\xff\xfe", *lines[n:]],
    "cut from here": lambda lines, n: lines[:n],
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_line_that_was_touched_makes_the_whole_episode_invalid(episode: pathlib.Path, edit: str) -> None:
    lines = lines_of(episode)
    for number in range(len(lines) - (edit == "swapped")):
        write_lines(episode, EDITS[edit](lines, number))
        reason = refused(episode)
        assert f"events.jsonl:{number + 1}:" in reason or "sealed" in reason or f":{number + 2}:" in reason, reason


def test_something_after_the_last_line_makes_the_episode_invalid(episode: pathlib.Path) -> None:
    whole = (episode / "events.jsonl").read_bytes()
    for extra in (b"{}\n", b"\n", b'{"type"', b"\0"):
        (episode / "events.jsonl").write_bytes(whole + extra)
        assert refused(episode)


def test_a_torn_last_line_is_what_a_crash_leaves_and_is_said(episode: pathlib.Path) -> None:
    lines = lines_of(episode)
    unseal(episode)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1])):
        (episode / "events.jsonl").write_bytes(b"\n".join([*lines[:-1], lines[-1][:cut]]))
        with case_of(episode) as case:
            assert case.ended == "crashed"
            assert [note.kind for note in case.notes] == ["torn", "crashed"]
        assert judge_episode(kit_task(), episode).outcome == "undecided"


def test_a_torn_line_in_the_middle_is_no_crash(episode: pathlib.Path) -> None:
    lines = lines_of(episode)
    unseal(episode)
    write_lines(episode, [lines[0][:40], *lines[1:]])
    assert "events.jsonl:1:" in refused(episode)


def test_every_possible_cut_of_an_unsealed_log_never_passes(episode: pathlib.Path) -> None:
    lines = lines_of(episode)
    unseal(episode)
    for kept in range(len(lines)):
        write_lines(episode, lines[:kept])
        assert judge_episode(kit_task(), episode).outcome in ("undecided", "unmet"), kept


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", "exactchange/episode/2"),
        ("started_ns", -1),
        ("started_ns", 1.5),
        ("started_ns", True),
        ("extra", 1),
        ("world", {"port": 70000}),
        ("end", {"ended": "passed"}),
        ("judge", "x" * 5000),
        ("task", {"id": "kit", "hash": None}),
    ],
)
def test_a_header_that_is_not_what_it_should_be_is_refused(episode: pathlib.Path, field: str, value: Json) -> None:
    header = json.loads((episode / "episode.json").read_text())
    (episode / "episode.json").write_text(json.dumps({**header, field: value}))
    assert "episode.json" in refused(episode)


@pytest.mark.parametrize("field", ["started_ns", "id", "params", "world", "runner", "sources"])
def test_the_events_are_chained_to_the_header(episode: pathlib.Path, field: str) -> None:
    header = json.loads((episode / "episode.json").read_text())
    other: dict[str, Json] = {
        "started_ns": 1,
        "id": "another",
        "params": {"x": 1},
        "world": {"port": 1},
        "runner": {"name": "another", "version": "1"},
        "sources": {},
    }
    (episode / "episode.json").write_text(json.dumps({**header, field: other[field]}))
    assert "events.jsonl:1:" in refused(episode)


def test_two_keys_of_one_name_are_refused(episode: pathlib.Path) -> None:
    text = (episode / "episode.json").read_text()
    (episode / "episode.json").write_text(text.replace('"id"', '"id": "x", "id"', 1))
    assert "same key twice" in refused(episode)


@pytest.mark.timeout(10)
@pytest.mark.parametrize("file", ["episode.json", "events.jsonl"])
@pytest.mark.parametrize("what", ["missing", "link", "fifo", "sparse", "folder", "empty"])
def test_a_file_that_is_none_is_refused_without_waiting(episode: pathlib.Path, file: str, what: str) -> None:
    place = episode / file
    elsewhere = episode.parent / "elsewhere"
    place.rename(elsewhere)
    if what == "link":
        place.symlink_to(elsewhere)
    elif what == "fifo":
        os.mkfifo(place)
    elif what == "sparse":
        with place.open("wb") as made:
            made.truncate(8 * 2**30)
    elif what == "folder":
        place.mkdir()
    elif what == "empty":
        place.touch()
    assert file in refused(episode) or what == "empty"


def test_a_line_of_more_than_one_mebibyte_is_refused(episode: pathlib.Path) -> None:
    write_lines(episode, [*lines_of(episode), b" " * (1024 * 1024 + 1)])
    assert "more than 1 MiB" in refused(episode)


def test_a_verdict_inside_the_recording_is_never_used_and_is_said(episode: pathlib.Path) -> None:
    def forge(records: list[dict[str, Json]]) -> None:
        base = {name: records[0][name] for name in ("time_ns", "mono_ns")}
        forged: dict[str, Json] = {**base, "reporter": "agent", "type": "verdict", "verdict": "passed", "score": 100}
        records.insert(-1, forged)
        records.insert(-1, {**base, "type": "judge", "tier": "veto", "holds": False})

    rechain(episode, forge)
    verdict = judge_episode(kit_task(), episode)
    assert [item.kind for item in verdict.warnings] == ["forged", "forged"]


def _without(kind: str) -> Callable[[list[dict[str, Json]]], None]:
    def forge(records: list[dict[str, Json]]) -> None:
        records[:] = [record for record in records if record["type"] != kind]

    return forge


def _only_source(*sources: str) -> Callable[[list[dict[str, Json]]], None]:
    def forge(records: list[dict[str, Json]]) -> None:
        records[:] = [record for record in records if record.get("source", "doc") in sources]

    return forge


def _unknown(records: list[dict[str, Json]]) -> None:
    records.insert(1, {**records[0], "type": "wipe"})


def _set(kind: str, field: str, value: Json) -> Callable[[list[dict[str, Json]]], None]:
    def forge(records: list[dict[str, Json]]) -> None:
        next(record for record in records if record["type"] == kind)[field] = value

    return forge


def _late_capture(records: list[dict[str, Json]]) -> None:
    first = next(record for record in records if record["type"] == "capture")
    records.insert(-1, first)


@pytest.mark.parametrize(
    "forge",
    [
        pytest.param(_without("action"), id="actions removed"),
        pytest.param(_unknown, id="unknown type"),
        pytest.param(_set("after", "ref", 2), id="another action is over"),
        pytest.param(_set("after", "extra", 1), id="unknown field"),
        pytest.param(_set("capture", "step", 1), id="capture of another step"),
        pytest.param(_set("capture", "step", "0"), id="step as text"),
        pytest.param(_set("capture", "record", None), id="neither record nor loss"),
        pytest.param(
            _set("capture", "lost", {"reason": "x", "cause": "magic", "wall_ns": 1, "mono_ns": 1}), id="cause"
        ),
        pytest.param(_set("action", "reporter", "judge"), id="unknown reporter"),
        pytest.param(_set("action", "body", "0" * 64), id="body that is missing"),
        pytest.param(_set("end", "stopped_at", 1), id="another stop"),
        pytest.param(_late_capture, id="the first capture again as the last"),
    ],
)
def test_a_story_that_cannot_have_happened_is_refused_with_its_line(
    episode: pathlib.Path, forge: Callable[[list[dict[str, Json]]], None]
) -> None:
    rechain(episode, forge)
    assert "events.jsonl:" in refused(episode)


@pytest.mark.parametrize(
    ("forge", "source"),
    [
        pytest.param(_only_source("doc", "db"), "files", id="a source is not there"),
        pytest.param(_without("capture"), "doc", id="no captures"),
        pytest.param(_set("capture", "record", {}), "doc", id="empty record"),
        pytest.param(_set("capture", "record", {"tree": "../outside.json"}), "doc", id="record names a path"),
        pytest.param(_set("capture", "source", "other"), "doc", id="first capture renamed"),
    ],
)
def test_what_a_recording_lacks_is_unread_and_never_a_pass(
    episode: pathlib.Path, forge: Callable[[list[dict[str, Json]]], None], source: str
) -> None:
    rechain(episode, forge)
    verdict = judge_episode(kit_task(), episode)
    assert verdict.outcome == "undecided"
    assert source in {name for name, _ in verdict.unread}


def test_a_snapshot_that_is_missing_or_altered_is_unread(episode: pathlib.Path) -> None:
    for blob in sorted((episode / "blobs").iterdir()):
        data = blob.read_bytes()
        for other in (None, data[:-1], data + b"x", b""):
            if other is None:
                blob.unlink()
            else:
                blob.write_bytes(other)
            verdict = judge_episode(kit_task(), episode)
            assert verdict.outcome == "undecided" and verdict.unread, blob
            assert verdict.cause == "content"
        blob.write_bytes(data)
    assert judge_episode(kit_task(), episode).passed


def test_another_task_is_refused_and_another_version_is_said(episode: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="not of 'other'"):
        judge_episode(kit_task(id="other"), episode)
    edited = kit_task(instruction="Set a to 2, please.")
    assert [item.kind for item in judge_episode(edited, episode).warnings] == ["task"]


def test_a_source_that_the_task_no_longer_has_is_said(episode: pathlib.Path) -> None:
    doc: Value = {"adapter": "file", "path": "{workdir}/doc.json"}
    veto: Value = [{"name": "b stays", "change": {"in": "doc", "at": "b"}}]
    verdict = judge_episode(kit_task(sources={"doc": doc}, veto=veto), episode)
    assert verdict.passed
    assert "'db', 'files'" in next(item.message for item in verdict.warnings if item.kind == "sources")


_WATCHED = """
    import pathlib, sys
    from exactchange.session import judge_episode
    from tests.episode.kit import kit_task

    opened = []
    watched = ("open", "os.listdir", "os.scandir")
    sys.addaudithook(lambda event, args: opened.append(args[0]) if event in watched else None)
    judge_episode(kit_task(), pathlib.Path(sys.argv[1]))
    print(any(str(path).startswith(sys.argv[2]) for path in opened))
"""


def test_no_path_in_a_recording_is_followed(episode: pathlib.Path, original: pathlib.Path) -> None:
    # The task's sources lie in the work directory, which is still there, and the recording does not even name it.
    work = original.parent / "work"
    assert (work / "doc.json").exists() and str(work) not in (episode / "episode.json").read_text()
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_WATCHED), str(episode), str(work)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout == "False\n", run.stderr


def test_an_invalid_episode_is_wrong_usage_and_no_verdict(episode: pathlib.Path) -> None:
    (episode / "events.jsonl").write_bytes(b"\n")
    with pytest.raises(InvalidEpisode) as raised:
        read_episode(episode, kit_task())
    assert raised.value.exit_code == 2


def test_a_forged_kind_of_action_is_unknown(episode: pathlib.Path) -> None:
    def forge(records: list[dict[str, Json]]) -> None:
        action = next(record["action"] for record in records if record["type"] == "action")
        assert isinstance(action, dict)
        action["kind"] = "harmless"

    rechain(episode, forge)
    with case_of(episode) as case:
        assert _kinds(case) == ["unknown", "click"]


def _kinds(case: Case) -> list[str]:
    return [action.kind for action in case.actions]
