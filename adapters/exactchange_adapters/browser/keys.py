"""The key of an element in the tree of its page: short, readable, and the same as long as the element is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

from exactchange.address import key_segment
from exactchange.values import Path
from exactchange_adapters.browser.document import SHADOW, Document, Node

TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-cy", "data-qa")
LONGEST_LABEL = 80
STATES = frozenset("value checked indeterminate open files pressed selected".split())
"""Names of the leaves that are a control's state; all else of a control is a facet (`@name`)."""

# An id made by a machine names another element after the next rendering.
_GENERATED = re.compile(
    r"""[0-9a-f]{8,} | \d{5,} | :\w*: | «\w+» | _r_\w+_ | ^(?:ember|yui_|ext-gen|gwt-uid-|jsx?-|mui-|radix-|headlessui-|
        react-|rc[-_]|cdk-|mat-[a-z-]+-|ng-|svelte-|uid[-_]?|uuid|auto[-_]?(?:id|gen))[\w:-]*\d | ^\d+$ | ^.$^""",
    re.VERBOSE | re.IGNORECASE,
)
# A name that tells a time is another one after a while: a clock, a date, how long ago something was.
_PASSING = re.compile(
    r"""\b\d{1,2}:\d{2}\b | \b\d{4}-\d{2}-\d{2}\b | \b\d{1,2}[./]\d{1,2}[./](?:\d{2}|\d{4})\b | \bjust\ now\b |
        \b(?:\d+|an?|last)\s?(?:s|secs?|seconds?|m|mins?|minutes?|hr?s?|hours?|d|days?|w|wks?|weeks?|mos?|months?|
        y|yrs?|years?)\ ago\b""",
    re.VERBOSE | re.IGNORECASE,
)


def keys_of(document: Document, numbers: Sequence[int], names: Mapping[int, str]) -> dict[int, Path]:
    """A key for each of these elements, all different: (`#email`,) or (`input`, `name=agree`), or below an anchor.

    First of: an id of its own, a test id, `name`, accessible name. What several share is told apart by the nearest
    element above that has an id or test id, then by position. What is in a shadow tree stands below its host, which has
    a key of the same kind. `names`: accessible names by number.
    """
    hosts = _Hosts(document)
    local = _local_keys(document, numbers, names)
    return _numbered({number: (*hosts.path(document.scopes[number]), *path) for number, path in local.items()})


def _local_keys(document: Document, numbers: Sequence[int], names: Mapping[int, str]) -> dict[int, Path]:
    """The keys of elements within the scope of each, before what still shares one is numbered."""
    unique = {number: _unique_id(document, document.nodes[number]) for number in numbers}
    short = {number: unique[number] or _short(document.nodes[number], names.get(number, "")) for number in numbers}
    scopes = {number: document.scopes[number] for number in numbers}
    shared = Counter((scopes[number], short[number]) for number in numbers)
    local: dict[int, Path] = {}
    for number in numbers:
        anchor = _anchor(document, number) if shared[scopes[number], short[number]] > 1 else ()
        local[number] = (*anchor, *short[number])
    return local


def path_of_host(document: Document, root: int) -> Path:
    """The key of the element whose shadow tree this is, so that what is in it stands below it; () for -1."""
    return _Hosts(document).path(root)


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
    if name and not _PASSING.search(name):
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


@lru_cache(maxsize=50_000)
def looks_generated(identity: str) -> bool:
    """Whether an id was probably made up by a framework."""
    return _GENERATED.search(identity) is not None


def _anchor(document: Document, number: int) -> Path:
    for above in document.ancestors(number):
        if above.tag == SHADOW:
            return ()
        own = _unique_id(document, above)
        if own:
            return own
        test_id = _test_id(above)
        if test_id:
            return (_tag(above), key_segment([("testid", test_id)]))
    return ()


class _Hosts:
    """Keys of shadow hosts, each worked out once: pages of web components have thousands."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._paths: dict[int, Path] = {-1: ()}

    def path(self, root: int) -> Path:
        """See `path_of_host`."""
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
