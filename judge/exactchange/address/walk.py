"""Walking a value tree by path, with list items named by their identity where they have one."""

from collections.abc import Iterator, Mapping, Sequence

from exactchange.address.keys import key_segment
from exactchange.values import ABSENT, Path, State, Value, sealed
from exactchange.values.canonical import canonical_bytes

IDENTITY_FIELDS = ("id", "key", "name")
"""A list of mappings is keyed by the first of these that every item has, as a scalar, unique in the list."""


def identity_field(*lists: Sequence[Value]) -> str | None:
    """The field by which the items of all these lists can be told apart, or None: then position tells them."""
    for field in IDENTITY_FIELDS:
        if any(lists) and all(_unique(items, field) for items in lists):
            return field
    return None


def item_segment(item: Value, field: str) -> str:
    """The segment of a list item that is keyed by this field."""
    assert isinstance(item, Mapping)
    value = item[field]
    assert not isinstance(value, Mapping) and (isinstance(value, str | bytes) or not isinstance(value, Sequence))
    return key_segment([(field, value)])


def lookup(value: State, path: Path) -> State:
    """What stands at a path: ABSENT when nothing does."""
    for segment in path:
        value = _child(value, segment)
        if value is ABSENT:
            return ABSENT
    return value


def nodes(value: State, path: Path = ()) -> Iterator[tuple[Path, Value]]:
    """Every node of a tree with its path, parents first; iterative, so that depth cannot exhaust the stack."""
    stack: list[tuple[Path, State]] = [(path, value)]
    while stack:
        here, node = stack.pop()
        if node is ABSENT:
            continue
        yield here, node
        stack.extend(reversed([(here + (segment,), child) for segment, child in children(node)]))


def children(node: Value) -> Iterator[tuple[str | int, Value]]:
    """The segments below a node: keys of a mapping, sorted (its order is no state, and a recording does not keep it);
    identities or positions of a list, none of a scalar.
    """
    if sealed(node):
        return  # a secret is one value, whatever its seal looks like
    if isinstance(node, Mapping):
        for name in sorted(node):
            yield name, node[name]
    elif isinstance(node, Sequence) and not isinstance(node, str | bytes):
        field = identity_field(node)
        for number, item in enumerate(node):
            yield (number if field is None else item_segment(item, field)), item


def _child(value: State, segment: str | int) -> State:
    if isinstance(value, Mapping):
        return value.get(segment, ABSENT) if isinstance(segment, str) else ABSENT
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return ABSENT
    if isinstance(segment, int):
        return value[segment] if segment < len(value) else ABSENT
    field = segment.partition("=")[0]
    if field not in IDENTITY_FIELDS:
        return ABSENT
    return next((item for item in value if has_identity(item, field) and item_segment(item, field) == segment), ABSENT)


def has_identity(item: Value, field: str) -> bool:
    """Whether a list item is a mapping with a scalar in this field."""
    if not isinstance(item, Mapping) or field not in item:
        return False
    value = item[field]
    return not isinstance(value, Mapping) and (isinstance(value, str | bytes) or not isinstance(value, Sequence))


def _unique(items: Sequence[Value], field: str) -> bool:
    seen: set[bytes] = set()
    for item in items:
        if not has_identity(item, field):
            return False
        assert isinstance(item, Mapping)
        seen.add(canonical_bytes(item[field]))
    return len(seen) == len(items)
