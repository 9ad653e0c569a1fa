import json
from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from exactchange.limits import CountedBudget
from exactchange.values import Value, canonical_bytes
from exactchange_adapters.browser.known import Known, know
from exactchange_adapters.browser.secrets import Secrecy

SECRECY = Secrecy()


def variants() -> dict[str, list[list[object]]]:
    """What may stand in one place, by kind of node: everything of it that may change, in two values at least."""
    named: list[dict[str, object]] = [{"name": "a"}, {"id": "i"}, {"aria-label": "A"}]
    truths = (True, False)
    boxes: list[list[object]] = [
        ["input", {"name": "a"}, 1, {"t": kind, "v": value, "c": checked, "g": form}]
        for kind in ("checkbox", "radio")
        for value in "xy"
        for checked in truths
        for form in (0, 1)
    ]
    fields: list[list[object]] = [
        ["input", attributes, 1, {"t": kind, "v": value, **({"s": 1} if kind == "password" else {})}]
        for kind in ("text", "submit", "password")
        for value in ("", "v", "w")
        for attributes in named
    ]
    others: list[list[object]] = [["div", {}, 1, {"e": True}], ["div", {}, 3], ["div", {"role": "button"}, 3]]
    shown: list[list[object]] = [["button", attributes, bits, {}] for attributes in named for bits in (1, 3)]
    folds: list[list[object]] = [["details", {"id": "i"}, 1, {"o": is_open}] for is_open in truths]
    labels: list[list[object]] = [["label", {}, 3], ["label", {"for": "i"}, 3], ["p", {}, 3], ["#shadow", {}, 1]]
    return {"box": boxes, "field": fields, "div": others, "button": shown, "details": folds, "label": labels}


KINDS = variants()
TEXTS: list[list[object]] = [["one"], ["two"], [" "]]
NODE = st.one_of(
    st.tuples(st.integers(0, 9), st.sampled_from(sorted(KINDS)), st.integers(0, 99)),
    st.tuples(st.integers(0, 9), st.just("text"), st.integers(0, 99)),
)
"""Which node it is in, what kind of node, which variant of it."""
STEP = st.tuples(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=2), st.none() | NODE)
"""Which nodes become which variant of their kind, and a node more or none."""


def line_of(chosen: list[tuple[int, str, int]]) -> str:
    nodes: list[list[object]] = [[-1, "html", {}, 1]]
    holders = [0]
    for place, kind, variant in chosen:
        pool = TEXTS if kind == "text" else KINDS[kind]
        nodes.append([holders[place % len(holders)], *pool[variant % len(pool)]])
        if kind != "text":
            holders.append(len(nodes) - 1)
    return json.dumps(nodes)


def captures_of(
    first: list[tuple[int, str, int]], steps: list[tuple[list[tuple[int, int]], tuple[int, str, int] | None]]
) -> list[str]:
    now = list(first)
    out = [line_of(now)]
    for altered, more in steps:
        for number, variant in altered:
            place, kind, _ = now[number % len(now)]
            now[number % len(now)] = (place, kind, variant)
        if more is not None:
            now.append(more)
        out.append(line_of(now))
    return out


def told(known: Known) -> tuple[object, ...]:
    tree: Value = {"controls": known.controls.tree, "text": known.lines}
    nodes = [tuple(node) for node in known.fresh.document.nodes]
    found = [(control.path, control.name, control.role, control.leaves) for control in known.controls.all]
    return canonical_bytes(tree), known.packed, known.fresh.secret_names, nodes, found


def read(line: str, before: Known | None) -> Known:
    return know(line, hide=SECRECY.hide, budget=CountedBudget(), before=before)


@settings(max_examples=400, deadline=None)
@given(st.builds(captures_of, st.lists(NODE, min_size=1, max_size=8), st.lists(STEP, min_size=1, max_size=3)))
def test_what_is_known_of_a_document_does_not_depend_on_the_captures_before(captures: list[str]) -> None:
    before: Known | None = None
    for line in captures:
        known = read(line, before)
        assert told(known) == told(read(line, None))
        before = known


def form(value: str, *, text: str = "Hello", more: bool = False) -> str:
    fields: list[list[object]] = [
        [2, "input", {"name": "mail"}, 1, {"t": "text", "v": value}],
        [2, "input", {"name": "n"}, 1, {"t": "text", "v": "1"}],
    ]
    nodes: list[list[object]] = [[-1, "html", {}, 1], [0, "p", {}, 3], [0, "form", {}, 1], *fields, [1, text]]
    return json.dumps([*nodes, *([[0, "hr", {}, 1]] if more else [])])


def field(known: Known, name: str) -> Mapping[str, object]:
    found = next(control for control in known.controls.all if control.path == ("input", f"name={name}"))
    return found.leaves


def test_what_did_not_change_is_the_same_object() -> None:
    old = read(form("a"), None)
    new = read(form("b"), old)
    assert (field(old, "mail")["value"], field(new, "mail")["value"]) == ("a", "b")
    assert field(new, "n") is field(old, "n")
    assert new.lines is old.lines


def test_what_is_the_same_as_before_costs_the_budget_as_much() -> None:
    for line in (form("a"), form("b"), form("a", text="Bye"), form("a", more=True)):
        alone, again = CountedBudget(), CountedBudget()
        know(line, hide=SECRECY.hide, budget=alone, before=None)
        know(line, hide=SECRECY.hide, budget=again, before=read(form("a"), None))
        assert (alone.used_bytes, alone.used_nodes) == (again.used_bytes, again.used_nodes)
