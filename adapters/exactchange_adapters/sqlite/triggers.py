"""What a trigger listens to and which tables it writes, read from the tokens of its statement; nothing of it is run.

Grammar: https://www.sqlite.org/lang_createtrigger.html.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from exactchange_adapters.sqlite.ddl import tokens, unquoted

Verb: TypeAlias = Literal["INSERT", "DELETE", "UPDATE"]
LONGEST: Final = 100_000
"""Characters of a statement that is read; of a longer one no cause is named."""
_UPPER: Final = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class Writing:
    """Something that is done to rows of a table. `columns`: of an UPDATE those that are set; () means any.

    Names as `folded` gives them.
    """

    table: str
    verb: Verb
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger on a table: what sets it off, and what its body writes. `name`, `says`: as people know it."""

    name: str
    says: str
    event: Writing
    effects: tuple[Writing, ...]


def folded(name: str) -> str:
    """A name as SQLite compares names: without the case of ASCII letters."""
    return name.translate(_UPPER)


@lru_cache(maxsize=256)
def read_trigger(sql: str) -> Trigger | None:
    """What a CREATE TRIGGER says; None for one on a view, and for what is not understood."""
    if len(sql) > LONGEST:
        return None
    words = tokens(sql)
    try:
        return _read(words)
    except (IndexError, ValueError):
        return None  # it ends where something must follow


def _read(words: Sequence[str]) -> Trigger | None:
    at = words.index("TRIGGER") + 1
    at += 3 if words[at : at + 3] == ["IF", "NOT", "EXISTS"] else 0
    at += 2 if words[at + 1] == "." else 0
    name, at = _name(words[at]), at + 1
    timing = words[at] if words[at] in ("BEFORE", "AFTER") else "BEFORE"
    at += words[at] == timing
    verb = _verb(words[at])
    if verb is None:
        return None  # INSTEAD OF: nothing of a view is state, so nobody can see what set it off
    columns, on = _columns(words, at + 1)
    if words[on] != "ON":
        return None
    table = _name(words[on + 1])
    begin = words.index("BEGIN", on + 2)
    while words[begin - 1] == ".":  # NEW.begin is a column
        begin = words.index("BEGIN", begin + 1)
    of = f" OF {', '.join(columns)}" if columns else ""
    event = Writing(folded(table), verb, tuple(map(folded, columns)))
    effects = dict.fromkeys(writing for part in _statements(words[begin + 1 :]) for writing in _writings(part))
    return Trigger(name, f"{timing} {verb}{of} ON {table}", event, tuple(_with_rewritten(list(effects))))


def _verb(word: str) -> Verb | None:
    found: dict[str, Verb] = {"INSERT": "INSERT", "DELETE": "DELETE", "UPDATE": "UPDATE"}
    return found.get(word)


def _columns(words: Sequence[str], at: int) -> tuple[list[str], int]:
    """The columns after OF, and where the words go on."""
    if words[at] != "OF":
        return [], at
    end = words.index("ON", at)
    return [_name(word) for word in words[at + 1 : end] if word != ","], end


def _name(word: str) -> str:
    return word[1:-1].replace("''", "'") if word.startswith("'") else unquoted(word)


def _statements(words: Sequence[str]) -> Iterator[Sequence[str]]:
    begin = 0
    for at, word in enumerate(words):
        if word == ";":
            yield words[begin:at]
            begin = at + 1
    yield words[begin:]


def _writings(words: Sequence[str]) -> Iterator[Writing]:
    """What one statement of a body writes; a SELECT writes nothing."""
    first = words[0] if words else ""
    if first == "DELETE":
        yield Writing(folded(_name(words[2])), "DELETE")
    if first not in ("INSERT", "REPLACE", "UPDATE"):
        return
    replacing = first == "REPLACE" or words[1:3] == ["OR", "REPLACE"]
    at = 3 if words[1] == "OR" else 1
    at += words[at] == "INTO"
    table = folded(_name(words[at]))
    if first != "UPDATE":
        yield Writing(table, "INSERT")
    if first == "UPDATE" or "UPDATE" in words[at:]:  # of an INSERT: ON CONFLICT … DO UPDATE SET …
        yield Writing(table, "UPDATE", tuple(_assigned(words, words.index("SET", at) + 1)))
    if replacing:
        yield Writing(table, "DELETE")
        if first != "UPDATE":
            yield Writing(table, "UPDATE")


def _assigned(words: Sequence[str], at: int) -> Iterator[str]:
    """The columns that an UPDATE sets: `a = …, (b, c) = …`."""
    depth, target = 0, True
    for word in words[at:]:
        if depth == 0 and word in ("FROM", "WHERE", "RETURNING", "ORDER", "LIMIT"):
            return
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
        elif word == "=" and depth == 0:
            target = False
        elif word == "," and depth == 0:
            target = True
        elif target and word != ",":
            yield folded(_name(word))


def _with_rewritten(effects: list[Writing]) -> Iterator[Writing]:
    """A row that is deleted and inserted anew is seen as modified."""
    yield from effects
    verbs: dict[str, set[Verb]] = {}
    for effect in effects:
        verbs.setdefault(effect.table, set()).add(effect.verb)
    yield from (Writing(table, "UPDATE") for table, found in verbs.items() if {"INSERT", "DELETE"} <= found)
