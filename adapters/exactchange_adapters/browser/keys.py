"""The key of an element in the tree of its page: short, readable, and the same as long as the element is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from exactchange.address import key_segment
from exactchange.values import Path
from exactchange_adapters.browser.document import SHADOW, Document, Node
from exactchange_adapters.browser.rows import LONGEST_LABEL, Rows
from exactchange_adapters.browser.wording import is_passing, stem
from exactchange_adapters.browser.wording import looks_generated as looks_generated

TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-cy", "data-qa")
STATES = frozenset("value checked indeterminate open files pressed selected".split())
"""Names of the leaves that are a control's state; all else of a control is a facet (`@name`)."""
_FRAMES = frozenset("embed frame iframe object".split())


def keys_of(document: Document, numbers: Sequence[int], names: Mapping[int, str]) -> dict[int, Path]:
    """A key for each of these elements, all different: (`#email`,) or (`input`, `name=agree`), or below an anchor.

    First of: an id of its own, a test id, `name`, accessible name less what it counts. What several share is told apart
    by the nearest element above that has an id or test id, then by what the row around it is called, then by position.
    What is in a shadow tree stands below its host, which has a key of the same kind. `names`: accessible names by
    number.
    """
    hosts = Hosts(document)
    local = _local_keys(document, numbers, names)
    return _numbered({number: (*hosts.path(document.scopes[number]), *path) for number, path in local.items()})


def _local_keys(document: Document, numbers: Sequence[int], names: Mapping[int, str]) -> dict[int, Path]:
    """The keys of elements within the scope of each, before what still shares one is numbered."""
    short = _short_keys(document, numbers, names)
    shared = _by_key(document, short)
    anchors = _Anchors(document)
    around = {number: anchors.of(number) for like in shared for number in like}
    anchored = {number: (*around.get(number, _NOWHERE).path, *path) for number, path in short.items()}
    rows = Rows(document)
    for like in _by_key(document, anchored):
        for number in like:
            row = rows.around(number, like, below=around[number].number)
            if row is not None and document.nodes[number].tag not in _FRAMES:
                here = (_tag(document.nodes[row.number]), key_segment([(row.field, row.text)]))
                anchored[number] = (*around[number].path, *here, *short[number])
    return anchored


def _short_keys(document: Document, numbers: Sequence[int], names: Mapping[int, str]) -> dict[int, Path]:
    """What each element says of itself. A count is part of a name only where nothing else tells two of them apart."""
    out: dict[int, Path] = {}
    counting: dict[tuple[int, Path], list[tuple[int, str]]] = {}
    for number in numbers:
        node, name = document.nodes[number], names.get(number, "")
        unique = _unique_id(document, node)
        kept = stem(name)
        out[number] = unique or _short(node, kept)
        if kept and not unique:
            counting.setdefault((document.scopes[number], out[number]), []).append((number, name))
    for alike in counting.values():
        if len({name for _, name in alike}) > 1:
            out |= {number: _short(document.nodes[number], name) for number, name in alike}
    return out


def _by_key(document: Document, keys: Mapping[int, Path]) -> list[list[int]]:
    """The elements of each key that several of one scope share."""
    found: dict[tuple[int, Path], list[int]] = {}
    for number, path in keys.items():
        found.setdefault((document.scopes[number], path), []).append(number)
    return [sorted(like) for like in found.values() if len(like) > 1]


def _numbered(keys: Mapping[int, Path]) -> dict[int, Path]:
    """Keys that are still shared, or that name nothing, get a position among their like."""
    shared = Counter(keys.values())
    seen: Counter[Path] = Counter()
    out: dict[int, Path] = {}
    for number, path in keys.items():
        last = str(path[-1])
        bare = "=" not in last and not last.startswith("#")
        if shared[path] == 1 and not bare:
            out[number] = path
            continue
        seen[path] += 1
        position = key_segment([("n", seen[path])])
        out[number] = (*path, position) if bare else (*path[:-1], f"{last},{position}")
    return out


def _short(node: Node, name: str) -> Path:
    test_id = _test_id(node)
    if test_id:
        return (_tag(node), key_segment([("testid", test_id)]))
    if node.attributes.get("name"):
        pairs = [("name", node.attributes["name"])]
        if node.state is not None and node.state.get("t") == "checkbox" and node.state.get("v", "on") != "on":
            pairs.append(("value", str(node.state["v"])))
        return (_tag(node), key_segment(pairs))
    if name and not is_passing(name):
        return (_tag(node), key_segment([("label", name[:LONGEST_LABEL])]))
    return (_tag(node),)


def _test_id(node: Node) -> str:
    attributes = node.attributes
    if attributes.keys().isdisjoint(TEST_IDS):  # of nearly all
        return ""
    return next((attributes[name] for name in TEST_IDS if attributes.get(name)), "")


def _tag(node: Node) -> str:
    """What an element is, as a segment: a page may call its own elements like states of those that they are in."""
    return key_segment([("tag", node.tag)]) if node.tag in STATES else node.tag


def _unique_id(document: Document, node: Node) -> Path:
    identity = node.attributes.get("id", "")
    if not identity or looks_generated(identity):
        return ()
    return (f"#{identity}",) if len(document.by_id[document.scopes[node.number], identity]) == 1 else ()


class _Anchor(NamedTuple):
    """An element that is named for good, and its key; -1 and () for none."""

    number: int
    path: Path


_NOWHERE = _Anchor(-1, ())


class _Anchors:
    """The nearest elements around others that have an id or test id that no other has."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def of(self, number: int) -> _Anchor:
        for above in self._document.ancestors(number):
            self._document.look()
            if above.tag == SHADOW:
                break
            own = _unique_id(self._document, above)
            if own:
                return _Anchor(above.number, own)
            test_id = _test_id(above)
            if test_id and self._test_ids[self._document.scopes[above.number], test_id] == 1:
                return _Anchor(above.number, (_tag(above), key_segment([("testid", test_id)])))
        return _NOWHERE

    @cached_property
    def _test_ids(self) -> Counter[tuple[int, str]]:
        scopes = self._document.scopes
        return Counter((scopes[node.number], test_id) for node in self._document.nodes if (test_id := _test_id(node)))


class Hosts:
    """Keys of shadow hosts, each worked out once: pages of web components have thousands."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._paths: dict[int, Path] = {-1: ()}

    def path(self, root: int) -> Path:
        """The key of the element whose shadow tree this is, so that what is in it stands below it; () for -1."""
        if root not in self._paths:
            host = self._document.nodes[root].parent
            self._paths[root] = (*self.path(self._document.scopes[host]), *self._own[host])
        return self._paths[root]

    @cached_property
    def _own(self) -> Mapping[int, Path]:
        """For each host its key within its scope."""
        nodes, scopes = self._document.nodes, self._document.scopes
        hosts = list(dict.fromkeys(node.parent for node in nodes if node.tag == SHADOW))
        labels = {number: _label(nodes[number]) for number in hosts}
        scoped: dict[int, dict[int, Path]] = {}
        for number, path in _local_keys(self._document, hosts, labels).items():
            scoped.setdefault(scopes[number], {})[number] = path
        return {number: path for local in scoped.values() for number, path in _numbered(local).items()}


def _label(host: Node) -> str:
    """What a host says that it is called; its content may be a whole page, and is no name."""
    return " ".join((host.attributes.get("aria-label") or host.attributes.get("title", "")).split())
