"""Effects of what an action ran: the words for them, and what is known of a statement, a command or a script."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from exactchange.actions import Action
from exactchange.actions.sql import DIALECTS, EFFECTS, Act, Statement, read_sql
from exactchange.values import Value
from exactchange.verdict import Truth

RUNNING: Final = frozenset({"sql", "shell", "script"})
"""Kinds of action whose text is run."""
_TEXTS: Final = {
    "sql": ("text", "sql", "stmt", "statement", "query"),
    "shell": ("text", "command", "cmd"),
    "script": ("text", "code", "script"),
}
_WORDS: Final[JsonDict] = {"enum": [*EFFECTS]}
EFFECT_SCHEMA: Final[JsonDict] = {"anyOf": [_WORDS, {"type": "array", "minItems": 1, "items": _WORDS}]}
_UNREAD: Final = Statement("", (), False, "commands and scripts are not taken apart")


def known_effects(given: str | list[str] | None) -> str | list[str] | None:
    """The effects that a rule names, or PydanticCustomError for one that there is not."""
    words = [given] if isinstance(given, str) else given or []
    for word in words:
        if word not in EFFECTS:
            said: dict[str, object] = {"word": word, "known": EFFECTS}
            raise PydanticCustomError("unknown_word", "no effect is called '{word}'", said)
    if given == []:
        raise ValueError("say at least one effect")
    return given


def wanted(given: str | list[str] | None) -> frozenset[str] | None:
    """The effects as a set, any of which will do; None for any at all."""
    return None if given is None else frozenset([given] if isinstance(given, str) else given)


def statements_of(action: Action, dialect: str | None) -> Sequence[Statement] | None:
    """What an action of a kind that runs a text ran; None where its text is not there, or not known which it is.

    `dialect`: the task's word. Without it a runner's counts, and not an agent's: it would choose how it is read.
    """
    inner = action.args.get("args")
    places = [action.args, *([inner] if isinstance(inner, dict) else [])]
    found: list[Value] = [place[name] for place in places for name in _TEXTS[action.kind] if name in place]
    if not found or any(item != found[0] for item in found):
        return None
    text = found[0]
    if not isinstance(text, str):
        return None
    if action.kind != "sql":
        return (_UNREAD,) if text.strip() else ()
    said = action.args.get("dialect")
    own = said if isinstance(said, str) and said in DIALECTS and action.reported_by != "agent" else None
    return _read(text, dialect or own)


@lru_cache(maxsize=256)
def _read(text: str, dialect: str | None) -> tuple[Statement, ...]:
    return read_sql(text, dialect)


def fits_statement(
    statement: Statement, effects: frozenset[str] | None, *, table: str | None = None, bounded: bool | None = None
) -> Truth:
    """Whether one act of a statement has an effect, on a table, within bounds; None gives any.

    Of what was not understood only what is certain fits; that it does not fit is never certain.
    """
    truths = [_fits(act, effects, table, bounded) for act in statement.acts]
    if not statement.understood:
        named = effects is not None and "unknown" in effects and table is None and bounded is None
        truths.append(True if named else None)
    return True if True in truths else None if None in truths else False


def _fits(act: Act, effects: frozenset[str] | None, table: str | None, bounded: bool | None) -> Truth:
    parts: list[Truth] = []
    if effects is not None:
        parts.append(act.effect in effects)
    if table is not None:
        parts.append(_same_table(table, act.table))
    if bounded is not None:
        restricting = act.effect in ("update", "delete", "truncate")
        parts.append(False if not restricting else None if act.bounded is None else act.bounded is bounded)
    return False if False in parts else None if None in parts else True


def _same_table(wanted: str, name: str | None) -> Truth:
    """Whether a name is that of the table, whatever its case. Where only one says a schema, the rest has to agree: that
    a name without one means the schema that a rule says cannot be told.
    """
    if name is None:
        return None
    asked, given = (item.casefold().split(".")[::-1] for item in (wanted, name))
    if any(one != other for one, other in zip(asked, given, strict=False)):
        return False
    return None if len(asked) > len(given) else True
