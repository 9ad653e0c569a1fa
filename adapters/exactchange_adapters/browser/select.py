"""Selectors on a stored snapshot: by CSS, role and name, label, test id or text, in every frame and shadow tree."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from exactchange.address import Style, format_path, lookup
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import Budget, CountedBudget
from exactchange.sources import Match
from exactchange.values import ABSENT, Path, State, Value
from exactchange_adapters.browser.controls import Control, Controls
from exactchange_adapters.browser.css import css_numbers
from exactchange_adapters.browser.document import BOXED, Document, Node, Sight, parse_document
from exactchange_adapters.browser.keys import STATES, TEST_IDS, keys_of
from exactchange_adapters.browser.older import RENAMED, is_older
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.roles import told_name, told_role
from exactchange_adapters.browser.showing import showing
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument


def select(snapshot: PageSnapshot, selector: ElementSelector, *, budget: Budget) -> Sequence[Match]:
    """Every element of the snapshot that the selector stands for, and of each what `field` says.

    An element that has no such field is left out. Raises UsageError when a stored document is malformed, OverBudget
    where it cannot be told what a recording of an older version calls it.
    """
    out: list[Match] = []
    for stored in snapshot.documents:
        if selector.tab is None or stored.tab == selector.tab:
            out += _in_document(stored, selector, budget)
    if is_older(snapshot):
        _as_called_there(out, snapshot)
    return out


def _as_called_there(found: Sequence[Match], snapshot: PageSnapshot) -> None:
    """Refuse what an older recording calls by another address: changes of it would not be those of what was found."""
    for match in found:
        if match.path[-1] in STATES and lookup(snapshot.tree, match.path) is ABSENT:
            raise OverBudget(f"{match.address} has another address there: {RENAMED}")


def numbers_of(document: Document, selector: ElementSelector) -> Sequence[int]:
    """Numbers of the elements of one document that a selector stands for. Raises UsageError as `select`."""
    if selector.css is not None:
        return css_numbers(document, selector.css)
    controls = {control.number: control for control in Controls(document).all}
    return _numbers(document, controls, selector, CountedBudget())


def opened(packed: bytes) -> Document:
    """A stored document. Raises UsageError when it is malformed."""
    return _opened(packed)[0]


def numbers_in(stored: StoredDocument, selector: ElementSelector, *, budget: Budget) -> Sequence[int]:
    """As `numbers_of`, of a stored document. Raises UsageError when it is malformed."""
    if selector.css is not None:
        return _by_css(stored.packed, selector.css)
    document, controls = _opened(stored.packed)
    return _numbers(document, {control.number: control for control in controls}, selector, budget)


def _in_document(stored: StoredDocument, selector: ElementSelector, budget: Budget) -> Iterator[Match]:
    document, controls = _opened(stored.packed)
    budget.spend(nodes=len(document.nodes))
    by_number = {control.number: control for control in controls}
    by_css = None if selector.css is None else _by_css(stored.packed, selector.css)
    numbers = _numbers(document, by_number, selector, budget) if by_css is None else by_css
    paths = keys_of(document, [n for n in numbers if n not in by_number], {})
    for number in numbers:
        control = by_number.get(number)
        path = (*stored.path, *(paths[number] if control is None else control.path))
        found = _field(document, number, control, selector.field)
        if found is not None and found[1] is not ABSENT:
            yield _match((*path, found[0]), found[1])


def _match(path: Path, value: State) -> Match:
    assert value is not ABSENT
    return Match(path, format_path(path, style=Style.PAGE), value)


# A task asks many things of one document, and most documents stay the same from step to step.
@lru_cache(maxsize=16)
def _opened(packed: bytes) -> tuple[Document, Sequence[Control]]:
    try:
        text = StoredDocument((), packed).text()
    except ValueError as error:
        raise UsageError(f"a stored document cannot be read: {error}") from error
    document = parse_document(text, budget=CountedBudget())
    return document, Controls(document).all


# Of many cases that are nearly alike, as in an audit, a document is asked the same again and again.
@lru_cache(maxsize=128)
def _by_css(packed: bytes, selector: str) -> Sequence[int]:
    return tuple(css_numbers(_opened(packed)[0], selector))


def _numbers(
    document: Document, controls: dict[int, Control], selector: ElementSelector, budget: Budget
) -> Sequence[int]:
    if selector.text is not None:
        return showing(document, selector.text, budget=budget)
    if selector.testid is not None:
        wanted = selector.testid
        return [n.number for n in document.nodes if any(n.attributes.get(name) == wanted for name in TEST_IDS)]
    if selector.label is not None:
        return [control.number for control in controls.values() if control.name == _spaced(selector.label)]
    assert selector.role is not None  # the model asks for one of the five
    return [
        node.number
        for node in document.nodes
        if node.tag
        and _is_there(document, node)
        and told_role(document, node) == selector.role
        and (selector.name is None or told_name(document, node) == _spaced(selector.name))
    ]


def _is_there(document: Document, node: Node) -> bool:
    """Whether it has a box, or is an entry of a list that has one: what drops down is there to be chosen."""
    if not node.bits & BOXED and node.tag in ("option", "optgroup"):
        return any(above.tag == "select" and above.bits & BOXED for above in document.ancestors(node.number))
    return node.bits & BOXED > 0


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _field(document: Document, number: int, control: Control | None, field: str | None) -> tuple[str, State] | None:
    """The last segment of the path, and the value; None when the element has no such field."""
    leaves: Mapping[str, Value] = {} if control is None else control.leaves
    if field is None:
        state = next((name for name in leaves if name in STATES), None)
        return _text(document, number) if state is None else (state, leaves[state])
    if field == "text":
        return _text(document, number)
    if field == "hidden":
        return "@hidden", "\n".join(document.lines(number, sight=Sight.HIDDEN))
    if field in STATES:
        return (field, leaves[field]) if field in leaves else None
    if field == "name":
        return "@name", told_name(document, document.nodes[number])
    if field == "role":
        return "@role", told_role(document, document.nodes[number])
    if field == "disabled":
        return "@disabled", "@disabled" in leaves
    value = document.nodes[number].attributes.get(field.removeprefix("@"))
    return None if value is None else (field, value)


def _text(document: Document, number: int) -> tuple[str, State]:
    return "@text", "\n".join(document.lines(number))
