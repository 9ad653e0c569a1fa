"""The ready `allow` line of a change: YAML that can be pasted into a task, exact whatever the address holds."""

import re
import unicodedata

from exactchange.diff import Change, Operation
from exactchange.reports.sanitise import escape, plain

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_WORDS = frozenset("null true false yes no on off y n".split())  # YAML 1.1 reads these as something else than text


def allow_line(change: Change) -> str:
    """`- {in: config, at: server.retries, op: modified}`: tolerates this change and no other place."""
    # Without `rest`, columns that hold something else than their default would stay unexplained.
    return ready_line(change.source, change.address, change.op, rest=change.op == "added" and is_row(change))


def ready_line(source: str, at: str, op: Operation, *, rest: bool = False) -> str:
    """The line of a pattern for this place; `rest`: whatever the columns of a row hold."""
    parts = [f"in: {yaml_text(source)}", f"at: {yaml_text(_literal(at))}"]
    if op != "moved":  # a pattern has no word for it; without `op` it takes any
        parts.append(f"op: {op}")
    return "- {" + ", ".join([*parts, *(["rest: any"] if rest else [])]) + "}"


def yaml_text(text: str) -> str:
    """A YAML scalar that reads back as this text, on one line, with nothing unprintable in it."""
    if _BARE.match(text) and text.casefold() not in _WORDS:
        return text
    if text.isprintable() and all(plain(char) for char in text) and "##" not in text and "'" not in text:
        return f"'{text}'" if '"' in text or "\\" in text else f'"{text}"'
    return '"' + "".join(_escaped(char, after) for char, after in zip(text, text[1:] + " ", strict=True)) + '"'


def _escaped(char: str, after: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char == "#" and after == "#":  # a CI runner would read an order
        return "\\x23"
    return char if plain(char) and char.isprintable() and not _mark(char) else escape(char)


def _mark(char: str) -> bool:
    return unicodedata.combining(char) != 0


def _literal(address: str) -> str:
    """In a task's text a brace begins a parameter; doubled, it is itself."""
    return address.replace("{", "{{").replace("}", "}}")


def is_row(change: Change) -> bool:
    """Whether a change is one of a row, or of an item with a key."""
    last = change.path[-1] if change.path else None
    return isinstance(last, str) and is_key(last)


def is_key(segment: str) -> bool:
    """Whether a segment of a path is that of a row, or of an item with a key."""
    return not segment.startswith("@") and ("=" in segment or segment.startswith("#"))
