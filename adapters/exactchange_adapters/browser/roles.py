"""The role that a selector means: what an element says of itself, else what its tag means where it stands.

By https://www.w3.org/TR/html-aria/ and https://www.w3.org/TR/wai-aria-1.2/; compared with Playwright's locators in the
tests. Names of controls need fewer roles, which `naming` has.
"""

from collections.abc import Mapping

from exactchange_adapters.browser.document import SHADOW, Document, Node, Sight
from exactchange_adapters.browser.naming import FROM_CONTENT, name_of, role_of

KNOWN_ROLES = frozenset(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox "
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid "
    "gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar "
    "menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar "
    "radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status "
    "strong subscript superscript suggestion switch tab table tablist tabpanel term textbox time timer toolbar tooltip "
    "tree treegrid treeitem".split()
)
"""All roles that an element can say to have and be heard."""
_MORE: Mapping[str, str] = {
    "aside": "complementary", "blockquote": "blockquote", "caption": "caption", "code": "code", "dd": "definition",
    "del": "deletion", "dfn": "term", "dt": "term", "em": "emphasis", "html": "document", "ins": "insertion",
    "math": "math", "menu": "list", "p": "paragraph", "search": "search", "strong": "strong", "sub": "subscript",
    "sup": "superscript", "svg": "img", "tbody": "rowgroup", "tfoot": "rowgroup", "thead": "rowgroup", "time": "time",
}  # fmt: skip
_PARTS = frozenset("article aside main nav section".split())
_TYPED = frozenset("password date month week time datetime-local color".split())
_GRIDS = frozenset(["grid", "treegrid"])


def told_role(document: Document, node: Node) -> str:
    """The element's role, "" for none: the first known word of `role`, else what its tag means in this place."""
    claimed = next((word for word in node.attributes.get("role", "").lower().split() if word in KNOWN_ROLES), "")
    return claimed or _meant(document, node)


def told_name(document: Document, node: Node) -> str:
    """The accessible name that goes with the role: of entries of a list that is folded up, too."""
    name = name_of(document, node.number)
    if name or not (node.tag == "option" or len(node.attributes.get("role", "").split()) > 1):
        return name
    if told_role(document, node) not in FROM_CONTENT:
        return ""
    sight = Sight.ANY if node.tag == "option" else Sight.SAID
    return " ".join(" ".join(document.lines(node.number, sight=sight)).split())


def _meant(document: Document, node: Node) -> str:
    if node.tag in ("header", "footer"):
        inner = any(above.tag in _PARTS for above in document.ancestors(node.number))
        return "" if inner else "banner" if node.tag == "header" else "contentinfo"
    if node.tag in ("section", "form"):
        named = bool(name_of(document, node.number))
        return "" if not named else "region" if node.tag == "section" else "form"
    if node.tag == "th" and node.attributes.get("scope", "").lower() in ("row", "rowgroup"):
        return "rowheader"
    if node.tag == "td":
        return "gridcell" if _in_grid(document, node) else "cell"
    if node.tag == "img" and node.attributes.get("alt") == "" and not name_of(document, node.number):
        return "presentation"
    if node.tag == "input" and node.state is not None and node.state.get("t") in _TYPED:
        return "textbox"
    bare = node._replace(attributes={k: v for k, v in node.attributes.items() if k != "role"})
    return role_of(bare) or _MORE.get(node.tag, "")


def _in_grid(document: Document, node: Node) -> bool:
    for above in document.ancestors(node.number):
        if above.tag == "table" or above.tag == SHADOW:
            return above.attributes.get("role", "").lower() in _GRIDS
    return False
