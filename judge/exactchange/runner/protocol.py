"""The agent protocol: one JSON object a line, and one answer to each; the same on a socket and on stdin."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from exactchange.actions import Reporter
from exactchange.case import Ended
from exactchange.errors import UsageError
from exactchange.session import Decision, Session
from exactchange.values import ABSENT, Value, dumps, loads, to_json

LONGEST_LINE = 1024 * 1024
MOST_MISTAKES = 20
_DEEPEST = 64


class Malformed(UsageError):
    """A message that is none; the answer says why, and the run goes on."""


@dataclass(slots=True)
class Conversation:
    """One agent's talk with its session. `answer` is there once it has finished; `mistakes` counts malformed messages.

    Messages: `before {action}`, `after {error}`, `event {action}`, `finish {answer, ended?}`. Answers: `go`, `ack`,
    `stop {because}`, `error {message}`.
    """

    session: Session
    reported_by: Reporter
    finished: bool = False
    answer: str | None = None
    ended: Ended = "done"
    mistakes: int = field(default=0, init=False)

    async def reply(self, line: bytes) -> Mapping[str, Value]:
        """The answer to one message, without its line end."""
        try:
            return await self._take(parse(line))
        except UsageError as error:
            self.mistakes += 1
            return {"type": "error", "message": str(error)}

    async def _take(self, message: Mapping[str, Value]) -> Mapping[str, Value]:
        kind = message.get("type")
        if self.finished:
            raise Malformed("nothing follows `finish`")
        if kind == "before":
            return _answer(await self.session.before(_action(message), reported_by=self.reported_by), otherwise="go")
        if kind == "after":
            decision = await self.session.after(error=_error(message), reported_by=self.reported_by)
            return _answer(decision, otherwise="ack")
        if kind == "event":
            return _answer(await self.session.event(_action(message), reported_by=self.reported_by), otherwise="ack")
        if kind == "finish":
            self.ended = _ended(message)
            self.finished = True
            self.answer = answer_text(message.get("answer"))
            return {"type": "ack"}
        raise Malformed('"type" is before, after, event or finish')


def parse(line: bytes) -> Mapping[str, Value]:
    """The object of a line. Raises Malformed for anything else: too long, not strict JSON, nested too deeply."""
    if len(line) > LONGEST_LINE:
        raise Malformed("a message of more than 1 MiB")
    if _nesting(line) > _DEEPEST:
        raise Malformed(f"nested deeper than {_DEEPEST} levels")
    try:
        found = loads(line)
    except UsageError as error:
        raise Malformed(str(error)) from error
    if found is ABSENT or not isinstance(found, Mapping):
        raise Malformed('a message is a JSON object, such as {"type": "finish", "answer": null}')
    return found


def encoded(message: Mapping[str, Value]) -> bytes:
    """A message as a line, with its line end."""
    return dumps(message).encode("ascii") + b"\n"


def answer_text(answer: Value) -> str | None:
    """An answer as text; one that is given as JSON data keeps its form, so that conditions can look into it."""
    if answer is None or isinstance(answer, str):
        return answer
    # Plain JSON: conditions read an answer as anybody's, with exact integers and no wrappers.
    return json.dumps(answer, sort_keys=True, separators=(",", ":"), default=to_json)


def _nesting(line: bytes) -> int:
    """How deep brackets go at most; counts those in texts too, which no honest message has so many of."""
    depth = deepest = 0
    for byte in line.translate(None, delete=_NO_BRACKETS):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _answer(decision: Decision, *, otherwise: str) -> Mapping[str, Value]:
    if decision.go:
        return {"type": otherwise}
    return {"type": "stop", "because": list(decision.reasons)}


def _action(message: Mapping[str, Value]) -> Mapping[str, Value]:
    action = message.get("action")
    if not isinstance(action, Mapping):
        raise Malformed('"action" is a JSON object, such as {"kind": "click", "target": {"css": "#save"}}')
    return action


def _ended(message: Mapping[str, Value]) -> Ended:
    """A runner may say that its agent crashed or ran out of time; the others' word for it is `done`."""
    ended = message.get("ended", "done")
    for known in _ENDINGS:
        if ended == known:
            return known
    raise Malformed(f'"ended" is one of {", ".join(_ENDINGS)}')


_ENDINGS: tuple[Ended, ...] = ("done", "stopped", "crashed", "timeout")


def _error(message: Mapping[str, Value]) -> str | None:
    error = message.get("error")
    return error if error is None or isinstance(error, str) else dumps(error)
