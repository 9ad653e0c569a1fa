"""Tables in a parsed statement: their names, which are parts of the statement itself, and which are written to."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias, cast

if TYPE_CHECKING:
    from sqlglot import exp

_NEUTRAL: Final = frozenset({"Reference"})


def name_of(table: "exp.Expr") -> str:
    """`t` or `main.t`: the names as written, without quotes."""
    parts = [table.args.get(name) for name in ("catalog", "db", "this")]
    return ".".join(str(part.name) for part in parts if part is not None)


Scopes: TypeAlias = dict[int, dict[str, int]]
"""The names that each WITH of a statement gives, with their positions, by the identity of its node."""


def is_part(table: "exp.Expr", scopes: Scopes) -> bool:
    """Whether it is a subquery that a WITH around it names, or only mentioned, as by a foreign key.

    `scopes`: filled as it is asked, and kept for the whole statement.
    """
    if table.args.get("db"):
        return False
    name = table.name.lower()
    below, inside = table, table
    above = table.parent
    while above is not None:
        if type(above).__name__ in _NEUTRAL:
            return True
        clause = above.args.get("with_")
        if clause is not None and _sees(clause, name, below, inside, scopes):
            return True
        below, inside, above = inside, above, above.parent
    return False


def _sees(clause: "exp.Expr", name: str, below: "exp.Expr", inside: "exp.Expr", scopes: Scopes) -> bool:
    """Whether a WITH names a table for what stands inside: all its names, but within itself only those before."""
    if id(clause) not in scopes:
        parts = cast("list[exp.Expr]", clause.expressions)
        scopes[id(clause)] = {str(part.alias).lower(): number for number, part in enumerate(parts)}
    found = scopes[id(clause)].get(name)
    if found is None or inside is not clause or clause.args.get("recursive"):
        return found is not None
    return found < scopes[id(clause)].get(str(below.alias).lower(), 0)


def is_named(table: object) -> bool:
    """Whether it is a table that a name stands for: no function, no subquery."""
    return type(table).__name__ == "Table" and type(getattr(table, "this", None)).__name__ == "Identifier"


def sources(node: "exp.Expr") -> "list[exp.Expr]":
    """All tables of which an UPDATE or DELETE itself speaks: its own, those joined to it, those under FROM or USING."""
    return list(_sources(node))


def _sources(node: "exp.Expr") -> "Iterator[exp.Expr]":
    under = node.args.get("from_")
    using = node.args.get("using")
    others = cast("list[object]", using) if isinstance(using, list) else []
    roots: list[object] = [node.this, under.this if under is not None else None, *others]
    seen: set[str] = set()
    for root in roots:
        for table in (root, *_joined(root)):
            if table is None:
                continue
            name = str(getattr(table, "alias_or_name", "")).lower() if is_named(table) else ""
            if not name or name not in seen:  # a subquery, a function or joins in brackets are something else each
                seen.add(name)
                yield cast("exp.Expr", table)


def _joined(root: object) -> "list[exp.Expr]":
    """What is joined to a table; the parser puts odd things in the place of one where a text is odd."""
    joins = cast("list[exp.Expr]", getattr(root, "args", {}).get("joins") or [])
    return [join.this for join in joins]


def scope_names(table: "exp.Expr") -> frozenset[str]:
    """The names by which columns of a table are told from others: its alias, else its own."""
    return frozenset({str(table.alias_or_name).lower(), *([] if table.alias else [table.name.lower()])})


def targets_of_delete(node: "exp.Expr") -> "list[exp.Expr | None]":
    """The tables that a DELETE deletes from; None for one that is not known."""
    named = cast("list[exp.Expr]", node.args.get("tables") or [])
    if named:
        return [_meant(item, node) for item in named]
    return [_meant(node.this, node), *_joined(node.this)]


def targets_of_update(node: "exp.Expr") -> "list[exp.Expr | None]":
    """The tables that an UPDATE updates; None for one that is not known."""
    if not _joined(node.this):
        return [_meant(node.this, node)]
    sides = [getattr(item, "this", None) for item in cast("list[exp.Expr]", node.expressions)]
    names = {str(getattr(side, "table", "")).lower() for side in sides}
    known = {str(table.alias_or_name).lower(): table for table in sources(node) if is_named(table)}
    return [known.get(name) for name in sorted(names)]


def _meant(named: "exp.Expr | None", node: "exp.Expr") -> "exp.Expr | None":
    """The table of which a name is the alias, where FROM or USING gives it one."""
    if named is None or named.args.get("db"):
        return named
    under = node.args.get("from_")
    root = under.this if under is not None else None
    own: exp.Expr | None = node.this
    using = node.args.get("using")
    others = cast("list[exp.Expr]", using) if isinstance(using, list) else []
    roots = (root, own, *others)
    for table in (joined for item in roots for joined in (item, *_joined(item))):
        if table is not None and table.alias and str(table.alias).lower() == named.name.lower():
            return table
    return named
