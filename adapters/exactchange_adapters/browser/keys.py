"""The key of an element in the tree of its page: short, readable, and the same as long as the element is."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from exactchange.address import key_segment
from exactchange.values import Path
from exactchange_adapters.browser.document import SHADOW, Document, Node

TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-cy", "data-qa")
LONGEST_LABEL = 80

# An id made by a machine names another element after the next rendering.
_GENERATED = re.compile(
    r"""[0-9a-f]{8,} | \d{5,} | :\w*: | «\w+» | _r_\w+_ | ^(?:ember|yui_|ext-gen|gwt-uid-|jsx?-|mui-|radix-|headlessui-|
        react-|rc[-_]|cdk-|mat-[a-z-]+-|ng-|svelte-|uid[-_]?|uuid|auto[-_]?(?:id|gen))[\w:-]*\d | ^\d+$ | ^.$^""",
    re.VERBOSE | re.IGNORECASE,
)
Base = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def keys_of(document: Document, numbers: Sequence[int], names: Mapping[int, str]) -> dict[int, Path]:
    """A key for each of these elements, all different: (`#email`,) or (`input`, `name=agree`), or below an anchor.

    First of: an id of its own, a test id, `name`, accessible name. What several share is told apart by the nearest
    element above that has an id or test id, then by position. `names`: accessible names by number.
    """
    unique = {number: _unique_id(document, document.nodes[number]) for number in numbers}
    short = {number: unique[number] or _short(document.nodes[number], names.get(number, "")) for number in numbers}
    hosts = {number: _host(document, number) for number in numbers}
    shared = Counter((hosts[number], short[number]) for number in numbers)
    qualified: dict[int, Path] = {}
    for number in numbers:
        anchor = _anchor(document, number) if shared[hosts[number], short[number]] > 1 else ()
        qualified[number] = (*anchor, *short[number])
    full = {number: (*_host_path(document, hosts[number]), *qualified[number]) for number in numbers}
    return _numbered(document, full)


def _numbered(document: Document, keys: Mapping[int, Path]) -> dict[int, Path]:
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
    for attribute in TEST_IDS:
        if node.attributes.get(attribute):
            return (node.tag, key_segment([("testid", node.attributes[attribute])]))
    if node.attributes.get("name"):
        pairs = [("name", node.attributes["name"])]
        if node.state is not None and node.state.get("t") == "checkbox" and node.state.get("v", "on") != "on":
            pairs.append(("value", str(node.state["v"])))
        return (node.tag, key_segment(pairs))
    if name:
        return (node.tag, key_segment([("label", name[:LONGEST_LABEL])]))
    return (node.tag,)


def _unique_id(document: Document, node: Node) -> Path:
    identity = node.attributes.get("id", "")
    if not identity or looks_generated(identity):
        return ()
    return (f"#{identity}",) if len(document.by_id[document.scopes[node.number], identity]) == 1 else ()


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
        for attribute in TEST_IDS:
            if above.attributes.get(attribute):
                return (above.tag, key_segment([("testid", above.attributes[attribute])]))
    return ()


def _host(document: Document, number: int) -> int:
    """The number of the shadow root that an element is in, -1 for none."""
    return document.scopes[number]


def _host_path(document: Document, root: int) -> Path:
    """The key of the element whose shadow tree this is, so that what is in it stands below it."""
    if root < 0:
        return ()
    host = document.nodes[document.nodes[root].parent]
    outer = _host_path(document, document.scopes[host.number])
    own = _unique_id(document, host)
    if own:
        return (*outer, *own)
    like = [
        node.number
        for node in document.nodes
        if node.tag == host.tag and document.scopes[node.number] == document.scopes[host.number]
    ]
    return (*outer, host.tag, key_segment([("n", like.index(host.number) + 1)]))
