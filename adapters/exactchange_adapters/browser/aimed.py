"""What an agent says that it types: hidden where it goes into a field for secrets, before anybody writes it down."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from pydantic import ValidationError

from exactchange.errors import OverBudget, UsageError
from exactchange.limits import CountedBudget
from exactchange.values import Value, sealed
from exactchange_adapters.browser.document import Document, parse_document
from exactchange_adapters.browser.params import ElementSelector
from exactchange_adapters.browser.reading import is_secret
from exactchange_adapters.browser.secrets import MARK, Secrecy, looks_secret
from exactchange_adapters.browser.select import numbers_of
from exactchange_adapters.browser.snapshot import PageSnapshot
from exactchange_adapters.browser.tab import WORLD
from exactchange_adapters.browser.world import Gone, Seen, answer, send

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

Sessions: TypeAlias = "Callable[[], Sequence[CDPSession]]"

TYPING: Final = frozenset({"type", "fill", "key"})
ANSWER_S: Final = 0.5
"""How long the pages are given to say where the focus is."""
_TEXTS: Final = ("text", "value", "values")
_KEYS: Final = ("key", "keys")
_CALLED: Final = ("name", "label", "element", "selector", "css", "field", "placeholder")
"""What a call says of the field into which a text goes."""
_NO_CHARACTER: Final = re.compile(
    r"(?:(?:ctrl|control|alt|meta|cmd|super|controlormeta)\+[a-z0-9]|(?:[a-z]+\+)*(?:enter|return|tab|esc(?:ape)?"
    r"|backspace|del(?:ete)?|insert|home|end|page_?(?:up|down)|(?:arrow_?)?(?:up|down|left|right)|shift|ctrl|control"
    r"|alt|meta|cmd|super|capslock|f[0-9]{1,2}))",
    re.IGNORECASE,
)
_FOCUS: Final = """(() => {
  const get = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
  const inner = get(ShadowRoot, "activeElement"), root = get(Element, "shadowRoot");
  const own = (name) => Object.hasOwn(globalThis, name) ? globalThis[name] : new Map();
  let found = get(Document, "activeElement").call(document);
  for (let below = found; below; ) {
    found = below;
    const tree = root.call(found) ?? own("exactChangeClosed").get(found);
    below = tree ? inner.call(tree) : null;
  }
  if (!(found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement)) return "[{}, null]";
  const told = (name) => Element.prototype.getAttribute.call(found, name) ?? "";
  const type = found instanceof HTMLInputElement ? get(HTMLInputElement, "type").call(found) : "";
  const was = type === "password" || own("exactChangeSecrets").has(found);
  return JSON.stringify([{ name: told("name"), id: told("id"), autocomplete: told("autocomplete") },
    { v: "", ...(was ? { s: 1 } : {}) }]);
})()"""


async def concealed(
    kind: str,
    args: Mapping[str, Value],
    *,
    secrecy: Secrecy,
    page: PageSnapshot | None,
    sessions: Sessions,
) -> Mapping[str, Value]:
    """The arguments of an action with what is secret in them hidden; the same object where nothing is.

    `page`: the last capture. `sessions`: ways to ask the tabs, and frames of other sites, where the focus is.
    """
    if kind in TYPING and await _goes_into_secret(args, page, sessions):
        args = {name: _hidden(name, value, secrecy) for name, value in args.items()}
    return cast("Mapping[str, Value]", secrecy.veil.over(_by_name(args, "", secrecy)))


def _by_name(value: Value, name: str, secrecy: Secrecy) -> Value:
    """Hides what its own name says is secret, or the name of a field that stands beside it, as in calls of tools."""
    if isinstance(value, str) and value and looks_secret(name):
        return _hidden(_TEXTS[0], value, secrecy)
    if isinstance(value, Mapping) and not sealed(value):
        called = any(looks_secret(str(value.get(part, ""))) for part in _CALLED)
        told = {part: (called and part in _TEXTS and "password") or part for part in value}
        items = {part: _by_name(item, told[part], secrecy) for part, item in value.items()}
        return value if all(items[part] is item for part, item in value.items()) else items
    if isinstance(value, list):
        out = [_by_name(item, name, secrecy) for item in value]
        return value if all(new is old for new, old in zip(out, value, strict=True)) else out
    return value


def _hidden(name: str, value: Value, secrecy: Secrecy) -> Value:
    if name in _KEYS and isinstance(value, list):
        return [_hidden(name, item, secrecy) for item in value]
    if name in _KEYS and isinstance(value, str):
        if _NO_CHARACTER.fullmatch(value.replace(" ", "")):
            return value
        secrecy.keys += 1  # that two keys are the same one would tell of a password letter by letter
        return {MARK: secrecy.print(f"key {secrecy.keys}")}
    if name in _TEXTS and isinstance(value, str) and value:
        secrecy.veil.typed(value)
        return {MARK: secrecy.print(value)}
    return [_hidden(name, item, secrecy) for item in value] if name in _TEXTS and isinstance(value, list) else value


async def _goes_into_secret(args: Mapping[str, Value], page: PageSnapshot | None, sessions: Sessions) -> bool:
    """Whether what is typed goes into such a field, or nobody can tell and the page has a field for a password."""
    documents = [] if page is None else _documents(page)
    target = args.get("target")
    if isinstance(target, Mapping) and target:
        found = _selected(documents, target)
        named = any(isinstance(word, str) and looks_secret(word) for word in target.values())
        return named or _any_password(documents) if found is None else found
    try:
        focus = await asyncio.wait_for(_focus(sessions), ANSWER_S)
    except (TimeoutError, Gone, ValueError):
        return _any_password(documents)
    return focus


def _documents(page: PageSnapshot) -> list[Document]:
    budget = CountedBudget()
    try:
        return [parse_document(stored.text(), budget=budget) for stored in page.documents]
    except (UsageError, OverBudget, ValueError):
        return []


def _selected(documents: Sequence[Document], target: Mapping[str, Value]) -> bool | None:
    """Whether one of the elements that are meant is a field for secrets; None when none is found."""
    try:
        selector = ElementSelector.model_validate(dict(target))
        found = [document.nodes[n] for document in documents for n in numbers_of(document, selector)]
    except (ValidationError, UsageError, OverBudget):
        return None
    return any(is_secret(node.attributes, node.state) for node in found) if found else None


def _any_password(documents: Sequence[Document]) -> bool:
    return any(node.state is not None and node.state.get("s") == 1 for page in documents for node in page.nodes)


async def _focus(sessions: Sessions) -> bool:
    """Whether the focus of any tab or frame is in a field for secrets. Raises Gone or ValueError."""
    for session in sessions():
        tree = cast("Mapping[str, object]", (await send(session, "Page.getFrameTree", {}))["frameTree"])
        for frame in _frames(tree):
            world = await send(session, "Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
            said = await answer(Seen(0, session, cast("int", world["executionContextId"])), _FOCUS)
            attributes, state = cast("tuple[Mapping[str, object], Mapping[str, object] | None]", json.loads(said))
            if is_secret(attributes, state):
                return True
    return False


def _frames(tree: Mapping[str, object]) -> list[str]:
    below = cast("Sequence[Mapping[str, object]]", tree.get("childFrames", ()))
    own = str(cast("Mapping[str, object]", tree["frame"])["id"])
    return [own, *(name for child in below for name in _frames(child))]
