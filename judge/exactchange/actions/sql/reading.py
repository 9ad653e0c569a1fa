"""Reads SQL: splits it into statements as the engine would, and says of each what it does."""

import logging
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from exactchange.actions.sql.heads import PARSED, explained, rewritten, several, stores_code, told_by_words
from exactchange.actions.sql.lexer import Token, Unreadable, tokens_of
from exactchange.actions.sql.model import DIALECTS, Act, Statement
from exactchange.actions.sql.walk import acts_of
from exactchange.errors import UsageError

if TYPE_CHECKING:
    from sqlglot import exp

MOST_LETTERS: Final = 256 * 1024
MOST_TOKENS: Final = 20_000
MOST_IN_ONE: Final = 5_000
"""Tokens of one statement: what the parser takes for some of them grows with their square."""
MOST_STATEMENTS: Final = 1_000
_DEEPEST: Final = 20
_MOST_BRACKETS: Final = 20
_MOST_JOINS: Final = 8
_CHAINING: Final = frozenset(
    "NOT - + ~ ! @ INTERVAL ANY ALL SOME EXISTS PRIOR DISTINCT CASE WHEN SET ARRAY < DATE TIME TIMESTAMP".split()
)
"""Words that the parser follows one level deeper when they follow each other."""


def read_sql(text: str, dialect: str | None = None) -> tuple[Statement, ...]:
    """What each statement of a text does; an empty text, or one of comments alone, holds none.

    `dialect`: the engine's own, one of DIALECTS. Without one the text is read in all of them, and where they do not
    agree it is not understood, since quotes and comments mean different things to different engines. What cannot be
    read is a statement that is not understood; nothing raises but an unknown dialect, as UsageError.
    """
    if dialect is not None and dialect not in DIALECTS:
        raise UsageError(f"no dialect of SQL is called {dialect!r}; there are {', '.join(DIALECTS)}")
    if len(text) > MOST_LETTERS:
        return (_unknown(text[:200], f"it is longer than {MOST_LETTERS:,} letters"),)
    if dialect is not None:
        return _read(text, dialect)
    return _agreed(text, {name: _read(text, name) for name in DIALECTS})


def _read(text: str, dialect: str) -> tuple[Statement, ...]:
    try:
        tokens = tokens_of(text, dialect)
    except Unreadable as error:
        return (_unknown(text.strip(" \t\r\n"), str(error)),)
    if len(tokens) > MOST_TOKENS:
        return (_unknown(text.strip(" \t\r\n"), f"it has more than {MOST_TOKENS:,} words"),)
    parts = list(_split(tokens, dialect))
    if len(parts) > MOST_STATEMENTS:
        return (_unknown(text.strip(" \t\r\n"), f"it holds more than {MOST_STATEMENTS:,} statements"),)
    return tuple(_statement(text, part, dialect) for part in parts)


def _split(tokens: Sequence[Token], dialect: str) -> Iterator[Sequence[Token]]:
    """The statements between semicolons. The body of a trigger holds some of its own."""
    begun = 0
    for number, token in enumerate(tokens):
        inside = tokens[begun:number]
        if token.upper != ";" or (inside and stores_code(inside) and not _ended(inside, dialect)):
            continue
        if inside:
            yield inside
        begun = number + 1
    if begun < len(tokens):
        yield tokens[begun:]


def _ended(tokens: Sequence[Token], dialect: str) -> bool:
    """Whether code that is stored ends here; where that is not known it takes all that follows with it."""
    if dialect == "postgres":  # a body there is one quoted text
        return all(token.upper not in ("BEGIN", "ATOMIC") for token in tokens)
    if dialect != "sqlite" or tokens[-1].upper != "END":
        return False
    return sum((t.upper == "CASE") - (t.upper == "END") for t in tokens) == -1


def _statement(text: str, tokens: Sequence[Token], dialect: str) -> Statement:
    sql = text[tokens[0].start : tokens[-1].end]
    plan = explained(tokens)
    if plan is not None:
        return _plan(text, sql, tokens, plan, dialect)
    if stores_code(tokens):
        return Statement(sql, (Act("create", None),), False, "it stores code that runs later")
    known = told_by_words(tokens, dialect)
    if known is not None:
        return Statement(sql, known)
    first = tokens[0].upper
    if first == "CALL":
        return Statement(sql, (Act("call"),), False, "what the procedure does is not known")
    if first not in PARSED:
        return _unknown(sql, f"{tokens[0].text[:40]!r} begins no statement that is known")
    odd = _too_much(tokens) or ("several statements may stand in it" if dialect == "tsql" and several(tokens) else "")
    return _unknown(sql, odd) if odd else _parsed(sql, tokens, dialect)


def _plan(text: str, sql: str, tokens: Sequence[Token], plan: tuple[int, bool], dialect: str) -> Statement:
    """An EXPLAIN, which executes nothing but with ANALYZE."""
    inner, executed = plan
    if inner >= len(tokens):
        return _unknown(sql, "it explains nothing")
    if tokens[inner].upper == "EXPLAIN" or dialect == "tsql":
        return _unknown(sql, "it is no EXPLAIN that is known")
    found = _statement(text, tokens[inner:], dialect)
    if executed:
        return replace(found, sql=sql)
    reads = tuple(dict.fromkeys(Act("read", act.table) for act in found.acts))
    return Statement(sql, reads or (Act("read"),), found.understood, found.why if not found.understood else "")


def _parsed(sql: str, tokens: Sequence[Token], dialect: str) -> Statement:
    pieces, changed = rewritten(tokens, dialect)
    root = _tree("".join(pieces), dialect)
    if isinstance(root, str):
        return _unknown(sql, root)
    try:
        acts, odd = acts_of(root, changed, dialect)
    except (AttributeError, KeyError, TypeError):  # of an odd text the parser makes an odd tree
        return _unknown(sql, "its parts are not understood")
    if not acts and not odd:
        odd = "it does nothing that is known"
    unbounded = [act for act in acts if act.bounded is False]
    why = odd or (f"nothing restricts the rows of {unbounded[0].table}" if unbounded else "")
    return Statement(sql, acts, not odd, why)


def _tree(clean: str, dialect: str) -> "exp.Expr | str":
    """The parser's tree of one statement without comments, or why there is none."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    told = _silent.set(True)
    try:
        mine = {token.end: token.start for token in tokens_of(clean, dialect) if token.kind == "quoted"}
        theirs = {token.end + 1: token.start for token in sqlglot.tokenize(clean, dialect=dialect)}
        within = any(start < place < end for end, start in mine.items() for place in theirs.values())
        if within or not mine.keys() <= theirs.keys():
            return "its quotes are not understood"
        trees = sqlglot.parse(clean, dialect=dialect)
    except (SqlglotError, Unreadable, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return "it is no SQL that is known"  # the parser has slips of its own on odd text
    except RecursionError:
        return "it is nested too deep"
    finally:
        _silent.reset(told)
    return trees[0] if len(trees) == 1 and trees[0] is not None else "it is not one statement to the parser"


def _too_much(tokens: Sequence[Token]) -> str:
    """Why a statement is more than the parser can take, counted so that it depends on nothing but the text."""
    if len(tokens) > MOST_IN_ONE:
        return f"it has more than {MOST_IN_ONE:,} words"
    depth = run = joins = brackets = 0
    for token in tokens:
        word = token.upper
        depth += (word in ("(", "[", "{", "CASE")) - (word in (")", "]", "}", "END"))
        run = run + 1 if word in _CHAINING else 0
        joins = joins + 1 if word == "JOIN" else max(0, joins - 1) if word in ("ON", "USING") else joins
        brackets += word == "["
        if max(depth, 0) + run > _DEEPEST or brackets > _MOST_BRACKETS or joins > _MOST_JOINS:
            return "it is nested too deep"
    return ""


def _agreed(text: str, found: "dict[str, tuple[Statement, ...]]") -> tuple[Statement, ...]:
    """What all dialects say of a text; where they differ it is not understood, and what all say holds."""
    every = list(found.values())
    if any([item.sql for item in each] != [item.sql for item in every[0]] for each in every):
        return (_differing(text.strip(" \t\r\n"), [[act for item in each for act in item.acts] for each in every]),)
    return tuple(_one(statements) for statements in zip(*every, strict=True))


def _one(statements: tuple[Statement, ...]) -> Statement:
    first, *others = statements
    if all((item.acts, item.understood) == (first.acts, first.understood) for item in others):
        return first
    return _differing(first.sql, [item.acts for item in statements])


def _differing(sql: str, acts: "Sequence[Sequence[Act]]") -> Statement:
    shared = [act for act in acts[0] if all(act in other for other in acts)]
    return Statement(sql, tuple(dict.fromkeys(shared)), False, "engines read it differently: name the dialect")


def _unknown(sql: str, why: str) -> Statement:
    return Statement(sql, (), False, why)


_silent: ContextVar[bool] = ContextVar("silent", default=False)


def _is_heard(_record: logging.LogRecord) -> bool:
    """The parser logs what it does not know, with the text; nothing that an agent wrote goes to anybody's log."""
    return not _silent.get()


logging.getLogger("sqlglot").addFilter(_is_heard)
