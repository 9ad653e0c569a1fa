"""The text of a task's query, taken apart before any database sees it: one SELECT that calls nothing impure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from exactchange.errors import UsageError

if TYPE_CHECKING:
    from sqlglot import exp

PURE: Final = frozenset(
    """abs avg cast ceil ceiling coalesce concat concat_ws count date datetime exp floor glob group_concat hex
    ifnull iif instr json json_array json_array_length json_extract json_group_array json_group_object
    json_object json_quote json_type json_valid char unhex julianday length like ln log log10 log2 lower ltrim
    max min mod nullif octet_length pow power quote replace round rtrim sign sqrt string_agg strftime substr
    substring sum time timediff total trim trunc typeof unicode unixepoch upper row_number rank dense_rank lag
    lead first_value last_value nth_value ntile percent_rank cume_dist match bm25 -> ->>"""
    "".split()
)
"""Functions whose answer follows from what they are given, and that do nothing else."""
_BEGINNINGS: Final = frozenset({"SELECT", "WITH"})


_DATES: Final = frozenset({"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"})
_NOW: Final = frozenset({"now", "localtime", "utc"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT. `parts`: names of the queries inside it. `ordered`: whether all of its rows have an order."""

    sql: str
    parts: frozenset[str]
    ordered: bool


def read_statement(sql: str) -> Statement:
    """A query that only reads. Raises UsageError for anything else, and for what cannot be taken apart."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(sql, dialect="sqlite")
        if not tokens or tokens[0].text.upper() not in _BEGINNINGS:
            raise UsageError("a query is one SELECT")
        statements = [statement for statement in sqlglot.parse(sql, dialect="sqlite") if statement is not None]
    except SqlglotError as error:
        raise UsageError(f"the query is not understood{_near(error)}") from error
    except RecursionError as error:
        raise UsageError("the query is nested too deep to be understood") from error
    return _checked(sql, statements)


def _checked(sql: str, statements: "Sequence[exp.Expr]") -> Statement:
    from sqlglot import exp

    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise UsageError("a query is one SELECT")
    writes = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Alter, exp.Command, exp.Into)
    parts: set[str] = set()
    for node in statements[0].walk():
        if isinstance(node, writes):
            raise UsageError("a query only reads")
        if _asks_the_clock(node):
            raise UsageError("a query must not ask for the time: the same state would give another answer later")
        if isinstance(node, exp.Anonymous) and not isinstance(node.parent, exp.Table) and node.name.lower() not in PURE:
            raise UsageError(f"a query may not use {node.name.lower()}()")
        if isinstance(node, exp.Placeholder) and node.name in ("", "?"):
            raise UsageError("a query binds its params by name; write :name")
        if isinstance(node, exp.Subquery) and _takes_the_first(node):
            raise UsageError("a query in brackets that stands for one value, and has an ORDER BY, needs its LIMIT 1")
        if isinstance(node, exp.CTE):
            parts.add(node.alias.lower())
    return Statement(sql, frozenset(parts), statements[0].args.get("order") is not None)


def _takes_the_first(node: "exp.Subquery") -> bool:
    """Whether it is one value, the first by an order: a LIMIT that is not written is not asked whether equals tie."""
    from sqlglot import exp

    inner = node.unnest()
    rows = isinstance(node.parent, exp.From | exp.Join | exp.In | exp.Exists | exp.Subquery | exp.SetOperation)
    return not rows and inner.args.get("order") is not None and inner.args.get("limit") is None


def _near(error: Exception) -> str:
    """Where a parser stopped, in words of ours: its own name its tokens."""
    from sqlglot.errors import ParseError

    words = [item.get("highlight") for item in error.errors] if isinstance(error, ParseError) else []
    return f": it stops making sense at {words[0]!r}" if words and words[0] else ""


def _asks_the_clock(node: "exp.Expr") -> bool:
    """Whether it does so for everybody to see; a word that comes out of the data is noticed when it is asked."""
    from sqlglot import exp

    if isinstance(node, exp.CurrentTimestamp | exp.CurrentDate | exp.CurrentTime):
        return True
    if isinstance(node, exp.Literal):
        parent = node.parent
        of_a_date = isinstance(parent, exp.Date | exp.TsOrDsToTimestamp) or _is_date_call(parent)
        return node.is_string and str(node.this).lower() in _NOW and of_a_date
    bare = not node.expressions and node.args.get("this") is None
    return isinstance(node, exp.Date) and bare or _is_date_call(node) and not node.expressions


def _is_date_call(node: "exp.Expr | None") -> bool:
    from sqlglot import exp

    return isinstance(node, exp.Anonymous) and node.name.lower() in _DATES
