"""Reads the log of an agent that asked nobody: what it says it did, when it is long over."""

import pathlib
from collections.abc import Mapping

from exactchange.episode.blobs import opened
from exactchange.errors import UsageError
from exactchange.runner.protocol import LONGEST_LINE, Malformed, answer_text, parse
from exactchange.session import Session
from exactchange.values import Value

_LARGEST = 64 * 1024 * 1024
_MOST_LINES = 50_000


async def read_log(session: Session, log: pathlib.Path) -> str | None:
    """Take every line of the log as an action, and a `finish` in the last line as the end; returns the answer.

    What cannot be read becomes an action of kind `unknown`, so that nothing which the agent did is lost.
    """
    session.note(
        "observed",
        "the agent asked nobody; only its own log tells what it did, and what was undone again may be missing there",
    )
    actions = _actions(log)
    nothing: Mapping[str, Value] = {}
    last = actions[-1] if actions else nothing
    if last.get("kind") == "finish":
        actions.pop()
    for action in actions:
        await session.observed(action)
    return answer_text(last.get("answer")) if last.get("kind") == "finish" else None


def has_lines(log: pathlib.Path) -> bool:
    """Whether something was written into the log."""
    try:
        with opened(log.parent, log.name, limit=_LARGEST) as file:
            return bool(file.read(1))
    except UsageError:
        return True


def _actions(log: pathlib.Path) -> list[Mapping[str, Value]]:
    found: list[Mapping[str, Value]] = []
    try:
        with opened(log.parent, log.name, limit=_LARGEST) as file:
            while line := file.readline(LONGEST_LINE + 2):
                if len(found) >= _MOST_LINES:
                    return [*found, {"unreadable": f"more than {_MOST_LINES} lines"}]
                if line.strip():
                    found.append(_action(line.removesuffix(b"\n")))
    except UsageError as error:
        found.append({"unreadable": str(error)})
    return found


def _action(line: bytes) -> Mapping[str, Value]:
    try:
        return parse(line)
    except Malformed as error:
        return {"unreadable": line[:4096].decode(errors="replace"), "why": str(error)}
