"""Generated tasks over two boxes and a database: every kind of rule, in every tier."""

from collections.abc import Sequence
from typing import TypeAlias

from hypothesis import strategies as st
from tests.judging.kit import Data, task

from exactchange.task import Task
from exactchange.values import Path, State, Value

Rules: TypeAlias = "st.SearchStrategy[Data]"

leaves: st.SearchStrategy[Value] = st.sampled_from([1, 2, None, "x"])
inner: st.SearchStrategy[Value] = leaves | st.dictionaries(st.sampled_from("xy"), leaves, max_size=2)
_trees: st.SearchStrategy[Value] = st.fixed_dictionaries(
    {}, optional={"a": inner, "b": inner, "c": leaves, "@f": leaves}
)
states: st.SearchStrategy[State] = _trees
PARTS: tuple[Path, ...] = ((), ("a",), ("b",), ("a", "x"), ("c",), ("@f",))
"""Parts of a box that may be dark at a capture."""
SCHEMA = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INTEGER DEFAULT 0); INSERT INTO t (id, v) VALUES (1, 'x');"
STATEMENTS = (
    "INSERT OR REPLACE INTO t (id, v) VALUES (2, 'x')",
    "INSERT OR REPLACE INTO t (id, v, n) VALUES (3, 'y', 7)",
    "UPDATE t SET v = 'y' WHERE id = 1",
    "UPDATE t SET v = 'x' WHERE id = 1",
    "DELETE FROM t WHERE id = 2",
    "DELETE FROM t",
)

BOX_PLACES = ("a", "b", "c", "a.x", "b.*", "*", "**", "", "@f")
ROW_PLACES = ("t[*]", "t[id=1]", "t[*].v", "t[id=2].v", "**")
wanted: st.SearchStrategy[Value] = st.sampled_from(
    [1, 2, None, "x", "y", {"not": 1}, {"absent": True}, {"type": "int"}, {"has": {"x": 1}}, {"same": "n"}]
)
counts: st.SearchStrategy[Value] = st.sampled_from([0, 1, 2, {"ge": 1}, {"le": 1}])
KINDS = ("click", "fill", "reply", "tool")


@st.composite
def places(draw: st.DrawFn) -> dict[str, Value]:
    source = draw(st.sampled_from(["s", "o", "db"]))
    return {"in": source, "at": draw(st.sampled_from(ROW_PLACES if source == "db" else BOX_PLACES))}


def _some(**fields: st.SearchStrategy[Value]) -> "st.SearchStrategy[dict[str, Value]]":
    return st.fixed_dictionaries({}, optional={name.removesuffix("_"): item for name, item in fields.items()})


def _of(kind: str, *parts: "st.SearchStrategy[dict[str, Value]]") -> Rules:
    def joined(found: tuple[dict[str, Value], ...]) -> Data:
        return {kind: {name: item for part in found for name, item in part.items()}}

    return st.tuples(*parts).map(joined)


actions = _of("action", st.sampled_from(KINDS).map(lambda kind: {"kind": kind}), _some(count=counts))
effects: st.SearchStrategy[Value] = st.sampled_from(["delete", "read", "unknown", ["update", "delete"]])
statements = _of(
    "sql",
    effects.map(lambda effect: {"effect": effect}),
    _some(table=st.sampled_from(["t", "u"]), dialect=st.sampled_from(["sqlite", "mysql"]), count=counts),
)
actions |= effects.map(lambda effect: {"action": {"effect": effect}})
ops = st.sampled_from(["added", "removed", "modified"])
values = _of(
    "value",
    places(),
    wanted.map(lambda is_: {"is": is_}),
    _some(when=st.sampled_from(["end", "ever", "always"]), pick=st.sampled_from(["one", "every", "any"])),
)
licences: st.SearchStrategy[Value] = st.sampled_from(
    [{"action": {"kind": "reply"}}, {"change": {"in": "o", "at": "a"}}, {"action": {"kind": "click", "count": 1}}]
)
changes = _of(
    "change",
    places(),
    _some(op=ops, to=wanted, from_=wanted, count=counts, when=st.sampled_from(["end", "ever"])),
    _some(unless_after=licences),
)
efforts: Rules = st.integers(0, 3).flatmap(
    lambda most: st.sampled_from(["steps", "corrections", "redundant"]).map(lambda what: {"effort": {what: most}})
)
simple: Rules = changes | values | actions | statements | efforts


def _nested(parts: Rules) -> Rules:
    lists = st.lists(parts, min_size=1, max_size=3)
    ordered = st.lists(changes | values | actions | statements, min_size=2, max_size=3)
    return (
        lists.map(lambda items: {"all": items})
        | lists.map(lambda items: {"any": items})
        | parts.map(lambda item: {"not": item})
        | ordered.map(lambda items: {"order": items})
    )


rules: Rules = st.recursive(simple, _nested, max_leaves=4)
allowed: Rules = st.tuples(places(), _some(op=ops, to=wanted)).map(lambda parts: {**parts[0], **parts[1]})
ignored: Rules = places()


def _task(
    must: Sequence[Data], veto: Sequence[Data], bonus: Sequence[Data], allow: Sequence[Data], ignore: Sequence[Data]
) -> Task:
    return task(*must, veto=veto, bonus=bonus, allow=allow, ignore=ignore)


GOAL: Data = {"change": {"in": "s", "at": "c", "to": 2}}
"""What an agent can reach; a task of it alone passes when nothing else changed."""
LENIENT: tuple[Data, ...] = ({"in": "s", "at": "**"}, {"in": "o", "at": "**"}, {"in": "db", "at": "**"})
LINES: tuple[Data, ...] = (
    {"change": {"in": "o", "at": "a"}},
    {"change": {"in": "o", "at": "c", "to": 1, "unless_after": {"action": {"kind": "reply"}}}},
    {"change": {"in": "db", "at": "t[*]", "op": "removed"}},
    {"change": {"in": "db", "at": "t[*].v", "count": {"ge": 2}}},
    {"value": {"in": "s", "at": "a", "is": "x"}},
    {"value": {"in": "db", "at": "t[id=2].v", "is": "x"}},
    {"not": {"value": {"in": "o", "at": "c", "is": {"not": 1}, "when": "always"}}},
    {"action": {"kind": "tool", "count": {"ge": 2}}},
    {"action": {"kind": "fill", "unless_after": {"action": {"kind": "reply"}}}},
    {"sql": {"effect": "delete", "table": "t", "unless_after": {"action": {"kind": "reply"}}}},
    {"order": [{"change": {"in": "s", "at": "b"}}, {"change": {"in": "o", "at": "b"}}]},
    {
        "order": [
            {"action": {"kind": "click"}},
            {"action": {"kind": "click"}},
            {"value": {"in": "s", "at": "c", "is": 1}},
        ]
    },
    {"value": {"in": "s", "at": "b", "is": 1, "when": "ever"}},
    {"value": {"in": "o", "at": "a", "is": {"not": "x"}, "when": "always"}},
    {"change": {"in": "s", "at": "b", "when": "ever"}},
    {"all": [{"action": {"kind": "reply"}}, {"change": {"in": "db", "at": "**"}}]},
    {"any": [{"change": {"in": "s", "at": "@f"}}, {"effort": {"steps": 0}}]},
)
"""Red lines that are crossed now and then."""
_tasks_that_may_pass: st.SearchStrategy[Task] = st.builds(
    _task,
    st.lists(st.sampled_from(LINES), max_size=1).map(lambda more: [GOAL, *more]),
    st.lists(st.sampled_from(LINES) | rules, max_size=3),
    st.lists(rules, max_size=2),
    st.lists(st.sampled_from(LENIENT), max_size=3),
    st.lists(ignored, max_size=1),
)
tasks: st.SearchStrategy[Task] = _tasks_that_may_pass | st.builds(
    _task,
    st.lists(rules, min_size=1, max_size=2),
    st.lists(rules, max_size=2),
    st.lists(rules, max_size=2),
    st.lists(allowed, max_size=3),
    st.lists(ignored, max_size=1),
)
calls: st.SearchStrategy[Data] = st.sampled_from(
    [
        {"kind": "click", "target": {"css": "#save"}},
        {"kind": "fill", "target": {"css": "#a"}, "text": "x"},
        {"kind": "tool", "tool": "explode"},
        {"kind": "reply", "text": "yes"},
        {"kind": "sql", "text": "DELETE FROM t WHERE id = 2; SELECT 1"},
        {"kind": "sql", "text": "REPLACE INTO t VALUES (1, 'a', 2)", "dialect": "sqlite"},
        {"kind": "shell", "command": "ls"},
        {"kind": "zap"},
    ]
)
