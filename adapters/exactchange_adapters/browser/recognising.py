"""Whether a selector stands for an element that something was done to: by what was told of it, and by pages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import ValidationError

from exactchange.errors import ExactChangeError
from exactchange.limits import Budget
from exactchange.snapshot import Snapshot
from exactchange.values import Value
from exactchange_adapters.browser.document import SHADOW, Document, Node, parse_document
from exactchange_adapters.browser.element import places_of
from exactchange_adapters.browser.keys import TEST_IDS
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.roles import told_role
from exactchange_adapters.browser.select import numbers_in, numbers_of, opened
from exactchange_adapters.browser.snapshot import PageSnapshot

_QUOTED = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
# What asks for neighbours, or for what is inside: these are not known of an element that is told alone.
_NEIGHBOURS = re.compile(r"[+~](?!=)|:(?!(?:is|not|where|checked|disabled|root)\b)", re.IGNORECASE)
# What asks for attributes that a witness does not tell; see witness.js.
_UNTOLD = re.compile(
    r"\[\s*(?:on|style|srcdoc|nonce|value|data-[\w-]*(?:passw|secret|token|csrf|xsrf|nonce|api))", re.I
)
_LONGEST_TOLD: Final = 200
_MOST_TOLD: Final = 30
_IDENTITY: Final = (*TEST_IDS, "id", "name", "role", "type")


@dataclass(frozen=True, slots=True)
class _Seen:
    """An element as it is recorded, with all around it: `at` is the control, `hit` the innermost that was hit."""

    document: Document
    at: int
    hit: int
    places: Sequence[tuple[int, int]] | None
    loose: bool
    free: bool
    cut: bool

    @property
    def chain(self) -> Sequence[Node]:
        """All from the outermost to the innermost."""
        return self.document.nodes[: self.hit + 1]


def is_element(
    element: Mapping[str, Value],
    fields: Mapping[str, Value],
    *,
    pages: Sequence[Snapshot],
    around: bool,
    budget: Budget,
) -> bool | None:
    """See `exactchange.sources.witnessing.Recognising`."""
    try:
        seen = _seen(element, budget)
        if seen is None:
            return None
        if around:
            seen = replace(seen, at=0, free=False)
        selector = ElementSelector.model_validate(dict(fields))
        told = _as_told(seen, selector)
        if told is None or (told is False and seen.free):  # what is hit in a closed shadow tree is told as its host
            return _on_pages(seen, selector, pages, told, budget)
        return told
    except (ValidationError, ExactChangeError):
        return None


def _seen(element: Mapping[str, Value], budget: Budget) -> _Seen | None:
    nodes, at, hit = element.get("nodes"), element.get("at"), element.get("hit")
    if not isinstance(nodes, str) or not isinstance(at, int) or not isinstance(hit, int):
        return None
    document = parse_document(nodes, budget=budget)
    if not 0 <= at <= hit < len(document.nodes):
        return None
    loose, free, cut = (element.get(name) is True for name in ("loose", "free", "cut"))
    return _Seen(document, at, hit, places_of(element.get("places")), loose, free, cut)


def _as_told(seen: _Seen, selector: ElementSelector) -> bool | None:
    """What the nodes themselves tell; None where they do not tell enough."""
    if seen.cut or (selector.css is not None and _asks_for_more(seen, selector.css)):
        return None
    found = [number for number in numbers_of(seen.document, selector) if number <= seen.hit]
    if any(seen.at <= number for number in found):
        return True
    if any(_may_be_meant(seen, number) for number in found):
        return None
    return None if _may_be_called_so(seen, selector) else False


def _may_be_called_so(seen: _Seen, selector: ElementSelector) -> bool:
    """Whether names and texts may be other ones than those that are told, which are the control's own text alone."""
    if selector.role is not None:
        inside = seen.chain[seen.at + 1 :]
        return seen.loose or any(told_role(seen.document, node) == selector.role for node in inside)
    return selector.text is not None or (selector.label is not None and seen.loose)


def _asks_for_more(seen: _Seen, css: str) -> bool:
    if _NEIGHBOURS.search(_QUOTED.sub("", css)) or _UNTOLD.search(css):
        return True
    if seen.places is not None and any(above != number - 1 for number, (above, _) in enumerate(seen.places)):
        return True  # it is shown in a slot, and stands elsewhere
    every = [node.attributes for node in seen.chain]
    return any(len(told) >= _MOST_TOLD or any(len(v) >= _LONGEST_TOLD for v in told.values()) for told in every)


def _may_be_meant(seen: _Seen, number: int) -> bool:
    """Whether what is around the control may be what something was done to: a box without one, a web component."""
    inside = seen.chain[number + 1 : seen.at + 1]
    return seen.free or any(node.tag == SHADOW and node.parent == number for node in inside)


def _on_pages(
    seen: _Seen, selector: ElementSelector, pages: Sequence[Snapshot], told: bool | None, budget: Budget
) -> bool | None:
    """What the first page tells on which the element stands where it was: None where frames differ, `told` of none."""
    for page in pages:
        answers: set[bool | None] = set()
        for stored in page.documents if isinstance(page, PageSnapshot) else ():
            document = opened(stored.packed)
            budget.spend(nodes=len(document.nodes))
            numbers = _located(seen, document)
            if numbers is not None:
                found = set(numbers_in(stored, selector, budget=budget))
                answers.add(_among(seen, document, numbers, found))
        if answers:
            return answers.pop() if len(answers) == 1 else None
    return told


def _among(seen: _Seen, document: Document, numbers: Sequence[int], found: set[int]) -> bool | None:
    if not found.isdisjoint(numbers[seen.at :]):
        return True
    around = (number for number, there in enumerate(numbers[: seen.at]) if there in found)
    if any(_may_be_meant(seen, number) for number in around):
        return None
    trees = {number for number in document.children[numbers[-1]] if document.nodes[number].tag == SHADOW}
    return None if trees and any(_is_in(document, number, trees) for number in found) else False


def _is_in(document: Document, number: int, trees: set[int]) -> bool:
    return any(node.number in trees for node in document.ancestors(number))


def _located(seen: _Seen, document: Document) -> Sequence[int] | None:
    """The numbers in a document of all from the outermost to the innermost; None where others stand there."""
    if seen.places is None or len(seen.places) != seen.hit + 1:
        return None
    out: list[int] = []
    for node, (above, position) in zip(seen.chain, seen.places, strict=True):
        if above < 0:
            number = 0 if not out and document.nodes else None
        elif node.tag == SHADOW:
            number = next((n for n in document.children[out[above]] if document.nodes[n].tag == SHADOW), None)
        else:
            below = [n for n in document.children[out[above]] if document.nodes[n].tag not in ("", SHADOW)]
            number = below[position] if position < len(below) else None
        if number is None or not _same(node, document.nodes[number]):
            return None
        out.append(number)
    return out


def _same(one: Node, other: Node) -> bool:
    return one.tag == other.tag and all(_told(one, name) == _told(other, name) for name in _IDENTITY)


def _told(node: Node, name: str) -> str | None:
    value = node.attributes.get(name)
    return None if value is None else value[:_LONGEST_TOLD]
