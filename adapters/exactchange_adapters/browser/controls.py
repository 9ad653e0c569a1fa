"""The controls of a document with their live state, as the part of the page's tree that holds them."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, cast

from exactchange.address import key_segment
from exactchange.errors import UsageError
from exactchange.values import Path, Value
from exactchange_adapters.browser.document import Document, Node, Sight
from exactchange_adapters.browser.editors import Editors
from exactchange_adapters.browser.keys import Hosts, keys_of
from exactchange_adapters.browser.naming import ROLE_CONTROLS, name_of, name_to_be, role_of
from exactchange_adapters.browser.references import fields_of, references
from exactchange_adapters.browser.secrets import MARK

Group: TypeAlias = tuple[int, int, str]
_NATIVE = frozenset("input textarea select button details dialog".split())
_NAMING = ("t", "g", "e")
"""What of a state says which control this is, and what is text of a page."""
_TRUTH: Mapping[str, Value] = {"true": True, "false": False, "mixed": "mixed"}


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that a person can operate: its element's number, where it stands in the tree, and its state."""

    number: int
    path: Path
    role: str
    name: str
    leaves: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which controls there are and what they are called: all of them but their state."""

    names: Mapping[int, str]
    paths: Mapping[int, Path]
    groups: Sequence[Sequence[int]]
    """The radio buttons of each group."""
    fields: Sequence[int]
    """Those that a person fills in, in document order."""


class Controls:
    """The controls of one document. The radio buttons of a group are one control: its value is the chosen one's."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def all(self) -> Sequence[Control]:
        """Every control in document order; for a group of radio buttons one entry for each button."""
        nodes, names, paths = self._document.nodes, self._plan.names, self._plan.paths
        return [Control(n, paths[n], role_of(nodes[n]), names[n], self._leaves[n]) for n in names]

    @cached_property
    def tree(self) -> Mapping[str, Value]:
        """The mapping that holds every control at its path."""
        out: dict[str, Value] = {}
        for number, path in self._plan.paths.items():
            here = out
            for segment in path:
                below = here.setdefault(str(segment), {})
                assert isinstance(below, dict)
                here = below
            here.update(self._leaves[number])
        return out

    def after(self, document: Document, changed: Collection[int]) -> "Controls":
        """The controls of a document that differs from this one in the state of these nodes only.

        What is the same in both is the same object, so that comparing them costs what the changes cost.
        """
        new = Controls(document)
        vars(new)["_plan"] = plan = self._plan
        vars(new)["_editors"] = self._editors
        leaves = dict(self._leaves)
        for number in changed:
            if number in leaves:
                leaves[number] = new._leaves_of(number, plan.names[number])
        touched = frozenset(changed)
        for members in plan.groups:
            if not touched.isdisjoint(members):
                leaves |= dict.fromkeys(members, {"value": new._chosen(members)})
        vars(new)["_leaves"] = leaves
        edits = ((plan.paths[number], self._leaves[number], leaves[number]) for number in leaves.keys() & touched)
        vars(new)["tree"] = _with(self.tree, edits)
        return new

    @cached_property
    def undrawn(self) -> Sequence[tuple[Path, str]]:
        """Places of editors' text of which the page does not hold all, with the reason: no leaf stands there."""
        return [((*self._plan.paths[number], "value"), why) for number, why in self._editors.unread.items()]

    @cached_property
    def _editors(self) -> Editors:
        return Editors(self._document)

    @cached_property
    def _plan(self) -> _Plan:
        editors = self._editors
        numbers = [node.number for node in self._document.nodes if _is_control(node) or node.number in editors]
        names = {number: name_of(self._document, number) for number in numbers}
        grouped: dict[Group, list[int]] = {}
        single: list[int] = []
        for number in numbers:
            group = _group(self._document.nodes[number], self._document.scopes[number])
            (single if group is None else grouped.setdefault(group, [])).append(number)
        # What is hidden now keeps its address when it is shown, and so do the others of its name.
        called = {number: name or name_to_be(self._document, number) for number, name in names.items()}
        paths = keys_of(self._document, single, called)
        for path, members in self._group_paths(grouped, set(paths.values())):
            paths |= dict.fromkeys(members, path)
        return _Plan(
            names,
            {number: paths[number] for number in numbers},
            list(grouped.values()),
            fields_of(self._document, numbers),
        )

    @cached_property
    def _leaves(self) -> Mapping[int, Mapping[str, Value]]:
        chosen: dict[int, dict[str, Value]] = {}
        for members in self._plan.groups:
            chosen |= dict.fromkeys(members, {"value": self._chosen(members)})
        return {n: chosen.get(n) or self._leaves_of(n, name) for n, name in self._plan.names.items()}

    def _group_paths(
        self, grouped: Mapping[Group, Sequence[int]], taken: set[Path]
    ) -> Iterator[tuple[Path, Sequence[int]]]:
        hosts, tried = Hosts(self._document), Counter[Path]()
        for (scope, _, name), members in grouped.items():
            start = hosts.path(scope)
            path: Path = (*start, "input", key_segment([("name", name)]))
            first = path
            while path in taken:
                tried[first] += 1
                path = (*start, "input", key_segment([("name", name), ("n", tried[first] + 1)]))
            taken.add(path)
            yield path, members

    def _leaves_of(self, number: int, name: str) -> dict[str, Value]:
        node = self._document.nodes[number]
        leaves = self._state(node)
        if name:
            leaves["@name"] = name
        leaves |= references(self._document, number, self._plan.paths[number], self._plan.fields)
        if node.state is not None and node.state.get("d") is True:
            leaves["@disabled"] = True
        if node.state is not None and node.state.get("s") == 1:
            leaves["@type"] = str(node.state.get("t", ""))  # a password that is shown is one for all to read
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
        if node.number in self._editors.texts:
            out["value"] = self._editors.texts[node.number]
        elif state.get("e") is True and node.number not in self._editors.unread:
            out["value"] = "\n".join(self._document.lines(node.number, sight=Sight.SAID))  # wherever it is scrolled to
        return out | _claimed(node, out)


def only_states_differ(before: Node, after: Node) -> bool:
    """Whether nothing but a control's own state differs between two nodes in one place: no name and no key of any."""
    old, new = before.state, after.state
    if not after.tag or before[:5] != after[:5] or old is None or new is None:
        return False
    named = {*_NAMING, *(("v",) if old.get("t") == "checkbox" else ())}
    return all(old.get(field) == new.get(field) for field in named)


def _with(
    tree: Mapping[str, Value], edits: Iterable[tuple[Path, Mapping[str, Value], Mapping[str, Value]]]
) -> Mapping[str, Value]:
    """The tree with other leaves at some paths, each given with the old and the new ones; all else in it is shared."""
    top = dict(tree)
    own = {id(top)}  # mappings of this tree, each copied once however many edits are in it
    for path, old, new in edits:
        here = top
        for segment in map(str, path):
            below = here[segment]
            assert isinstance(below, Mapping)
            if id(below) not in own:
                here[segment] = below = dict(below)
                own.add(id(below))
            here = cast("dict[str, Value]", below)
        for field in old:
            here.pop(field, None)
        here.update(new)
    return top


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
    if node.tag in _NATIVE:
        return True
    if node.state is not None and (node.state.get("e") or "p" in node.state):
        return True
    role = node.attributes.get("role", "")
    return bool(role) and (role.split() or [""])[0].lower() in ROLE_CONTROLS


def _is_pusher(node: Node) -> bool:
    return node.state is not None and node.state.get("t") in ("button", "submit", "reset", "image")


def _group(node: Node, scope: int) -> Group | None:
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
