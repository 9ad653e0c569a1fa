"""Roles and accessible names of controls, by the part of the ARIA rules that controls on real pages need.

Order of https://www.w3.org/TR/accname-1.2/: aria-labelledby, aria-label, the native label, the content of a button,
title, placeholder. Checked against the browser's own accessibility tree in the tests.
"""

from collections.abc import Mapping

from exactchange_adapters.browser.document import Document, Node, Sight

ROLES: Mapping[str, str] = {
    "a": "link",
    "button": "button",
    "details": "group",
    "dialog": "dialog",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "h4": "heading",
    "h5": "heading",
    "h6": "heading",
    "img": "img",
    "li": "listitem",
    "main": "main",
    "nav": "navigation",
    "ol": "list",
    "option": "option",
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
_FROM_CONTENT = frozenset(
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row "
    "rowheader switch tab tooltip treeitem".split()
)
_LABELLED = frozenset("button input meter output progress select textarea".split())


def role_of(node: Node) -> str:
    """The element's role: the first word of `role`, else what its tag means; "" for none."""
    claimed = node.attributes.get("role", "").split()
    if claimed:
        return claimed[0].lower()
    if node.tag == "input":
        kind = _type(node)
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

    `unseen`: as it would be if all of its text could be seen.
    """
    node = document.nodes[number]
    said = node.attributes
    return (
        ("aria-labelledby" in said and _plain(_labelled_by(document, node)))
        or ("aria-label" in said and _plain(said["aria-label"]))
        or _plain(_native(document, node, unseen))
        or ("title" in said and _plain(said["title"]))
        or ("placeholder" in said and _plain(said["placeholder"]))
        or ""
    )


def _plain(text: str) -> str:
    return " ".join(text.split())


def _type(node: Node) -> str:
    live = node.state.get("t") if node.state is not None else None
    return str(live) if live is not None else node.attributes.get("type", "text").lower()


def _labelled_by(document: Document, node: Node) -> str:
    scope = document.scopes[node.number]
    found = [document.by_id.get((scope, word), []) for word in node.attributes.get("aria-labelledby", "").split()]
    return " ".join(_text(document, numbers[0], unseen=True) for numbers in found if numbers)


def _native(document: Document, node: Node, unseen: bool) -> str:
    if node.tag == "input" and _type(node) in ("submit", "reset", "button", "image"):
        usual = {"submit": "Submit", "reset": "Reset"}.get(_type(node), "")
        return node.attributes.get("value") or node.attributes.get("alt") or usual
    if node.tag in _LABELLED:
        label = " ".join(_text(document, number, unseen=unseen, skip=node.number) for number in _labels(document, node))
        if label.strip():
            return label
    if node.tag != "input" and role_of(node) in _FROM_CONTENT:
        return _text(document, node.number, unseen=unseen)
    if node.tag == "img":
        return node.attributes.get("alt", "")
    if node.tag == "details":
        below = [document.nodes[child] for child in document.children[node.number]]
        return next((_text(document, child.number, unseen=unseen) for child in below if child.tag == "summary"), "")
    return ""


def _labels(document: Document, node: Node) -> list[int]:
    """The `<label>` elements of a control, in document order."""
    if "label" not in document.tags:
        return []
    pointing = document.labels_for.get((document.scopes[node.number], node.attributes.get("id", "")), [])
    labels = document.labels_around
    around = [above.number for above in document.ancestors(node.number) if above.number in labels] if labels else []
    return sorted({*pointing, *around}) if around else pointing


def _text(document: Document, number: int, *, unseen: bool = False, skip: int = -1) -> str:
    sight = Sight.ANY if unseen else Sight.SAID
    words = " ".join(document.lines(number, sight=sight, skip=frozenset([skip])))
    if "img" not in document.tags:
        return words
    pictures = [
        node.attributes["alt"] for node in _below(document, number) if node.tag == "img" and node.attributes.get("alt")
    ]
    return " ".join([*([words] if words else []), *pictures])


def _below(document: Document, number: int) -> list[Node]:
    out: list[Node] = []
    todo = [number]
    while todo:
        here = todo.pop()
        out.append(document.nodes[here])
        todo.extend(document.children[here])
    return out
