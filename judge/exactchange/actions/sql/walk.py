"""What a parsed statement does: every node of its tree is looked at, and a node that is not known is not understood."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from exactchange.actions.sql.bounds import bounded
from exactchange.actions.sql.functions import ACTING, CLASSES, COMPUTING
from exactchange.actions.sql.model import Act
from exactchange.actions.sql.nodes import PLAIN
from exactchange.actions.sql.tables import (
    Scopes,
    is_named,
    is_part,
    name_of,
    scope_names,
    sources,
    targets_of_delete,
    targets_of_update,
)

if TYPE_CHECKING:
    from sqlglot import exp

_BUILT_IN: Final = frozenset({"pg_catalog", "sys", "information_schema"})
_TABLES: Final = frozenset({"TABLE", "VIEW"})
_OTHERS: Final = frozenset({"INDEX", "SCHEMA", "DATABASE", "SEQUENCE"})
_MODULES: Final = frozenset({"fts3", "fts4", "fts5", "rtree", "rtree_i32", "geopoly"})


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What the text said that its parsed form does not: rows may be replaced; `TOP n`, None without."""

    replaces: bool = False
    top: str | None = None


def acts_of(root: "exp.Expr", rewritten: Rewritten, dialect: str) -> tuple[tuple[Act, ...], str]:
    """The acts of a statement, each once, and what of it was not understood; empty when all was."""
    walk = _Walk(root, rewritten, dialect)
    walk.run()
    return tuple(dict.fromkeys(walk.acts)), "; ".join(dict.fromkeys(walk.odd))


class _Walk:
    def __init__(self, root: "exp.Expr", rewritten: Rewritten, dialect: str) -> None:
        self.acts: list[Act] = []
        self.odd: list[str] = []
        self._root = root
        self._rewritten = rewritten
        self._dialect = dialect
        self._done: set[int] = set()
        self._scopes: Scopes = {}

    def run(self) -> None:
        from sqlglot import exp

        asks = isinstance(self._root, exp.Query | exp.Values)
        for node in self._root.walk():
            if id(node) not in self._done:
                self._look(node)
        if asks and not any(act.effect == "read" for act in self.acts):
            self.acts.append(Act("read"))

    def _look(self, node: "exp.Expr") -> None:
        from sqlglot import exp

        kind = type(node).__name__
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, node)
        elif kind == "Table":
            self._table(node)
        elif kind == "Command":
            self.odd.append(f"what {node.name.upper()} does here is not understood")
        elif kind in ("Anonymous", "AnonymousAggFunc"):
            self._called(node)
        elif isinstance(node, exp.Func) and kind not in PLAIN:
            if kind not in CLASSES:
                self.odd.append(f"the function {node.sql_name().lower()}() is not known")
        elif kind not in PLAIN:
            self.odd.append(f"{_said(kind)} is not understood")

    def _table(self, node: "exp.Expr") -> None:
        if type(node.this).__name__ != "Identifier":  # a function as a table
            schema = str(node.args["db"].name).lower() if node.args.get("db") else ""
            if schema and schema not in _BUILT_IN:
                self.odd.append(f"the function {schema}.{node.this.name}() is not known")
            self.acts.append(Act("read"))
        elif node.name.lower() in _FILES and self._dialect == "sqlite":
            self.acts.append(Act("file"))
        elif not is_part(node, self._scopes):
            self.acts.append(Act("read", name_of(node)))

    def _called(self, node: "exp.Expr") -> None:
        name = node.name.lower()
        if name in ACTING:
            self.acts.append(Act(ACTING[name]))
        elif name.startswith("pragma_") and self._dialect == "sqlite":
            self.acts.append(Act("pragma"))
        elif name not in COMPUTING:
            self.odd.append(f"the function {name}() is not known")

    def wrote(self, effect: str, table: "exp.Expr | None", bound: bool | None = None) -> None:
        """An act on a table of the tree, which is then no table that is read."""
        named = is_named(table)
        if named and table is not None:
            self._done.add(id(table))
            if self._dialect == "tsql" and is_part(table, self._scopes):  # it writes to what stands below the name
                named, bound = False, None
        self.acts.append(Act(effect, name_of(table) if named and table is not None else None, bound))

    def passed(self, node: "exp.Expr | None") -> None:
        """Nothing in here is looked at."""
        self._done |= {id(item) for item in node.walk()} if node is not None else set()

    def insert(self, node: "exp.Expr") -> None:
        table = _unwrapped(node.this)
        if node.args.get("is_function") or type(table).__name__ != "Table":
            self.odd.append("what it inserts into is not understood")
        self.wrote("insert", table)
        values = type(node.args.get("expression")).__name__ in ("Values", "NoneType")
        if str(node.args.get("alternative") or "").upper() == "REPLACE" or node.args.get("overwrite"):
            self.wrote("delete", table, True if values and not node.args.get("overwrite") else None)
        conflict = node.args.get("conflict")
        if conflict is not None and (
            conflict.expressions or "UPDATE" in str(conflict.args.get("action") or "").upper()
        ):
            self.wrote("update", table, True if values else None)

    def update(self, node: "exp.Expr") -> None:
        self._restricted("update", node, targets_of_update(node))
        if self._rewritten.replaces and self.acts:
            self.wrote("delete", _unwrapped(node.this), self.acts[-1].bounded)

    def delete(self, node: "exp.Expr") -> None:
        self._restricted("delete", node, targets_of_delete(node))

    def _restricted(self, effect: str, node: "exp.Expr", targets: "list[exp.Expr | None]") -> None:
        own: exp.Expr | None = node.this
        if own is None or type(own).__name__ != "Table":
            self.odd.append(f"the table of this {effect} is not understood")
            return
        alone = len(sources(node)) == 1
        limited = node.args.get("limit") is not None or (self._rewritten.top or "100 PERCENT") != "100 PERCENT"
        for target in targets:
            names: frozenset[str] = frozenset() if target is None else scope_names(target)
            found = bounded(node.args.get("where"), names=names, alone=alone, dialect=self._dialect)
            self.wrote(effect, target, None if limited and found is False else found)
        for item in cast("list[exp.Expr]", node.args.get("tables") or []):
            self.passed(item)  # names of what stands in FROM
        if not any(own is target for target in targets) and not own.args.get("joins"):
            self._done.add(id(own))  # an alias
        self.passed(own.args.get("indexed"))

    def merge(self, node: "exp.Expr") -> None:
        whens = node.args.get("whens")
        for when in cast("list[exp.Expr]", whens.expressions if whens is not None else []):
            then = when.args.get("then")
            word = type(then).__name__.upper() if type(then).__name__ in ("Insert", "Update") else str(then).upper()
            if word in ("INSERT", "UPDATE", "DELETE"):
                self.wrote(word.lower(), _unwrapped(node.this))
                self._done.add(id(then))
            elif word != "DO NOTHING":
                self.odd.append("a branch of MERGE is not understood")
            if word in ("DELETE", "DO NOTHING") and then is not None and hasattr(then, "walk"):
                self.passed(then)

    def create(self, node: "exp.Expr") -> None:
        kind = str(node.args.get("kind") or "").upper()
        made = _unwrapped(node.this)
        if kind == "INDEX":
            made = node.this.args.get("table") if node.this is not None else None
        if kind not in _TABLES | _OTHERS or (kind == "INDEX" and made is None):
            self.odd.append(f"what CREATE {_said(kind)} does is not understood")
        self.wrote("create", made)
        if kind == "TABLE" and node.args.get("expression") is not None:
            self.wrote("insert", made)
        if node.args.get("replace"):
            self.wrote("drop", made)

    def module(self, node: "exp.Expr") -> None:
        """The module of a virtual table is code; those that only keep an index are known."""
        if self._dialect != "sqlite" or node.name.lower() not in _MODULES:
            self.odd.append(f"what the module {node.name} does is not known")
        self.passed(node)

    def drop(self, node: "exp.Expr") -> None:
        if type(node.parent).__name__ == "Alter":
            return self.passed(node)
        kind = str(node.args.get("kind") or "").upper()
        named = cast("list[exp.Expr]", node.args.get("tables") or [])
        for item in named if kind in _TABLES and named else [None]:
            self.wrote("drop", item)
        return self.passed(node)

    def alter(self, node: "exp.Expr") -> None:
        self.wrote("alter", node.this if str(node.args.get("kind")).upper() in _TABLES else None)
        for action in cast("list[exp.Expr]", node.args.get("actions") or []):
            if type(action).__name__ == "AlterRename":
                self.passed(action)

    def truncate(self, node: "exp.Expr") -> None:
        for table in node.expressions:
            self.wrote("truncate", table, False)

    def into(self, node: "exp.Expr") -> None:
        if self._dialect == "mysql":
            self.odd.append("what stands after INTO is not understood")
        self.wrote("create", node.this)
        self.wrote("insert", node.this)

    def returning(self, node: "exp.Expr") -> None:
        """`OUTPUT … INTO` of T-SQL keeps what was changed in another table."""
        kept = node.args.get("into")
        if kept:  # False where there is none
            self.acts.append(Act("insert", str(kept.name) or None))

    def copy(self, node: "exp.Expr") -> None:
        words = {item.name.upper() for item in cast("list[exp.Expr]", node.args.get("files") or [])}
        if type(_unwrapped(node.this)).__name__ != "Table":
            self.odd.append("what it copies is not understood")
        self.wrote("insert" if node.args.get("kind") else "read", _unwrapped(node.this))
        if "PROGRAM" in words:
            self.acts.append(Act("call"))
            self.odd.append("it runs a program")
        elif not words <= {"STDIN", "STDOUT"}:
            self.acts.append(Act("file"))

    def column(self, node: "exp.Expr") -> None:
        """A name that is a keyword in every engine: where SQLite reads an operator, the parser saw a column."""
        if node.name.upper() in _KEYWORDS and not node.this.args.get("quoted"):
            self.odd.append(f"{node.name} stands where a name should")

    def among(self, node: "exp.Expr") -> None:
        """`x IN t` of SQLite reads a table."""
        field = cast("exp.Expr", node.args.get("field"))
        if type(field).__name__ not in ("Column", "Literal"):
            return
        schema = str(getattr(field, "table", ""))
        if schema or not is_part(field, self._scopes):
            self.acts.append(Act("read", f"{schema}.{field.name}" if schema else str(field.name)))

    def sets(self, node: "exp.Expr") -> None:
        """A SET is of the session; one of the whole server or of an account is more than that."""
        self.acts.append(Act("control"))
        for item in cast("list[exp.Expr]", node.expressions):
            scope = str(item.args.get("kind") or "").upper()
            target = str(getattr(getattr(item.this, "this", None), "name", "")).upper()
            if scope not in _SESSION or item.args.get("global_") or (self._dialect, target) == ("mysql", "PASSWORD"):
                self.odd.append("it sets more than the session")

    def granted(self, node: "exp.Expr") -> None:
        table = node.args.get("securable")
        self.wrote("grant", table)
        self.passed(node)


_KEYWORDS: Final = frozenset(
    """ALL ALTER AND AS BETWEEN CASE CREATE DELETE DISTINCT DROP ELSE EXISTS FROM GROUP HAVING IN INSERT INTO IS JOIN
    NOT NULL ON OR ORDER SELECT SET THEN UNION UPDATE VALUES WHEN WHERE""".split()
)
_SESSION: Final = frozenset({"", "SESSION", "LOCAL", "NAMES", "CHARACTER SET", "TRANSACTION"})
_FILES: Final = frozenset({"fsdir"})


def _simple(effect: str, *, inside: bool = True) -> "Callable[[_Walk, exp.Expr], None]":
    def act(walk: _Walk, node: "exp.Expr") -> None:
        walk.acts.append(Act(effect))
        if not inside:
            walk.passed(node)

    return act


_HANDLERS: Final[Mapping[str, "Callable[[_Walk, exp.Expr], None]"]] = {
    "Insert": _Walk.insert, "Update": _Walk.update, "Delete": _Walk.delete, "Merge": _Walk.merge,
    "Create": _Walk.create, "Drop": _Walk.drop, "Alter": _Walk.alter, "TruncateTable": _Walk.truncate,
    "Returning": _Walk.returning,
    "Into": _Walk.into, "Copy": _Walk.copy, "Grant": _Walk.granted, "Revoke": _Walk.granted,
    "ModuleProperty": _Walk.module, "VirtualProperty": lambda walk, node: None,
    "Attach": _simple("attach"), "Detach": _simple("attach"), "Pragma": _simple("pragma", inside=False),
    "Set": _Walk.sets, "In": _Walk.among, "Column": _Walk.column,
    "Use": _simple("control", inside=False), "Kill": _simple("control"),
    "Lock": _simple("control", inside=False),
}  # fmt: skip


def _unwrapped(node: "exp.Expr | None") -> "exp.Expr | None":
    return node.this if type(node).__name__ == "Schema" and node is not None else node


def _said(kind: str) -> str:
    """A word for people of a class of the parser, such as `IfBlock`, or of a kind in capitals."""
    return kind if kind.isupper() else "".join(f" {c}" if c.isupper() else c for c in kind).strip().lower() or "it"
