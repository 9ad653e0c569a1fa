"""Noise in controls and cookies: tokens that a server hands out anew, and fields whose names are made up."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from exactchange.address import lookup
from exactchange.diff import Change
from exactchange.errors import UsageError
from exactchange.values import Path, State, same, sealed
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import Document, Node
from exactchange_adapters.browser.facets import place_of
from exactchange_adapters.browser.keys import looks_generated
from exactchange_adapters.browser.noise_anew import readable
from exactchange_adapters.browser.snapshot import PageSnapshot

CSRF: Final = re.compile(
    r"""(?:\A|[^a-z])(?:
        (?:csrf|xsrf)(?:[-_.]?(?:middleware|token|key|hash|value))* | authenticity[-_]?token |
        request[-_]?verification[-_]?token | anti-?forgery(?:[-_]?token)? | form[-_]?token
        )[^a-z]*\Z | \A_token\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""Names of what a server hands out to know its own forms by; not `token` alone, which may be anybody's key."""
NONCE: Final = re.compile(r"(?:\A|[^a-z]|_wp)nonce\Z", re.IGNORECASE)
_TOKEN = re.compile(r"(?=.*[0-9])[A-Za-z0-9_+/=.:~-]{8,512}")
_MOST_LINES: Final = 5
"""Of the text around a control: more is what a page says, and not what the control is for."""
_NAME = re.compile(r"(?:\A|,)name=")


def hidden_token(change: Change, named: re.Pattern[str], before: PageSnapshot, after: PageSnapshot) -> bool:
    """Whether a hidden field of such a name got another token: one that nobody can see or type, on either side."""
    if change.op != "modified" or change.path[-1] != "value" or not _tokens(change.before, change.after):
        return False
    return all(_is_hidden(_node(side, change.path[:-1]), named) for side in (before, after))


def cookie_token(change: Change) -> bool:
    """Whether a cookie of such a name got another token, and is the same cookie otherwise."""
    path = change.path
    return (
        change.op == "modified"
        and path[-3:-2] == ("@cookies",)
        and path[-1] == "value"
        and CSRF.search(str(path[-2])) is not None
        and _tokens(change.before, change.after)
    )


def renamed(changes: Sequence[Change], before: PageSnapshot, after: PageSnapshot) -> frozenset[Path]:
    """The paths of controls that went and came under names that are made up, and are the same otherwise.

    A control is known by its accessible name, where no other that went or came has it; or it is the only one. It is the
    same only where the same is said around it: another row may have a control of the same kind.
    """
    went = _families((c for c in changes if c.op == "removed"), before)
    came = _families((c for c in changes if c.op == "added"), after)
    out: set[Path] = set()
    for family, old in went.items():
        for gone, here in _pairs(old, came.get(family, {})):
            if same(old[gone], came[family][here]) and _same_around(_said(before, gone), _said(after, here)):
                out |= {gone, here}
    return frozenset(out)


def _same_around(old: str | None, new: str | None) -> bool:
    return old is not None and old == new


def _said(snapshot: PageSnapshot, path: Path) -> str | None:
    """The text of the nearest element around a control that has one; None where the stored documents do not tell."""
    place = place_of((*path, "value"))
    for stored in snapshot.documents:
        if stored.path == place.frame:
            document, controls = _controls(stored.packed)
            nodes = controls.get(place.element, ())  # of a radio group several
            if document is None or not nodes:
                return None
            around = document.ancestors(nodes[0].number)
            return next(filter(None, (" ".join(document.lines(above.number)[:_MOST_LINES]) for above in around)), "")
    return None


def _pairs(old: Mapping[Path, State], new: Mapping[Path, State]) -> Iterator[tuple[Path, Path]]:
    if len(old) == len(new) == 1:
        yield next(iter(old)), next(iter(new))
        return
    here = _lone(new)
    yield from ((path, here[name]) for name, path in _lone(old).items() if name in here)


def _lone(side: Mapping[Path, State]) -> Mapping[str, Path]:
    """Controls by their accessible names, where no other has it."""
    count = Counter(map(_called, side.values()))
    return {name: path for path, state in side.items() if (name := _called(state)) and count[name] == 1}


def _called(state: State) -> str:
    name = state.get("@name") if isinstance(state, Mapping) else None
    return name if isinstance(name, str) else ""


def _families(changes: Iterator[Change], snapshot: PageSnapshot) -> dict[Path, dict[Path, State]]:
    """Controls that were told apart by a name that is made up, with all that they hold, by where they stand."""
    out: dict[Path, dict[Path, State]] = {}
    for path in dict.fromkeys(change.path[:-1] for change in changes if place_of(change.path).facet == "controls"):
        name = str(path[-1]) if path else ""
        if len(path) > 1 and _NAME.search(name) and looks_generated(name.partition("name=")[2].strip('"')):
            out.setdefault(path[:-1], {})[path] = lookup(snapshot.tree, path)
    return out


def _tokens(before: State, after: State) -> bool:
    """Whether both are tokens, or secrets of which only a hash was kept."""
    return all(sealed(side) or (isinstance(side, str) and _TOKEN.fullmatch(side)) for side in (before, after))


def _is_hidden(node: Node | None, named: re.Pattern[str]) -> bool:
    if node is None or node.tag != "input" or node.state is None or node.state.get("t") != "hidden":
        return False
    return named.search(node.attributes.get("name", "") or node.attributes.get("id", "")) is not None


def _node(snapshot: PageSnapshot, path: Path) -> Node | None:
    """The element of a control; None where the stored documents do not tell, or tell of several."""
    place = place_of((*path, "value"))
    for stored in snapshot.documents:
        if stored.path == place.frame:
            nodes = _controls(stored.packed)[1].get(place.element, ())
            return nodes[0] if len(nodes) == 1 else None
    return None


# A page has many such fields, or two captures many pages in common.
@lru_cache(maxsize=16)
def _controls(packed: bytes) -> tuple[Document | None, Mapping[Path, Sequence[Node]]]:
    """A document, and the elements of its controls by their paths in it."""
    document = readable(packed)
    if document is None:
        return None, {}
    out: dict[Path, list[Node]] = {}
    try:
        controls = Controls(document).all
    except UsageError:  # of a state that is malformed
        return None, {}
    for control in controls:
        out.setdefault(control.path, []).append(document.nodes[control.number])
    return document, out
