"""Whether a condition restricts the rows that a statement touches, as far as its text alone tells."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from sqlglot import exp

Rows: TypeAlias = Literal["all", "some", "none"] | None
"""The rows for which a condition holds; None: the text does not tell."""
_COMPARED: Final = {"EQ": (0,), "GTE": (0, 1), "LTE": (0, -1), "GT": (1,), "LT": (-1,), "NEQ": (1, -1)}
_USERS: Final = frozenset("user current_user session_user system_user current_role".split())
_CONSTANT: Final = {"tsql": _USERS, "postgres": _USERS | frozenset("tableoid xmin xmax cmin cmax".split())}
"""Words that look like columns and may be the same for every row."""
_TURNED: Final[dict[Rows, Rows]] = {"all": "none", "none": "all", "some": None, None: None}


def bounded(where: "exp.Expr | None", *, names: frozenset[str], alone: bool, dialect: str) -> bool | None:
    """Whether a WHERE restricts the rows of a table. Where it is missing or holds for every row, it does not.

    Only what is equal to a constant is a restriction by its text: `id > 0` may hold for every row, and cannot be told.
    `names`: those of the table and its alias. `alone`: whether the statement speaks of no other table, so that a column
    without a table is one of its own.
    """
    if where is None:
        return False
    found = _Bounds(names, alone, dialect).rows(where.this)
    return None if found is None else found != "all"


class _Bounds:
    def __init__(self, names: frozenset[str], alone: bool, dialect: str) -> None:
        self._names = names
        self._alone = alone
        self._dialect = dialect

    def rows(self, node: "exp.Expr") -> Rows:
        """The rows for which a condition holds."""
        node = _bare(node)
        found = self._plain(node)
        return _TURNED[found] if node.args.get("negate") else found  # NOT LIKE is a LIKE to the parser

    def _plain(self, node: "exp.Expr") -> Rows:
        kind = type(node).__name__
        if kind in ("And", "Or"):
            return _joined([self.rows(part) for part in _parts(node)], every=kind == "And")
        if kind == "Not":
            return _TURNED[self.rows(node.this)]
        if kind in ("Boolean", "Null", "Literal"):
            return _constant(node)
        if kind in _COMPARED or kind in ("Is", "NullSafeEQ", "Like", "Glob"):
            return self._compared(kind, _bare(node.this), _bare(node.expression))
        if kind == "In":
            return self._among(node)
        if kind == "Exists":
            return _exists(node)
        return None

    def _compared(self, kind: str, left: "exp.Expr", right: "exp.Expr") -> Rows:
        if _is(left, "Column") and _is(right, "Column"):
            same_column = left == right and kind in ("EQ", "Is", "NullSafeEQ", "GTE", "LTE", "Like", "Glob")
            return "all" if same_column else None
        if _is(left, "Literal") and _is(right, "Literal"):
            return self._constants(kind, left, right)
        if kind not in ("EQ", "NullSafeEQ"):
            return None
        for column, value in ((left, right), (right, left)):
            if self._own(column) and _is_value(value):
                return "some" if self._tells(column, value) else None
        return None

    def _constants(self, kind: str, left: "exp.Expr", right: "exp.Expr") -> Rows:
        if kind not in _COMPARED or left.is_string != right.is_string:
            return None
        if left.is_string:
            if left.this == right.this:
                return "all" if 0 in _COMPARED[kind] else "none"
            exact = self._dialect in ("sqlite", "postgres")  # the others may ignore case and blanks
            return None if not exact or kind not in ("EQ", "NEQ") else "none" if kind == "EQ" else "all"
        one, other = _number(left), _number(right)
        if one is None or other is None:
            return None
        return "all" if (one > other) - (one < other) in _COMPARED[kind] else "none"

    def _among(self, node: "exp.Expr") -> Rows:
        column, query = _bare(node.this), node.args.get("query")
        values = cast("list[exp.Expr]", node.args.get("expressions") or [])
        if query is None:
            told = self._own(column) and values and all(_is_value(v) and self._tells(column, v) for v in values)
            return "some" if told else None
        select = _bare(query)
        if not _is(select, "Select") or not _is(column, "Column"):
            return None
        source = select.args.get("from_") and select.args["from_"].this
        given = cast("list[exp.Expr]", select.expressions)
        if source is None or len(given) != 1 or not _is(source, "Table"):
            return None
        if self._all_of_itself(select, source, column, given[0]):
            return "all"
        return "some" if self._own(column) and self._of_a_list(source, given[0], node) else None

    def _all_of_itself(self, select: "exp.Expr", source: "exp.Expr", column: "exp.Expr", given: "exp.Expr") -> bool:
        """`id IN (SELECT id FROM t)`, of t itself and without another word."""
        words = {name for name, value in select.args.items() if value} - {"expressions", "from_", "kind"}
        same = _is(given, "Column") and given.name.lower() == column.name.lower()
        return same and not words and source.name.lower() in self._names

    def _of_a_list(self, source: "exp.Expr", given: "exp.Expr", node: "exp.Expr") -> bool:
        """Whether a table is a list of constants under WITH, whose columns are named."""
        root = node.root()
        clause = root.args.get("with_")
        for part in cast("list[exp.Expr]", clause.expressions if clause is not None else []):
            columns = [
                item.name.lower() for item in cast("list[exp.Expr]", part.args["alias"].args.get("columns") or [])
            ]
            if part.alias.lower() == source.name.lower() and not source.args.get("db"):
                kinds = {type(item).__name__ for item in part.this.walk()}
                return (
                    "Values" in kinds
                    and not kinds & {"Column", "Table"}
                    and _is(given, "Column")
                    and given.name.lower() in columns
                )
        return False

    def _own(self, node: "exp.Expr") -> bool:
        """Whether it is a column of the table itself."""
        if not _is(node, "Column") or not _is(node.this, "Identifier"):
            return False
        if self._dialect in _CONSTANT and node.name.lower() in _CONSTANT[self._dialect]:
            return bool(node.this.args.get("quoted"))
        table = str(getattr(node, "table", "")).lower()
        return table in self._names if table else self._alone

    def _tells(self, column: "exp.Expr", value: "exp.Expr") -> bool:
        """Whether a column's being equal to a value restricts anything.

        In SQLite `"x" = 'x'` compares two texts where no column is called x; in MySQL every word is equal to 0.
        """
        if self._dialect == "sqlite" and column.this.args.get("quoted") and not getattr(column, "table", ""):
            return not _is(value, "Literal") or not value.is_string or value.this.lower() != column.name.lower()
        return self._dialect != "mysql" or not _may_be_zero(value)


def _may_be_zero(value: "exp.Expr") -> bool:
    """Whether a value is 0, or a variable that a SET may have made 0."""
    value = _bare(value.this) if _is(value, "Neg") else value
    if _is(value, "Literal"):
        return not value.is_string and not _number(value)
    return not value.this if _is(value, "Boolean") else _is(value, "Parameter")


def _joined(parts: Sequence[Rows], *, every: bool) -> Rows:
    """Kleene's logic, with `some` between: what is restricted by one of several is restricted."""
    strong, weak = ("none", "all") if every else ("all", "none")
    if strong in parts:
        return cast("Rows", strong)
    if every:
        return "some" if "some" in parts else None if None in parts else cast("Rows", weak)
    return None if None in parts else "some" if "some" in parts else cast("Rows", weak)


def _exists(node: "exp.Expr") -> Rows:
    """`EXISTS (SELECT 1)` holds for every row; of one that reads a table nothing can be told."""
    select = _bare(node.this)
    words = {name for name, value in select.args.items() if value} - {"expressions", "kind"}
    return "all" if _is(select, "Select") and not words else None


def _constant(node: "exp.Expr") -> Rows:
    if _is(node, "Boolean"):
        return "all" if node.this else "none"
    number = None if _is(node, "Null") or node.is_string else _number(node)
    if _is(node, "Null"):
        return "none"
    return None if number is None else "all" if number else "none"


def _is_value(node: "exp.Expr") -> bool:
    """Whether it is one value whatever the row: a literal, or what is bound when it runs."""
    if _is(node, "Neg"):
        return _is(_bare(node.this), "Literal")
    return _is(node, "Literal") or _is(node, "Placeholder") or _is(node, "Parameter") or _is(node, "Boolean")


def _parts(node: "exp.Expr") -> "list[exp.Expr]":
    """The parts of a chain of the same operator; chains are long, so without recursion."""
    out: list[exp.Expr] = []
    stack: list[exp.Expr] = [node]
    while stack:
        part = stack.pop()
        if type(part) is type(node):
            stack += [part.expression, part.this]
        else:
            out.append(part)
    return out


def _bare(node: "exp.Expr") -> "exp.Expr":
    while type(node).__name__ in ("Paren", "Subquery") and not node.args.get("alias"):
        node = node.this
    return node


def _is(node: object, kind: str) -> bool:
    return type(node).__name__ == kind


def _number(node: "exp.Expr") -> Decimal | None:
    try:
        found = Decimal(str(node.this))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None
