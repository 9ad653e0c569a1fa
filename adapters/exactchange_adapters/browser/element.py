"""An element that something was done to: what it is called, and its form in a record, without secrets."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.values import Value
from exactchange_adapters.browser.document import Document, Node
from exactchange_adapters.browser.keys import TEST_IDS
from exactchange_adapters.browser.reading import read_document
from exactchange_adapters.browser.roles import told_name, told_role
from exactchange_adapters.browser.secrets import MARK, Secrecy

LONGEST = 16 * 1024
"""Characters of an element with all around it; a longer one is only called by its name."""
_SIMPLE = re.compile(r"[A-Za-z_][\w-]*")
_KEPT_OF_MANY = frozenset([*TEST_IDS, "id", "name", "role", "type"])


@dataclass(frozen=True, slots=True)
class Told:
    """What a witness says beside the nodes (see witness.js), unchecked but for the numbers of control and innermost."""

    at: int
    hit: int
    places: object = None
    loose: bool = False
    free: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """`target`: what it is called; `known`: its form in a record; `held`: its state as told, secrets hidden."""

    target: Mapping[str, Value]
    known: Mapping[str, Value] | None
    held: Mapping[str, Value]


def element_of(line: str, told: Told, *, secrecy: Secrecy) -> Element:
    """The element that a witness tells of, with all that is around it.

    Raises UsageError, OverBudget for what is no such line.
    """
    fresh = read_document(line, hide=partial(_sealed, secrecy), budget=CountedBudget())
    document = fresh.document
    if not 0 <= told.at <= told.hit < len(document.nodes):
        raise UsageError("an element is told that is not there")
    secrecy.names |= fresh.secret_names
    return Element(
        _called(document, document.nodes[told.at]), _known(document, told), _held(document.nodes[told.at], secrecy)
    )


def _known(document: Document, told: Told) -> Mapping[str, Value] | None:
    """The form of a record; of an element with too much around it only what it is called by in a page."""
    places = places_of(told.places)
    kept: dict[str, Value] = {"nodes": _line(map(_emptied, document.nodes)), "at": told.at, "hit": told.hit}
    if places is not None and len(places) == told.hit + 1:
        kept["places"] = [list(place) for place in places]
    kept |= {name: True for name, holds in (("loose", told.loose), ("free", told.free)) if holds}
    if len(str(kept["nodes"])) > LONGEST:
        few = (node._replace(attributes=_few(node.attributes)) for node in document.nodes[: told.hit + 1])
        kept |= {"nodes": _line(map(_emptied, few)), "cut": True}
    return kept if len(str(kept["nodes"])) <= LONGEST else None


def places_of(said: object) -> Sequence[tuple[int, int]] | None:
    """Where elements stand: of each the number of the one around it, or -1, and its place there; None if malformed."""
    if not isinstance(said, Sequence) or isinstance(said, str | bytes):
        return None
    out: list[tuple[int, int]] = []
    for number, place in enumerate(cast("Sequence[object]", said)):
        if not isinstance(place, Sequence) or isinstance(place, str | bytes):
            return None
        match list(cast("Sequence[object]", place)):
            case [int(above), int(position)] if -1 <= above < number and position >= 0:
                out.append((above, position))
            case _:
                return None
    return out


def _few(attributes: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in attributes.items() if name in _KEPT_OF_MANY}


def _line(nodes: Iterable[list[object]]) -> str:
    return json.dumps(list(nodes), separators=(",", ":"), ensure_ascii=True)


def _sealed(secrecy: Secrecy, text: str) -> Value:
    """As `Secrecy.hide`; what is typed letter by letter is not looked for elsewhere before it is whole."""
    return {MARK: secrecy.print(text)} if text else ""


def _emptied(node: Node) -> list[object]:
    """A node as a line has it, without what a person put in: that is told apart, once."""
    if not node.tag:
        return [node.parent, node.text]
    head: list[object] = [node.parent, node.tag, dict(node.attributes), node.bits]
    if node.state is None:
        return head
    state = {name: value for name, value in node.state.items() if name not in ("v", "f")}
    return [*head, {**state, **_nothing(node)}]


def _nothing(node: Node) -> Mapping[str, object]:
    if node.tag == "select":
        return {"v": [] if "multiple" in node.attributes else None}
    if node.state is not None and node.state.get("t") == "file":
        return {"f": []}
    return {"v": ""} if node.tag in ("input", "textarea") else {}


def _called(document: Document, node: Node) -> Mapping[str, Value]:
    """Its words: css, and what it has of role, name, label and test id."""
    target: dict[str, Value] = {"css": _css(node)}
    role, name = told_role(document, node), told_name(document, node)
    test_id = next((node.attributes[key] for key in TEST_IDS if node.attributes.get(key)), "")
    if role:
        target["role"] = role
    if name:
        target["name"] = name
        if node.tag in ("input", "select", "textarea") or (node.state is not None and node.state.get("e")):
            target["label"] = name
    if test_id:
        target["testid"] = test_id
    return target


def _css(node: Node) -> str:
    identity = node.attributes.get("id", "")
    if identity:
        return f"#{identity}" if _SIMPLE.fullmatch(identity) else f"[id={json.dumps(identity)}]"
    for name in (*TEST_IDS, "name"):
        if node.attributes.get(name):
            return f"{node.tag}[{name}={json.dumps(node.attributes[name], ensure_ascii=False)}]"
    return node.tag


def _held(node: Node, secrecy: Secrecy) -> Mapping[str, Value]:
    state = node.state or {}
    held: dict[str, Value] = {}
    name = next((node.attributes[key] for key in ("name", "id", "autocomplete") if node.attributes.get(key)), "")
    value = cast("str | dict[str, object] | list[object] | None", state.get("v"))
    if isinstance(value, str):
        held["text"] = secrecy.named(name, value)
    elif isinstance(value, dict):
        held["text"] = {str(key): str(item) for key, item in value.items()}  # hidden already
    elif isinstance(value, list):
        held["values"] = [str(item) for item in value]
    if isinstance(state.get("c"), bool):
        held["checked"] = state.get("c") is True
    files = cast("list[object] | None", state.get("f"))
    if isinstance(files, list):
        held["files"] = [str(item) for item in files]
    return held
