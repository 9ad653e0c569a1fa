"""Lists and grids of which a page holds only the rows in view: what is not there has not been seen, and is not gone."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from exactchange_adapters.browser.document import Document, Node

_GRIDS = frozenset(["grid", "table", "treegrid"])
_LISTS = frozenset("feed group list listbox menu radiogroup tablist tree".split())
_LIST_TAGS = frozenset(["ul", "ol", "menu"])


@dataclass(frozen=True, slots=True)
class Window:
    """A list or grid that says of itself that it has more rows than the page holds.

    `number` of its element; `total` rows that it claims, -1 where it does not know; `rows` by what each is called, with
    the number of its element.
    """

    number: int
    total: int
    rows: Mapping[str, int]

    @property
    def reason(self) -> str:
        """Why it is not whole, for people, and which part of it this is."""
        told = [int(name.removeprefix("row=")) for name in self.rows if name.startswith("row=")]
        which = f", from {min(told)} to {max(told)}" if told else ""
        return f"{len(self.rows)} of {'an unknown number of' if self.total < 0 else self.total} rows observed{which}"


def windows_of(document: Document) -> tuple[Window, ...]:
    """The lists and grids of which more rows are claimed than are there, in document order."""
    grids = set(document.having("aria-rowcount"))
    items = [document.nodes[number] for number in document.having("aria-setsize")]
    found = [*(_grids(document, grids) if grids else ()), *(_lists(document, items) if items else ())]
    return tuple(sorted(found, key=lambda window: window.number))


def _grids(document: Document, claiming: Set[int]) -> Iterator[Window]:
    owners = _nearest(document, lambda node: node.number in claiming or _is_grid(node))
    below: dict[int, list[Node]] = {}
    for node in document.nodes:
        if owners[node.number] in claiming and _is_row(node):
            below.setdefault(owners[node.number], []).append(node)
    for number in claiming:
        there = below.get(number, [])
        numbered = [row for row in there if "aria-rowindex" in row.attributes]
        rows = _called(numbered or there, "aria-rowindex")
        total = _integer(document.nodes[number], "aria-rowcount")
        if total is not None and not 0 <= total <= len(rows):
            yield Window(number, total, rows)


def _lists(document: Document, items: Sequence[Node]) -> Iterator[Window]:
    owners = _nearest(document, _is_list)
    claimed: dict[int, list[Node]] = {}
    for node in items:
        if owners[node.number] >= 0:
            claimed.setdefault(owners[node.number], []).append(node)
    for number, there in claimed.items():
        totals = [total for item in there if (total := _integer(item, "aria-setsize")) is not None]
        total = -1 if -1 in totals else max(totals, default=0)
        if not 0 <= total <= len(there):
            yield Window(number, total, _called(there, "aria-posinset"))


def _nearest(document: Document, wanted: Callable[[Node], bool]) -> Sequence[int]:
    """For each node the number of the nearest wanted element above it, -1 for none."""
    out: list[int] = []
    for node in document.nodes:
        above = node.parent
        out.append(-1 if above < 0 else above if wanted(document.nodes[above]) else out[above])
    return out


def _called(rows: Sequence[Node], attribute: str) -> dict[str, int]:
    """By the index that each says that it has, else by its place among those that are there."""
    out: dict[str, int] = {}
    for place, row in enumerate(rows, 1):
        index = _integer(row, attribute)
        name = f"n={place}" if index is None else f"row={index}"
        out[f"n={place}" if name in out else name] = row.number
    return out


def _is_row(node: Node) -> bool:
    return node.attributes.get("role", "") == "row" or (node.tag == "tr" and "role" not in node.attributes)


def _is_grid(node: Node) -> bool:
    role = node.attributes.get("role", "")
    return role in _GRIDS or (not role and node.tag == "table")


def _is_list(node: Node) -> bool:
    role = node.attributes.get("role", "")
    return role in _LISTS or (not role and node.tag in _LIST_TAGS)


def _integer(node: Node, attribute: str) -> int | None:
    text = node.attributes.get(attribute, "").strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None
