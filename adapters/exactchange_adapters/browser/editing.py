"""Edits of a stored page, in its tree and in the documents that selectors are run on, so that both tell the same."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from exactchange.limits import CountedBudget
from exactchange.sources.edits import Add, CannotEdit, Edit, Put, Remove, edited_tree
from exactchange.values import Path, State, Value, sealed
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import SEEN, Document, parse_document
from exactchange_adapters.browser.keys import STATES
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack

_TICKS = {"checked": "c", "indeterminate": "i", "open": "o"}
_TEXT = "@text"


def edited_page(snapshot: PageSnapshot, edits: Sequence[Edit]) -> PageSnapshot:
    """The page with these edits made. Raises CannotEdit.

    The state of a control, and the text of an element as a selector names it, are edited in the document as well as in
    the tree. What is taken away of an element takes the element with it.
    """
    tree: State = snapshot.tree
    documents = list(snapshot.documents)
    for edit in edits:
        found = None if isinstance(edit, Add) else _of_an_element(documents, edit.path)
        if found is None or edit.path[-1] != _TEXT:
            tree = edited_tree(tree, [edit])
        if found is not None and not isinstance(edit, Add):
            at, number = found
            documents[at] = _edited(documents[at], number, edit)
            text: list[Value] = [*_opened(documents[at]).lines()]
            tree = edited_tree(tree, [Put((*documents[at].path, _TEXT), text)])
    return replace(snapshot, tree=tree, documents=tuple(documents))


def _of_an_element(documents: Sequence[StoredDocument], path: Path) -> tuple[int, int] | None:
    """The document and the element of which a path tells the state or the text; None where it tells something else.

    Raises CannotEdit where a path that only a selector gives does not say which element it is.
    """
    if len(path) < 2 or not (path[-1] in STATES or path[-1] == _TEXT):
        return None
    element = path[:-1]
    for at, stored in enumerate(documents):
        if element[: len(stored.path)] == stored.path:
            number = _number(_opened(stored), element[len(stored.path) :])
            if number is not None:
                return at, number
    if path[-1] == _TEXT and ("=" in str(element[-1]) or str(element[-1]).startswith("#")):
        raise CannotEdit("which element that is, only its selector tells")
    return None


def _number(document: Document, element: Path) -> int | None:
    """The element of a key, as the tree gives it. The button that is chosen stands for a group of radio buttons."""
    named = [control.number for control in Controls(document).all if control.path == element]
    if named:
        chosen = [number for number in named if (document.nodes[number].state or {}).get("c") is True]
        return [*chosen, *named][0]
    last = str(element[-1]) if element else ""
    found = document.by_id.get((-1, last[1:]), []) if last.startswith("#") else []
    return found[0] if len(found) == 1 and len(element) == 1 else None


def _edited(stored: StoredDocument, number: int, edit: Put | Remove) -> StoredDocument:
    nodes = cast("list[list[object]]", json.loads(stored.text()))
    field = str(edit.path[-1])
    if isinstance(edit, Remove):
        nodes[number] = [nodes[number][0], ""]  # no element stands there any more, but others keep their numbers
    elif field == _TEXT:
        _put_text(_opened(stored), nodes, number, edit.value)
    else:
        _put_state(nodes[number], field, edit.value)
    return replace(stored, packed=pack(json.dumps(nodes, separators=(",", ":"))))


def _put_state(node: list[object], field: str, value: Value) -> None:
    state = cast("dict[str, object]", node[4]) if len(node) == 5 else {}
    if field == "value" and "v" in state and (sealed(value) or isinstance(value, str | list)):
        state["v"] = value
    elif field in _TICKS and isinstance(value, bool):
        state[_TICKS[field]] = value
    else:
        raise CannotEdit(f"of this control, {field} cannot be {value!r}")


def _put_text(document: Document, nodes: list[list[object]], number: int, value: Value) -> None:
    """Of all text of the element that can be seen, the first comes to say the whole."""
    below = [number]
    for above in below:
        below.extend(document.children[above])
    texts = sorted(inner for inner in below if not document.nodes[inner].tag)
    seen = [inner for inner in texts if document.nodes[document.nodes[inner].parent].bits & SEEN]
    if not seen or not isinstance(value, str):
        raise CannotEdit("no such text can stand there")
    for inner in texts:
        nodes[inner] = [nodes[inner][0], value if inner == seen[0] else ""]


def _opened(stored: StoredDocument) -> Document:
    return parse_document(stored.text(), budget=CountedBudget())
