import asyncio
import io
import json
import pathlib
import threading
from collections.abc import Mapping

import pytest
from tests.episode.kit import CLICK, but_mode, case_of
from tests.runner.kit import task_on_disk

from exactchange.errors import InfrastructureError, UsageError
from exactchange.runner import serve_stdio
from exactchange.runner.protocol import LONGEST_LINE, Malformed, answer_text, encoded, parse
from exactchange.session import judge_episode
from exactchange.task import Task, load_task
from exactchange.values import Value
from exactchange.values.jsonform import Json
from exactchange.verdict import Verdict, verdict_json

BAD = {
    "nothing": b"",
    "no JSON": b"go",
    "a list": b"[1]",
    "a number": b"1",
    "not UTF-8": b'{"type": "\xff"}',
    "a key twice": b'{"type": "before", "type": "finish"}',
    "NaN": b'{"type": "before", "x": NaN}',
    "too deep": b'{"x": ' + b"[" * 65 + b"]" * 65 + b"}",
    "far too deep": b"[" * 100_000 + b"]" * 100_000,
    "too long": b'{"x": "' + b"a" * LONGEST_LINE + b'"}',
    "a huge number": b'{"x": ' + b"9" * 5000 + b"}",
    "an unknown wrapper": b'{"x": {"$pickle": "x"}}',
    "an absence": b'{"x": {"$absent": true}}',
    "two documents": b'{"type": "after"} {"type": "after"}',
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_what_is_no_message_is_malformed(line: bytes) -> None:
    with pytest.raises(Malformed):
        parse(line)


@pytest.mark.parametrize("text", ["\u2028", "\x85", '"}\n{"type":"finish"}', "\ud800", "$x", "[" * 20])
def test_a_message_is_one_line_whatever_it_holds(text: str) -> None:
    message: Mapping[str, Value] = {"type": "stop", "because": [text]}
    line = encoded(message)
    assert line.count(b"\n") == 1 and line.isascii()
    assert parse(line[:-1]) == message


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, None),
        ("", ""),
        ("yes", "yes"),
        ({"b": 1, "a": [True]}, '{"a":[true],"b":1}'),
        (3, "3"),
        (2**60, "1152921504606846976"),
        ({"$int": "5"}, '{"$int":"5"}'),
    ],
)
def test_an_answer_that_is_data_stays_data(answer: Value, text: str | None) -> None:
    assert answer_text(answer) == text


class Peer:
    """The other side of stdin and stdout, in a thread of its own."""

    def __init__(self, lines: list[bytes]) -> None:
        self.source = io.BytesIO(b"".join(line + b"\n" for line in lines))
        self.sink = io.BytesIO()

    def said(self) -> list[dict[str, Json]]:
        return [json.loads(line) for line in self.sink.getvalue().splitlines()]


def _serve(peer: Peer, task: Task | None, record: pathlib.Path | None = None) -> Verdict:
    def load(name: str, params: Mapping[str, Value]) -> Task:
        return load_task(name, params=params)

    return asyncio.run(serve_stdio(task, load=load, source=peer.source, sink=peer.sink, record=record))


def _message(**fields: Json) -> bytes:
    return json.dumps(fields).encode()


ACTION: Json = json.loads(json.dumps(CLICK))


def test_a_runner_in_any_language_is_served_on_stdin_and_stdout(tmp_path: pathlib.Path) -> None:
    task = task_on_disk(tmp_path)
    peer = Peer(
        [
            _message(type="start", task="missing.yaml"),
            _message(type="start", task=str(task.file), params={}),
            _message(type="before", action=ACTION),
            b"nonsense",
            _message(type="after", error="no such element"),
            _message(type="event", action={"kind": "reply", "text": "yes"}),
            _message(type="finish", answer={"a": 1}, ended="timeout"),
        ]
    )
    verdict = _serve(peer, None, record=tmp_path / "episode")
    said = peer.said()
    assert [item["type"] for item in said] == ["error", "world", "go", "error", "ack", "ack", "ack"]
    assert said[1]["instruction"] == "Set a to 2." and said[1]["cdp_url"] is None
    assert not pathlib.Path(str(said[1]["workdir"])).exists(), "the world is gone afterwards"
    assert said[-1]["verdict"] == json.loads(json.dumps(verdict_json(verdict)))
    assert verdict.outcome == "unmet"
    assert but_mode(judge_episode(task, tmp_path / "episode")) == but_mode(verdict)
    with case_of(tmp_path / "episode") as case:
        assert (case.ended, case.answer) == ("timeout", '{"a":1}')
        assert {action.reported_by for action in case.actions} == {"runner"}


def test_a_task_that_is_given_needs_no_first_message(tmp_path: pathlib.Path) -> None:
    task = task_on_disk(tmp_path)
    peer = Peer([_message(type="before", action={"kind": "tool", "tool": "explode"}), _message(type="finish")])
    verdict = _serve(peer, task)
    said = peer.said()
    assert [item["type"] for item in said] == ["world", "stop", "ack"]
    assert "nothing explodes" in str(said[1]["because"])
    assert (verdict.outcome, verdict.stopped_at) == ("vetoed", 1)


@pytest.mark.parametrize("lines", [[], [_message(type="before", action=ACTION)]])
def test_hanging_up_before_the_end_gives_no_verdict(tmp_path: pathlib.Path, lines: list[bytes]) -> None:
    peer = Peer(lines)
    with pytest.raises(InfrastructureError, match="hung up"):
        _serve(peer, task_on_disk(tmp_path), record=tmp_path / "episode")
    assert peer.said()[-1]["type"] == "error"
    with case_of(tmp_path / "episode") as case:
        assert case.ended == "crashed"


def test_a_peer_that_never_makes_sense_is_given_up(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="could not be understood"):
        _serve(Peer([b"nonsense"] * 50), task_on_disk(tmp_path))
    with pytest.raises(UsageError, match="no task was named"):
        _serve(Peer([b"nonsense"] * 50), None)


def test_a_peer_that_does_not_listen_is_the_infrastructures_fault(tmp_path: pathlib.Path) -> None:
    class Deaf(io.BytesIO):
        def write(self, data: object) -> int:
            raise BrokenPipeError("nobody reads")

    task = task_on_disk(tmp_path)
    with pytest.raises(InfrastructureError, match="does not listen"):
        asyncio.run(serve_stdio(task, source=io.BytesIO(b""), sink=Deaf()))


def test_waiting_for_a_silent_peer_does_not_hold_up_the_end(tmp_path: pathlib.Path) -> None:
    import os

    reading, writing = os.pipe()
    task = task_on_disk(tmp_path)

    async def cancelled() -> None:
        with open(reading, "rb", buffering=0) as source:
            serving = asyncio.create_task(serve_stdio(task, source=io.BufferedReader(source), sink=io.BytesIO()))
            await asyncio.sleep(0.5)
            serving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await serving
            os.close(writing)
            for thread in threading.enumerate():
                if thread.name == "exactchange-stdin":
                    thread.join(5)

    asyncio.run(cancelled())
