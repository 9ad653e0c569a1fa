"""What markup alone tells of which elements can be seen: by their kind, their attributes and their own `style`."""

from collections.abc import Mapping
from typing import NamedTuple

from exactchange_adapters.browser.document import BOXED, SEEN

_NEVER = frozenset(
    "head title meta link script style template noscript base param datalist area rp noembed noframes embed".split()
)
_DRAWN_NEVER = frozenset("title desc metadata script style".split())
REPLACED = frozenset("video audio canvas iframe frame frameset option".split())
"""Elements that stand in these are shown by no browser, or only by one that does not know them."""


class Shown(NamedTuple):
    """How far what stands above an element lets it be seen: whether it has a box, is `visible`, and lets light in."""

    boxed: bool = True
    visible: bool = True
    opaque: bool = True


def shown(
    tag: str, attributes: Mapping[str, str], above: Shown, *, drawn: bool, has_text: bool, folded: bool
) -> tuple[int, Shown]:
    """The bits of an element, as the walk of a live page has them, and how far what is in it can be seen.

    `drawn`: it is part of a drawing (SVG, MathML). `folded`: its text is in a part that is shut.
    """
    styles = _declared(attributes.get("style", ""))
    display = styles.get("display", "")
    visibility = styles.get("visibility", "")
    visible = visibility == "visible" or (above.visible and visibility not in ("hidden", "collapse"))
    opaque = above.opaque and not _clear(styles.get("opacity", ""))
    hidden = _hidden(tag, attributes, drawn) if not display else display == "none" or (tag in _NEVER and not drawn)
    inside = Shown(above.boxed and not hidden, visible, opaque)
    if not inside.boxed:
        return 0, inside
    if not has_text or folded:
        return BOXED, inside
    return (BOXED | SEEN if display == "contents" or (visible and opaque) else BOXED), inside


def _hidden(tag: str, attributes: Mapping[str, str], drawn: bool) -> bool:
    if drawn:
        return tag in _DRAWN_NEVER
    if tag in _NEVER or attributes.get("hidden", "until-found").lower() != "until-found":
        return True
    if tag == "input":
        return attributes.get("type", "").lower() == "hidden"
    return (
        "popover" in attributes
        or (tag == "dialog" and "open" not in attributes)
        or (tag == "audio" and "controls" not in attributes)
    )


def _declared(style: str) -> Mapping[str, str]:
    if not style:
        return {}
    pairs = (part.partition(":") for part in style.split(";"))
    return {name.strip().lower(): value.replace("!important", "").strip().lower() for name, _, value in pairs}


def _clear(opacity: str) -> bool:
    try:
        return bool(opacity) and float(opacity.removesuffix("%")) <= 0
    except ValueError:
        return False
