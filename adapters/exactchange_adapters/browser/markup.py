"""A document from its markup, by Lexbor: the nodes that a walk of the live page would give, with no script run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from exactchange.errors import OverBudget
from exactchange_adapters.browser.defaults import (
    Option,
    input_type,
    input_value,
    kept_attributes,
    option_value,
    selected,
    shows_several,
)
from exactchange_adapters.browser.document import BOXED, SHADOW
from exactchange_adapters.browser.saying import MOST_BYTES, MOST_NODES
from exactchange_adapters.browser.styling import REPLACED, Shown, shown

Json: TypeAlias = "str | int | bool | None | Sequence[Json] | Mapping[str, Json]"

DEEPEST = 512
"""Browsers nest no deeper while they parse: what is deeper they put elsewhere."""
_NO_CONTENT = frozenset("script style noscript template".split())
_DISABLED = frozenset("button input select textarea".split())
_HTML_IN_DRAWING = frozenset("foreignObject desc title mi mo mn ms mtext annotation-xml".split())
_WORD = re.compile(r"[^\s\ufeff]")
FRAMES = frozenset(["iframe", "frame"])


class _Above(NamedTuple):
    """What stands around a node matters for it; `slots` by name, where what is in them shows, and None elsewhere."""

    parent: int = -1
    depth: int = 0
    shown: Shown = Shown()
    drawn: bool = False
    disabled: bool = False
    editable: bool = False
    form: int | None = None
    scope: int = -1
    slots: "Mapping[str, Shown] | None" = None
    tree: "dict[str, Shown] | None" = None
    filled: frozenset[str] = frozenset()
    options: "list[Option] | None" = None
    listed: bool = True
    """Whether what is in a list stands on the page, and not in what drops down."""


@dataclass
class Markup:
    """What a document's markup tells: its nodes, as a walk has them, its title, and the frames that stand in it."""

    nodes: list[list[Json]] = field(default_factory=list[list[Json]])
    title: str = ""
    frames: list[tuple[int, Mapping[str, str]]] = field(default_factory=list[tuple[int, Mapping[str, str]]])
    """By number of the element, with its attributes."""
    styled: bool = False
    """Whether it has stylesheets, which may hide what counts as seen here."""


def read_markup(html: str) -> Markup:
    """The document. Raises OverBudget where it is too large or nested too deep."""
    top = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS, scripting=True).root
    walk = _Walk()
    if top is not None:
        walk.run(top)
    return walk.out


class _Walk:
    def __init__(self) -> None:
        self.out = Markup()
        self._todo: list[tuple[LexborNode, _Above, bool]] = []
        self._size = 0
        self._lists: list[tuple[int, list[Option], Mapping[str, str]]] = []
        self._forms: dict[tuple[int, str], int] = {}
        self._ticks: list[tuple[int, int, Mapping[str, str]]] = []

    def run(self, top: LexborNode) -> None:
        """Every node from this one down, in document order, shadow trees before what else is in their hosts."""
        self._todo.append((top, _Above(), False))
        while self._todo:
            node, above, is_root = self._todo.pop()
            if len(self.out.nodes) > MOST_NODES or self._size > MOST_BYTES:
                raise OverBudget("the document is too large to read")
            if above.depth > DEEPEST:
                raise OverBudget(f"it is nested deeper than {DEEPEST} elements, of which browsers make another tree")
            if is_root:
                self._shadow(node, above)
            elif node.is_text_node:
                self._keep([above.parent, node.text_content or ""], len(node.text_content or ""))
            else:
                self._element(node, above)
        for number, options, attributes in self._lists:
            chosen = selected(options, multiple="multiple" in attributes, size=attributes.get("size", ""))
            _state(self.out.nodes[number])["v"] = chosen
        self._settle_ticks()

    def _keep(self, record: list[Json], size: int) -> int:
        self.out.nodes.append(record)
        self._size += size + 8
        return len(self.out.nodes) - 1

    def _shadow(self, fragment: LexborNode, above: _Above) -> None:
        number = self._keep([above.parent, SHADOW, {}, BOXED if above.shown.boxed else 0], 16)
        inner = above._replace(parent=number, depth=above.depth + 1, scope=number, editable=False, form=None)
        self._below(list(_children(fragment)), inner)

    def _element(self, node: LexborNode, above: _Above) -> None:
        tag = str(node.tag)
        given = {name: value or "" for name, value in node.attributes.items()}
        drawn = above.drawn or tag in ("svg", "math")
        children = [] if tag in _NO_CONTENT else list(_children(node))
        has_text = any(child.is_text_node and _WORD.search(child.text_content or "") for child in children)
        light = above.shown
        if above.slots is not None:  # in a host: it stands where a slot is for it, or nowhere
            light = above.slots.get(given.get("slot", ""), light._replace(boxed=False))
        if not above.listed:
            light = light._replace(boxed=False)
        folded = tag == "details" and "open" not in given
        bits, inside = shown(tag, given, light, drawn=drawn, has_text=has_text, folded=folded)
        editable = above.editable if drawn else _editable(given, above.editable)
        number = len(self.out.nodes)
        record: list[Json] = [above.parent, tag, {}, bits]
        state = None if drawn else self._state_of(tag, given, above, number, node)
        if not drawn and state is None and editable and not above.editable:
            state = {"e": True}
        if not drawn and "popover" in given:
            state = {**(state or {}), "p": False}
        record[2] = kept = kept_attributes(tag, given, hidden=state is not None and "s" in state)
        self._keep(record if state is None else [*record, state], sum(len(k) + len(v) + 8 for k, v in kept.items()))
        self._note(tag, given, number, drawn, node, above)
        inner = _Above(
            number, above.depth + 1, inside._replace(boxed=inside.boxed and tag not in REPLACED),
            (above.drawn or drawn) and tag not in _HTML_IN_DRAWING, above.disabled, editable,
            number if tag == "form" and not drawn else above.form, above.scope, None, above.tree, above.filled,
            above.options, above.listed,
        )  # fmt: skip
        self._inside(node, tag, given, children, inner, above)

    def _inside(
        self, node: LexborNode, tag: str, given: Mapping[str, str], children: list[LexborNode], inner: _Above,
        above: _Above,
    ) -> None:  # fmt: skip
        """Put what is in an element on the list, with what the element means for it."""
        if tag == "select" and not inner.drawn:
            several = "multiple" in given or shows_several(given.get("size", ""))
            inner = inner._replace(options=self._lists[-1][1], listed=several, disabled=False)
        if tag in ("fieldset", "optgroup") and "disabled" in given:
            inner = inner._replace(disabled=True)
        if tag == "slot" and above.tree is not None:
            above.tree.setdefault(given.get("name", ""), inner.shown)
            if given.get("name", "") in above.filled:
                inner = inner._replace(shown=inner.shown._replace(boxed=False))
        root = next((child for child in children if _is_shadow(child)), None)
        if root is not None:
            children = [child for child in children if child is not root]
            tree: dict[str, Shown] = {}
            self._below(children, inner._replace(slots=tree))
            filled = frozenset(
                (child.attributes.get("slot") or "") if child.is_element_node else ""
                for child in children
                if child.is_element_node or _WORD.search(child.text_content or "")
            )
            fragment = root.template_fragments()[0]
            self._todo.append((fragment, inner._replace(tree=tree, filled=filled), True))
        elif tag == "details" and "open" not in given:
            self._fold(children, inner)
        elif tag == "fieldset" and inner.disabled:
            self._unfold(children, inner, above.disabled)
        else:
            self._below(children, inner)

    def _fold(self, children: list[LexborNode], inner: _Above) -> None:
        """Of details that are shut, only the summary shows."""
        summary = next((child for child in children if child.tag == "summary"), None)
        shut = inner._replace(shown=inner.shown._replace(boxed=False))
        self._todo += [(child, inner if child is summary else shut, False) for child in reversed(_worth(children))]

    def _unfold(self, children: list[LexborNode], inner: _Above, disabled: bool) -> None:
        """What is in the legend of a fieldset that is disabled can be used all the same."""
        legend = next((child for child in children if child.tag == "legend"), None)
        free = inner._replace(disabled=disabled)
        self._todo += [(child, free if child is legend else inner, False) for child in reversed(_worth(children))]

    def _below(self, children: list[LexborNode], inner: _Above) -> None:
        self._todo += [(child, inner, False) for child in reversed(_worth(children))]

    def _state_of(
        self, tag: str, given: Mapping[str, str], above: _Above, number: int, node: LexborNode
    ) -> dict[str, Json] | None:
        state: dict[str, Json]
        if tag == "input":
            kind = input_type(given)
            state = {"t": kind}
            if kind == "password":
                state["s"] = 1
            if kind == "file":
                state["f"] = ()
            else:
                state["v"] = input_value(kind, given)
            if kind in ("checkbox", "radio"):
                state["c"] = "checked" in given
                if above.form is not None:
                    state["g"] = above.form
                self._ticks.append((number, above.scope, given))
        elif tag == "textarea":
            state = {"v": node.text() or ""}
        elif tag == "select":
            state = {"v": None}
            self._lists.append((number, [], given))
        elif tag in ("details", "dialog"):
            return {"o": "open" in given}
        elif tag == "button":
            state = {}
        else:
            return None
        if "disabled" in given or above.disabled:
            state["d"] = True
        return state

    def _note(
        self, tag: str, given: Mapping[str, str], number: int, drawn: bool, node: LexborNode, above: _Above
    ) -> None:
        """What is to be known of an element besides its record."""
        if tag == "style" or (tag == "link" and "stylesheet" in given.get("rel", "").lower().split()):
            self.out.styled = True
        if drawn:
            return
        if tag in FRAMES:
            self.out.frames.append((number, given))
        elif tag == "form" and given.get("id"):
            self._forms.setdefault((above.scope, given["id"]), number)
        elif tag == "title" and not self.out.title:
            self.out.title = " ".join((node.text() or "").split())
        elif tag == "option" and above.options is not None:
            value = option_value(given, node.text() or "")
            above.options.append(Option(value, "selected" in given, "disabled" in given or above.disabled))

    def _settle_ticks(self) -> None:
        """Boxes that name their form, and groups of radio buttons: the last that the markup ticks is the one."""
        taken: set[tuple[int, object, str]] = set()
        for number, scope, given in reversed(self._ticks):
            state = _state(self.out.nodes[number])
            if "form" in given:
                state.pop("g", None)
                owner = self._forms.get((scope, given["form"]))
                if owner is not None:
                    state["g"] = owner
            if state["t"] == "radio" and state["c"] and given.get("name"):
                group = (scope, state.get("g"), given["name"])
                state["c"] = group not in taken
                taken.add(group)


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _worth(children: list[LexborNode]) -> list[LexborNode]:
    """Less comments, and less white space that keeps no neighbours apart."""
    last = len(children) - 1
    return [
        child
        for place, child in enumerate(children)
        if child.is_element_node
        or (child.is_text_node and (0 < place < last or _WORD.search(child.text_content or "")) and child.text_content)
    ]


def _is_shadow(node: LexborNode) -> bool:
    return node.tag == "template" and (node.attributes.get("shadowrootmode") or "").lower() in ("open", "closed")


def _state(record: list[Json]) -> dict[str, Json]:
    state = record[4]
    assert isinstance(state, dict)
    return state


def _editable(given: Mapping[str, str], above: bool) -> bool:
    said = given.get("contenteditable", "inherit").lower()
    return said in ("", "true", "plaintext-only") or (above and said != "false")
