"""Which elements take a `<label>`, and which of them a label is around."""

from collections.abc import Mapping, Sequence

from exactchange_adapters.browser.nodes import Node

LABELLED = frozenset("button input meter output progress select textarea".split())


def type_of(node: Node) -> str:
    """The type of an `<input>`: the live one, as far as it is known."""
    live = node.state.get("t") if node.state is not None else None
    return str(live) if live is not None else node.attributes.get("type", "text").lower()


def labels_around(nodes: Sequence[Node]) -> Mapping[int, list[int]]:
    """By number of a control the labels without `for` that are around it, nearest first, and around none before it."""
    found: dict[int, list[int]] = {}
    taken: set[int] = set()
    nearest: list[int] = []  # of each node the label that it is or is in; -1 for none
    for node in nodes:
        around = -1 if node.parent < 0 else nearest[node.parent]
        if _takes_labels(node):
            label = around
            while label >= 0 and label not in taken:  # what is around a label that is taken, is taken, too
                taken.add(label)
                if "for" not in nodes[label].attributes:
                    found.setdefault(node.number, []).append(label)
                label = nearest[nodes[label].parent] if nodes[label].parent >= 0 else -1
        nearest.append(node.number if node.tag == "label" else around)
    return found


def _takes_labels(node: Node) -> bool:
    return node.tag in LABELLED and not (node.tag == "input" and type_of(node) == "hidden")
