"""Roles and accessible names of controls, by the part of the ARIA rules that controls on real pages need.

Order of https://www.w3.org/TR/accname-1.2/: aria-labelledby, aria-label, the native label, the content of a button,
title, placeholder. Checked against the browser's own accessibility tree in the tests.
"""

from collections.abc import Mapping

from exactchange_adapters.browser.document import BOXED, Document, Node
from exactchange_adapters.browser.labels import LABELLED, type_of
from exactchange_adapters.browser.spoken import spoken

ROLES: Mapping[str, str] = {
    "a": "link",
    "button": "button",
    "article": "article",
    "details": "group",
    "dialog": "dialog",
    "fieldset": "group",
    "figure": "figure",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "hr": "separator",
    "img": "img",
    "li": "listitem",
    "main": "main",
    "meter": "meter",
    "nav": "navigation",
    "ol": "list",
    "optgroup": "group",
    "option": "option",
    "output": "status",
    "progress": "progressbar",
    "summary": "button",
    "table": "table",
    "td": "cell",
    "th": "columnheader",
    "tr": "row",
    "ul": "list",
    "textarea": "textbox",
}
INPUT_ROLES: Mapping[str, str] = {
    "button": "button",
    "checkbox": "checkbox",
    "email": "textbox",
    "file": "button",
    "image": "button",
    "number": "spinbutton",
    "radio": "radio",
    "range": "slider",
    "reset": "button",
    "search": "searchbox",
    "submit": "button",
    "tel": "textbox",
    "text": "textbox",
    "url": "textbox",
}
ROLE_CONTROLS = frozenset(
    "button checkbox combobox link menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton "
    "switch tab textbox treeitem".split()
)
FROM_CONTENT = frozenset(
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row "
    "rowheader switch tab tooltip treeitem".split()
)
_PUSHERS = frozenset("button image reset submit".split())
_NAMED_BY_PART: Mapping[str, str] = {"details": "summary", "fieldset": "legend", "table": "caption"}
_NO_CONTENT = frozenset(["input", "select", "textarea"])


def role_of(node: Node) -> str:
    """The element's role: the first word of `role`, else what its tag means; "" for none."""
    claimed = node.attributes.get("role", "").split()
    if claimed:
        return claimed[0].lower()
    if node.tag == "input":
        kind = type_of(node)
        if node.attributes.get("list") and INPUT_ROLES.get(kind) in ("textbox", "searchbox"):
            return "combobox"
        return INPUT_ROLES.get(kind, "")
    if node.tag == "select":
        multiple = "multiple" in node.attributes or node.attributes.get("size", "1") not in ("", "0", "1")
        return "listbox" if multiple else "combobox"
    if node.tag == "a" and "href" not in node.attributes:
        return ""
    if node.state is not None and node.state.get("e"):
        return "textbox"
    return ROLES.get(node.tag, "")


def name_of(document: Document, number: int, *, unseen: bool = False) -> str:
    """The accessible name of an element, white space as one space; "" when it has none.

    `unseen`: as it would be if all of its text could be seen. Raises OverBudget where names are too much work.
    """
    known = document.names.get((number, unseen))
    if known is None:
        known = document.names[number, unseen] = _name(document, document.nodes[number], unseen)
    return known


def _name(document: Document, node: Node, unseen: bool) -> str:
    said = node.attributes
    return (
        ("aria-labelledby" in said and _plain(_labelled_by(document, node)))
        or ("aria-label" in said and _plain(said["aria-label"]))
        or _plain(_native(document, node, unseen))
        or ("title" in said and _plain(said["title"]))
        or ("placeholder" in said and _plain(said["placeholder"]))
        or ("aria-placeholder" in said and _plain(said["aria-placeholder"]))
        or ""
    )


def name_to_be(document: Document, number: int) -> str:
    """The name that an element without one will have when all of its text is shown."""
    node = document.nodes[number]
    if node.tag in _NO_CONTENT and "role" not in node.attributes and "label" not in document.tags:
        return ""  # nothing but a label could name it
    return name_of(document, number, unseen=True)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _labelled_by(document: Document, node: Node) -> str:
    scope = document.scopes[node.number]
    words = node.attributes.get("aria-labelledby", "").split()
    document.look(len(words))
    found = [document.by_id.get((scope, word), []) for word in words]
    targets = [document.nodes[numbers[0]] for numbers in found if numbers]
    # What is hidden names all the same where it is asked for by name, and then with all that is in it.
    return " ".join(spoken(document, it.number, hidden=not it.bits & BOXED, own=True) for it in targets)


def _native(document: Document, node: Node, unseen: bool) -> str:
    if node.tag == "input" and type_of(node) in _PUSHERS:
        return _of_a_pusher(node)
    if node.tag in LABELLED:
        labels = document.labels_of(node)
        label = " ".join(spoken(document, it, hidden=unseen, own=True, skip=node.number) for it in labels)
        if label.strip():
            return label
    if node.tag in _NAMED_BY_PART:
        below = [document.nodes[child] for child in document.children[node.number]]
        part = next((child for child in below if child.tag == _NAMED_BY_PART[node.tag]), None)
        return "" if part is None else spoken(document, part.number, hidden=unseen)
    if node.tag != "input" and role_of(node) in FROM_CONTENT:
        return spoken(document, node.number, hidden=unseen)
    return node.attributes.get("alt", "") if node.tag == "img" else ""


def _of_a_pusher(node: Node) -> str:
    kind, said = type_of(node), node.attributes
    if kind == "image":
        return said.get("alt", "") or said.get("title", "") or "Submit"
    return said["value"] if "value" in said else {"submit": "Submit", "reset": "Reset"}.get(kind, "")
