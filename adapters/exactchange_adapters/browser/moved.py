"""Which places of a page differ between two looks at it, by address and without their values: for people to read."""

import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import cast

from exactchange.address import Style, format_path, key
from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.values import Path, Value
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import Document, parse_document
from exactchange_adapters.browser.keys import keys_of
from exactchange_adapters.browser.tab import FrameWalk

MOST_PLACES = 3
MOST_COMPARED = 2 * 1024 * 1024
"""Characters of a walk: to say which place of more of them is not worth the time."""
LONGEST_PLACE = 80
WHOLE = "what it shows"


def moved(before: FrameWalk, after: FrameWalk) -> list[str]:
    """A few places of a frame that differ, each as its address or `@text line 3`; some words where none can be told."""
    if before.loader != after.loader:
        return ["which document it shows"]
    if before.why or after.why or len(before.text) + len(after.text) > MOST_COMPARED:
        return [WHOLE]
    try:
        found = dict.fromkeys(place[:LONGEST_PLACE] for place in _places(before.text, after.text))
    except (ValueError, KeyError, UsageError, OverBudget):
        return [WHOLE]
    places = list(found)
    more = len(places) - MOST_PLACES
    return [*places[:MOST_PLACES], *([f"{more} more places"] if more > 0 else [])] or ["what it stores"]


def _places(before: str, after: str) -> Iterator[str]:
    (old_head, _, old_nodes), (new_head, _, new_nodes) = before.partition("\n"), after.partition("\n")
    if old_head != new_head:
        yield from _facets(json.loads(old_head), json.loads(new_head))
    if old_nodes != new_nodes:
        yield from _in_documents(_parsed(old_nodes), _parsed(new_nodes))


def _parsed(nodes: str) -> Document:
    return parse_document(nodes, budget=CountedBudget())


def _facets(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    for name in ("url", "title", "loaded"):
        if before[name] != after[name]:
            yield f"@{name}"
    for name in ("local", "session"):
        old, new = _items(before[name]), _items(after[name])
        for item in sorted(old.keys() | new.keys()):
            if old.get(item) != new.get(item):
                path = ("@storage", name, key(str(after["origin"])), key(item))
                yield format_path(path, style=Style.PAGE)


def _items(area: object) -> dict[str, str]:
    return {item: text for item, text in cast("list[list[str]]", area or [])}


def _in_documents(before: Document, after: Document) -> Iterator[str]:
    told = False
    for number, (old, new) in enumerate(zip_longest(before.lines(), after.lines()), 1):
        if old != new:
            told = True
            yield f"@text line {number}"
    old_leaves, new_leaves = _leaves(before), _leaves(after)
    for path in new_leaves.keys() | old_leaves.keys():
        if path not in old_leaves or path not in new_leaves or old_leaves[path] != new_leaves[path]:
            told = True
            yield format_path(path, style=Style.PAGE)
    if not told:
        yield from (place for place in _elements(before, after) if not place.startswith("title"))  # told as @title


def _leaves(document: Document) -> dict[Path, Value]:
    return {
        (*control.path, field): value for control in Controls(document).all for field, value in control.leaves.items()
    }


def _elements(before: Document, after: Document) -> Iterator[str]:
    """What differs neither in its text nor as a control: the elements, where there are as many as there were."""
    if len(before.nodes) != len(after.nodes):
        yield "its elements"
        return
    pairs = zip(before.nodes, after.nodes, strict=True)
    changed = [new.number if new.tag else new.parent for old, new in pairs if old != new]
    names = keys_of(after, [number for number in dict.fromkeys(changed) if number >= 0], {})
    for path in names.values():
        yield format_path(path, style=Style.PAGE)
