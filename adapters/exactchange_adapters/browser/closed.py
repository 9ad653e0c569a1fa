"""Closed shadow trees of a page on which many elements might have one: the browser is asked for all of them at once."""

from collections.abc import Mapping, Sequence
from typing import cast

SNAPSHOT: Mapping[str, object] = {"computedStyles": []}
"""What `DOMSnapshot.captureSnapshot` is asked for: the least that it says, and the quickest way to hear of none."""
WHOLE: Mapping[str, object] = {"depth": -1, "pierce": True}
"""What `DOM.describeNode` is asked for of the document's element."""


def any_closed(answer: Mapping[str, object], frame: str) -> bool:
    """Whether anything in a frame's document is in a closed shadow tree, as `DOMSnapshot.captureSnapshot` tells."""
    strings = cast("Sequence[str]", answer["strings"])
    for document in cast("Sequence[Mapping[str, object]]", answer["documents"]):
        number = cast("int", document["frameId"])
        if 0 <= number < len(strings) and strings[number] == frame:
            nodes = cast("Mapping[str, object]", document["nodes"])
            kinds = cast("Mapping[str, Sequence[int]]", nodes.get("shadowRootType", {"value": ()}))
            if "closed" in {strings[kind] for kind in kinds["value"]}:
                return True
    return False


def closed_roots(answer: Mapping[str, object]) -> list[int]:
    """Backend ids of the closed shadow roots at and below a node, as `DOM.describeNode` tells; not those of frames."""
    out: list[int] = []
    todo = [cast("Mapping[str, object]", answer["node"])]
    while todo:
        node = todo.pop()
        if node.get("shadowRootType") == "closed":
            out.append(cast("int", node["backendNodeId"]))
        for below in ("children", "shadowRoots"):
            todo += cast("Sequence[Mapping[str, object]]", node.get(below, ()))
    return out
