"""The nodes of one document as the walk told them, checked."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

from exactchange.errors import UsageError
from exactchange.limits import Budget


class Node(NamedTuple):
    """An element or shadow root (with a `tag`), or a text (without); `parent` is the number of the node above or -1."""

    number: int
    parent: int
    tag: str
    attributes: Mapping[str, str]
    bits: int
    text: str
    state: Mapping[str, object] | None


def items_of(text: str, budget: Budget) -> list[object]:
    """What a line of nodes holds, unchecked but for being a list. Raises as `parse_document`."""
    budget.spend(bytes=len(text))
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"a document's nodes are no strict JSON: {error}") from error
    if not isinstance(raw, list):
        raise UsageError("a document's nodes are no list")
    budget.spend(nodes=len(cast("list[object]", raw)))
    return cast("list[object]", raw)


def nodes_of(items: Sequence[object]) -> list[Node]:
    """The nodes of a whole line. Raises UsageError when one is malformed."""
    out: list[Node] = []
    values: list[Iterable[object]] = []
    for number, item in enumerate(cast("Sequence[list[Any]]", items)):
        size = len(item) if type(item) is list else 0
        parent = item[0] if size else None
        if type(parent) is not int or not -1 <= parent < number:
            break
        if size == 2 and type(item[1]) is str:
            out.append(_new(Node, (number, parent, "", _NOTHING, 0, item[1], None)))
        elif size == 4 or size == 5:
            _, tag, attributes, bits = item[:4]
            state = item[4] if size == 5 else None
            if (type(tag), type(attributes), type(bits)) != _ELEMENT or not tag or type(state) not in _STATES:
                break
            values.append(attributes.values())
            out.append(_new(Node, (number, parent, tag, attributes, bits, "", state)))
        else:
            break
    # Asked of all together, this takes a third of the time.
    if len(out) == len(items) and _TEXTS.issuperset(map(type, chain.from_iterable(values))):
        return out
    return [node_of(number, item) for number, item in enumerate(items)]  # which says what is wrong


def node_of(number: int, item: object) -> Node:
    """The node of this number. Raises UsageError when the item is malformed."""
    if type(item) is list:
        parts = cast("list[object]", item)
        if len(parts) == 2:
            parent, text = parts
            if type(parent) is int and -1 <= parent < number and type(text) is str:
                return _new(Node, (number, parent, "", _NOTHING, 0, text, None))
        elif len(parts) == 4 or len(parts) == 5:
            parent, tag, attributes, bits, *more = parts
            state = more[0] if more else None
            if type(parent) is int and -1 <= parent < number and type(tag) is str and tag and type(bits) is int:
                if _is_mapping(attributes) and (state is None or type(state) is dict):
                    live = cast("object", state)
                    return _new(Node, (number, parent, tag, attributes, bits, "", live))
    raise UsageError(f"node {number} of a document is malformed")


def _is_mapping(value: object) -> bool:
    return type(value) is dict and _TEXTS.issuperset(map(type, cast("dict[str, object]", value).values()))


_NOTHING: Mapping[str, str] = {}
_TEXTS = frozenset([str])
_ELEMENT = (str, dict, int)
_STATES = frozenset([dict, type(None)])
# Of ten thousand nodes, the usual way of making one takes half of the time.
_new = cast("Callable[[type[Node], tuple[object, ...]], Node]", tuple.__new__)
