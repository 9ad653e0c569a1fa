"""The controls of a document with their live state, as the part of the page's tree that holds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from exactchange.address import key_segment
from exactchange.errors import UsageError
from exactchange.values import Path, Value
from exactchange_adapters.browser.document import Document, Node
from exactchange_adapters.browser.keys import keys_of
from exactchange_adapters.browser.naming import ROLE_CONTROLS, name_of, role_of
from exactchange_adapters.browser.secrets import MARK

STATES = frozenset("value checked indeterminate open files pressed selected".split())
"""Names of the leaves that are a control's state; all else of a control is a facet (`@name`)."""
_TRUTH: Mapping[str, Value] = {"true": True, "false": False, "mixed": "mixed"}


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that a person can operate: its element's number, where it stands in the tree, and its state."""

    number: int
    path: Path
    role: str
    name: str
    leaves: Mapping[str, Value]


class Controls:
    """The controls of one document. The radio buttons of a group are one control: its value is the chosen one's."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def all(self) -> Sequence[Control]:
        """Every control in document order; for a group of radio buttons one entry for each button."""
        numbers = [node.number for node in self._document.nodes if _is_control(node)]
        names = {number: name_of(self._document, number) for number in numbers}
        groups = {number: _group(self._document.nodes[number], self._document.scopes[number]) for number in numbers}
        single = [number for number in numbers if groups[number] is None]
        paths = keys_of(self._document, single, names)
        paths |= self._group_paths({n: g for n, g in groups.items() if g is not None}, set(paths.values()))
        return [
            Control(n, paths[n], role_of(self._document.nodes[n]), names[n], self._leaves(n, names[n], groups))
            for n in numbers
        ]

    def tree(self) -> dict[str, Value]:
        """The mapping that holds every control at its path."""
        out: dict[str, Value] = {}
        for control in self.all:
            here = out
            for segment in control.path:
                below = here.setdefault(str(segment), {})
                assert isinstance(below, dict)
                here = below
            here.update(control.leaves)
        return out

    def _group_paths(self, groups: Mapping[int, tuple[int, int, str]], taken: set[Path]) -> dict[int, Path]:
        paths: dict[tuple[int, int, str], Path] = {}
        for group in dict.fromkeys(groups.values()):
            scope, _, name = group
            above = keys_of(self._document, [self._document.nodes[scope].parent], {}) if scope >= 0 else {}
            start = next(iter(above.values()), ())
            path: Path = (*start, "input", key_segment([("name", name)]))
            again = 2
            while path in taken:
                path = (*start, "input", key_segment([("name", name), ("n", again)]))
                again += 1
            taken.add(path)
            paths[group] = path
        return {number: paths[group] for number, group in groups.items()}

    def _leaves(self, number: int, name: str, groups: Mapping[int, tuple[int, int, str] | None]) -> Mapping[str, Value]:
        node = self._document.nodes[number]
        group = groups[number]
        if group is not None:
            return {"value": self._chosen([n for n, other in groups.items() if other == group])}
        leaves = self._state(node)
        if name:
            leaves["@name"] = name
        if node.state is not None and node.state.get("d") is True:
            leaves["@disabled"] = True
        return leaves

    def _chosen(self, numbers: Sequence[int]) -> Value:
        states = [self._document.nodes[number].state or {} for number in numbers]
        return next((str(state.get("v", "")) for state in states if state.get("c") is True), None)

    def _state(self, node: Node) -> dict[str, Value]:
        state = node.state or {}
        out: dict[str, Value] = {}
        if "c" in state:
            out["checked"] = state["c"] is True
            if state.get("i") is True:
                out["indeterminate"] = True
        elif "f" in state:
            out["files"] = _texts(state["f"])
        elif "v" in state and not _is_pusher(node):
            out["value"] = _value(state["v"])
        if "o" in state or "p" in state:
            out["open"] = state.get("o", state.get("p")) is True
        if state.get("e") is True:
            out["value"] = "\n".join(self._document.lines(node.number))
        return out | _claimed(node, out)


def _value(value: object) -> Value:
    if isinstance(value, dict):  # a secret, hidden before anything else saw it
        return {MARK: str(cast("dict[str, object]", value).get(MARK, ""))}
    if isinstance(value, list):
        return _texts(cast("list[object]", value))
    return None if value is None else str(value)


def _texts(values: object) -> list[Value]:
    if not isinstance(values, list):
        raise UsageError("a control's values are no list")
    return [str(value) for value in cast("list[object]", values)]


def _is_control(node: Node) -> bool:
    if node.tag in ("input", "textarea", "select", "button", "details", "dialog"):
        return True
    if node.state is not None and (node.state.get("e") or "p" in node.state):
        return True
    role = node.attributes.get("role", "").split()
    return bool(role) and role[0].lower() in ROLE_CONTROLS


def _is_pusher(node: Node) -> bool:
    return node.state is not None and node.state.get("t") in ("button", "submit", "reset", "image")


def _group(node: Node, scope: int) -> tuple[int, int, str] | None:
    """What the radio buttons of a group share: scope, form and name."""
    if node.tag != "input" or node.state is None or node.state.get("t") != "radio" or not node.attributes.get("name"):
        return None
    form = node.state.get("g", -1)
    return scope, form if isinstance(form, int) else -1, node.attributes["name"]


def _claimed(node: Node, own: Mapping[str, Value]) -> dict[str, Value]:
    """State that the page says of an element that is no native control."""
    out: dict[str, Value] = {}
    for attribute, leaf in (("aria-checked", "checked"), ("aria-pressed", "pressed"), ("aria-selected", "selected")):
        claimed = node.attributes.get(attribute, "")
        if claimed in _TRUTH and leaf not in own:
            out[leaf] = _TRUTH[claimed]
    return out
