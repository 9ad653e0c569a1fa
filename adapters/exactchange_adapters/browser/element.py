"""An element that something was done to: what it is called, without secrets, and whether a selector stands for it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import cast

from pydantic import ValidationError

from exactchange.errors import ExactChangeError, UsageError
from exactchange.limits import Budget, CountedBudget
from exactchange.values import Value
from exactchange_adapters.browser.document import Document, Node, parse_document
from exactchange_adapters.browser.keys import TEST_IDS
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.reading import read_document
from exactchange_adapters.browser.roles import told_name, told_role
from exactchange_adapters.browser.secrets import MARK, Secrecy
from exactchange_adapters.browser.select import numbers_of

LONGEST = 16 * 1024
"""Characters of an element with all around it; a longer one is only called by its name."""
_SIMPLE = re.compile(r"[A-Za-z_][\w-]*")
_QUOTED = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
# What asks for neighbours, or for what is inside: these are not known of an element that is told alone.
_NEIGHBOURS = re.compile(r"[+~](?!=)|:(?!(?:is|not|where|checked|disabled|root)\b)")


@dataclass(frozen=True, slots=True)
class Element:
    """`target`: what it is called; `known`: its form in a record; `held`: its state as told, secrets hidden."""

    target: Mapping[str, Value]
    known: Mapping[str, Value] | None
    held: Mapping[str, Value]


def element_of(line: str, at: int, hit: int, *, secrecy: Secrecy) -> Element:
    """The element that a witness tells of. `at`: number of the control, `hit`: of the innermost element that was hit.

    Raises UsageError, OverBudget for what is no such line.
    """
    fresh = read_document(line, hide=partial(_sealed, secrecy), budget=CountedBudget())
    document = fresh.document
    if not 0 <= at <= hit < len(document.nodes):
        raise UsageError("an element is told that is not there")
    secrecy.names |= fresh.secret_names
    node = document.nodes[at]
    kept = json.dumps([_emptied(item) for item in document.nodes], separators=(",", ":"), ensure_ascii=True)
    known: Mapping[str, Value] | None = None
    if len(kept) <= LONGEST:
        known = {"nodes": kept, "at": at, "hit": hit}
    return Element(_called(document, node), known, _held(node, secrecy))


def _sealed(secrecy: Secrecy, text: str) -> Value:
    """As `Secrecy.hide`; what is typed letter by letter is not looked for elsewhere before it is whole."""
    return {MARK: secrecy.print(text)} if text else ""


def is_element(element: Mapping[str, Value], fields: Mapping[str, Value], *, budget: Budget) -> bool | None:
    """See `exactchange.sources.witnessing.Recognising`."""
    nodes, at, hit = element.get("nodes"), element.get("at"), element.get("hit")
    if not isinstance(nodes, str) or not isinstance(at, int) or not isinstance(hit, int):
        return None
    try:
        selector = ElementSelector.model_validate(dict(fields))
        document = parse_document(nodes, budget=budget)
        if not 0 <= at <= hit < len(document.nodes):
            return None
        found = numbers_of(document, selector)
    except (ValidationError, ExactChangeError):
        return None
    if selector.css is not None and _NEIGHBOURS.search(_QUOTED.sub("", selector.css)):
        return None
    return any(at <= number <= hit for number in found)


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
