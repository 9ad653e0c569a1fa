"""How single elements of a stored page are drawn: controls with the state that they had, pictures by their names."""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, cast

from exactchange_adapters.browser.defaults import option_value
from exactchange_adapters.browser.document import Document, Node, Sight
from exactchange_adapters.browser.secrets import MARK

BLOCKS: Final = frozenset(
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup legend li main menu nav ol optgroup p pre search section table "
    "caption thead tbody tfoot tr td th ul xmp listing summary".split()
)
_LEFT_OUT: Final = frozenset("head script style link meta base noscript template source track param".split())
_PICTURES: Final = frozenset("img image canvas video audio svg picture map area embed object".split())
_ROLES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    **{f"h{level}": (("role", "heading"), ("aria-level", str(level))) for level in range(1, 7)},
    "table": (("role", "table"),), "tr": (("role", "row"),), "td": (("role", "cell"),), "th": (("role", "cell"),),
    "ul": (("role", "list"),), "ol": (("role", "list"),), "li": (("role", "listitem"),),
}  # fmt: skip
_HIDDEN: Final = re.compile(rf"{MARK}:[0-9a-f]{{64}}")
_NO_TEXT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_SECRET: Final = '<span class="secret">secret</span>'
_TICKS: Final = ("checkbox", "radio")


def is_left_out(tag: str) -> bool:
    """Whether nothing is drawn of an element, nor of what is in it."""
    return tag in _LEFT_OUT


def cleaned(text: str) -> str:
    """Text without what no file of HTML may hold; where a secret was hidden, it says so."""
    return _HIDDEN.sub("[secret]", _NO_TEXT.sub("\ufffd", text))


def escaped(text: str) -> str:
    """Text of a page's as text of a file of HTML, or as the value of an attribute in quotes."""
    return html.escape(cleaned(text))


def roles(node: Node) -> Iterator[tuple[str, str]]:
    """What an element is, for those who do not see it, and where it led, for all."""
    yield from _ROLES.get(node.tag, ())
    if node.tag == "a" and node.attributes.get("href"):
        yield "title", f"led to {node.attributes['href']}"


def marked(node: Node) -> str:
    """What is said before the content of an element: the state that is not seen in it."""
    out: list[str] = []
    state = node.state or {}
    if node.tag in _PICTURES:
        told = node.attributes.get("alt") or node.attributes.get("aria-label", "")
        out.append(f'<span class="image">{node.tag}{": " + escaped(told) if told else ""}</span>')
    if "o" in state or "p" in state:
        out.append(_state("open" if state.get("o", state.get("p")) is True else "shut"))
    for name in ("aria-checked", "aria-pressed", "aria-selected"):
        if name in node.attributes:
            out.append(_state(f"{name.removeprefix('aria-')}: {node.attributes[name]}"))
    if state.get("d") is True:
        out.append(_state("disabled"))
    return "".join(out)


def drawn_control(document: Document, node: Node) -> str | None:
    """A control with its live state, that nobody can use; None for an element that is none, or holds others."""
    if node.tag == "input":
        return _input(node)
    if node.tag == "textarea" and node.state is not None:
        value = node.state.get("v")
        return _SECRET if _is_secret(value) else f"<textarea disabled>\n{escaped(str(value))}</textarea>{_off(node)}"
    if node.tag == "select" and node.state is not None:
        return f"<select disabled{_several(node)}>{''.join(_options(document, node))}</select>{_off(node)}"
    return None


def _input(node: Node) -> str:
    state = node.state or {}
    kind = str(state.get("t", "text"))
    if "f" in state:
        files = state["f"]
        names = ", ".join(map(str, cast("list[object]", files))) if isinstance(files, list) else ""
        return f'<span class="image">files: {escaped(names) or "none"}</span>{_off(node)}'
    if kind in _TICKS:
        mixed = _state("neither") if state.get("i") is True else ""
        return f'<input type="{kind}" disabled{" checked" if state.get("c") is True else ""}>{mixed}{_off(node)}'
    value = state.get("v")
    if _is_secret(value) or (kind == "password" and value):
        return f"{_SECRET}{_off(node)}"
    text = str(value or "")
    if kind in ("submit", "reset", "button", "image"):
        shown = text or node.attributes.get("alt") or {"submit": "Submit", "reset": "Reset"}.get(kind, "")
        return f'<span class="button" role="button">{escaped(shown)}</span>{_off(node)}'
    hint = f' placeholder="{escaped(node.attributes["placeholder"])}"' if "placeholder" in node.attributes else ""
    return f'<input type="text" disabled value="{escaped(text)}"{hint}>{_off(node)}'


def _options(document: Document, node: Node) -> Iterator[str]:
    chosen = (node.state or {}).get("v")
    several = cast("list[object]", chosen) if isinstance(chosen, list) else [] if chosen is None else [chosen]
    left = Counter(map(str, several))
    todo = document.children[node.number][::-1]
    while todo:
        item = document.nodes[todo.pop()]
        if item.tag != "option":
            todo += document.children[item.number][::-1]
            continue
        text = " ".join(document.lines(item.number, sight=Sight.ANY))
        value = option_value(item.attributes, text)
        picked = left[value] > 0
        left[value] -= picked
        yield f"<option{' selected' if picked else ''}>{escaped(text or item.attributes.get('label', ''))}</option>"
    yield from (f"<option selected>{escaped(value)}</option>" for value in (+left).elements())


def _several(node: Node) -> str:
    return " multiple" if "multiple" in node.attributes else ""


def _off(node: Node) -> str:
    return _state("disabled") if (node.state or {}).get("d") is True else ""


def _state(text: str) -> str:
    return f' <span class="state">{escaped(text)}</span> '


def _is_secret(value: object) -> bool:
    return isinstance(value, Mapping) and MARK in value
