"""Which places a page has, and what can stand there: what a task may look for; see `exactchange.sources.Placing`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from exactchange.sources import Standing
from exactchange.values import Path
from exactchange_adapters.browser.keys import STATES
from exactchange_adapters.browser.roles import KNOWN_ROLES

if TYPE_CHECKING:
    from exactchange_adapters.browser.params import ElementSelector

_TEXT: Final = frozenset({"str"})
_BOOL: Final = frozenset({"bool"})
_LIST: Final = frozenset({"list"})
_MAPPING: Final = frozenset({"mapping"})
_MIXED: Final = frozenset({"mixed"})
_TAGS: Final = frozenset(
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col "
    "colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form frame "
    "frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map "
    "mark math menu meta meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby "
    "s samp script search section select slot small source span strong style sub summary sup table tbody td template "
    "textarea tfoot th thead time title tr track u ul var video wbr "
    "svg g path rect circle ellipse line polygon polyline text image use tspan foreignObject foreignobject".split()
)
_STATES: Final[Mapping[str, str]] = {
    "value": "typed", "checked": "ticked", "pressed": "ticked", "selected": "ticked", "indeterminate": "truth",
    "open": "truth", "files": "files", "@name": "text", "@label": "text", "@description": "text", "@type": "text",
    "@disabled": "truth",
}  # fmt: skip
_SHOWN: Final[Mapping[str, str]] = {
    "@url": "text", "@loaded": "text", "@text": "lines", "@rows": "listed", "@canvas": "drawn", "@frames": "frames",
    "@structure": "lines",
}  # fmt: skip
_TAB: Final[Mapping[str, str]] = {**_SHOWN, "@title": "text"}
_CONTEXT: Final[Mapping[str, str]] = {"@cookies": "cookies", "@storage": "storage", "@permissions": "permissions"}
_HEARD: Final[Mapping[str, str]] = {
    "@dialogs": "dialogs", "@console": "errors", "@downloads": "downloads", "@requests": "requests",
}  # fmt: skip
_BY_ID: Final = "an element is written by its id, `#email.value`, or by its tag and name, `input[name=email].value`"
_ALWAYS: Final = frozenset({"@url", "@title", "@text"})


def _holding(what: str, fields: Mapping[str, str], *, stays: frozenset[str] = frozenset()) -> Standing:
    return Standing(
        what, _MAPPING, fields=fields, keys="element", rows="element", stays=stays, usual=_TAGS, hint=_BY_ID
    )


def _record(what: str, fields: Mapping[str, str], *, hint: str | None = None) -> Standing:
    return Standing(what, _MAPPING, fields=fields, hint=hint)


def _listing(what: str, each: str, *, named: bool, hint: str | None = None) -> Standing:
    return Standing(what, _LIST, rows=each if named else None, items=each, hint=hint)


STANDINGS: Final[Mapping[str, Standing]] = {
    "": _holding(
        "a page",
        {**_TAB, **_CONTEXT, **_HEARD, "@downloaded": "downloaded", "@tabs": "tabs", "@contexts": "contexts"},
        stays=_ALWAYS | _HEARD.keys() | {"@cookies", "@permissions", "@tabs"},
    ),
    "tabs": Standing("the list of tabs", _MAPPING, rows="tab", hint="write `@tabs[n=2]`"),
    "tab": _holding("another tab", {**_TAB, "@storage": "session storage"}),
    "frames": Standing("the list of frames", _MAPPING, keys="frame", rows="frame", usual=_TAGS),
    "frame": Standing(
        "a frame", _MAPPING, fields={**_SHOWN, **_STATES}, keys="frame", rows="frame", usual=_TAGS
    ),
    "contexts": Standing("the list of contexts", _MAPPING, rows="context", hint="write `@contexts[n=2]`"),
    "context": _record("another context", _CONTEXT),
    "element": Standing(
        "an element", _MAPPING, fields=_STATES, keys="element", rows="element", usual=_TAGS,
        hint="say what of it: `#email.value`; one of several is written `input[n=2]`",
    ),
    "typed": Standing("what is typed or chosen", frozenset({"str", "null", "list"}), items="text"),
    "ticked": Standing("whether it is ticked", _BOOL | _TEXT, texts=_MIXED),
    "truth": Standing("true or false", _BOOL),
    "files": _listing("a list of files", "text", named=False, hint="write `.files[*]`, or `items: […]`"),
    "text": Standing("a text", _TEXT),
    "role": Standing("a role", _TEXT, texts=KNOWN_ROLES | {""}),
    "lines": _listing("a list of lines", "text", named=False, hint="write `@text[*]`, with `pick: any` in a value"),
    "listed": Standing("rows of a list", _MAPPING | _TEXT, keys="listed", rows="listed", items="listed"),
    "drawn": Standing("the list of canvases", _MAPPING, fields={"@pixels": "text"}, keys="drawn", rows="drawn"),
    "cookies": Standing("the list of cookies", _MAPPING, keys="cookie", rows="cookie"),
    "cookie": _record(
        "a cookie",
        {
            "value": "text", "domain": "text", "path": "text", "sameSite": "text", "session": "truth",
            "httpOnly": "truth", "secure": "truth",
        },
        hint="write `.value` behind it",
    ),
    "storage": _record(
        "storage",
        {
            **dict.fromkeys(("local", "session"), "origins"),
            **dict.fromkeys(("indexeddb", "caches", "files", "workers"), "kept"),
        },
    ),
    "session storage": _record("what a tab stores", {"session": "origins"}),
    "origins": Standing("what is stored by origin", _MAPPING, keys="items", hint='write the origin: ["http://…"]'),
    "items": Standing(
        "what an origin has stored", _MAPPING, keys="text", hint='write the origin and the key: ["http://…"].theme'
    ),
    "kept": Standing("what origins keep", _MAPPING, keys="anything", hint='write the origin: ["http://…"]'),
    "anything": Standing("what a database holds", free=True),
    "permissions": Standing("permissions by origin", _MAPPING, keys="granted", hint='write the origin: ["http://…"]'),
    "granted": _listing("a list of permissions", "text", named=False, hint='write `[*]` behind it'),
    "dialogs": _listing("a list of dialogs", "dialog", named=True, hint="write `@dialogs[*].message`"),
    "dialog": _record("a dialog", {"type": "dialog type", "message": "text", "answer": "answer", "text": "said"}),
    "dialog type": Standing(
        "the type of a dialog", _TEXT, texts=frozenset("alert confirm prompt beforeunload".split())
    ),
    "said": Standing("what a prompt got", frozenset({"str", "null"})),
    "answer": Standing("whether a dialog was accepted", frozenset({"bool", "null"})),
    "errors": _listing("a list of errors", "error", named=True, hint="write `@console[*].text`"),
    "error": _record("an error", {"source": "text", "text": "text", "url": "text"}),
    "downloads": _listing("a list of downloads", "download", named=True, hint="write `@downloads[*].name`"),
    "download": _record("a download", {"name": "text", "url": "text", "state": "download state", "size": "number"}),
    "downloaded": Standing(
        "the list of downloaded files", _MAPPING, rows="downloaded file",
        hint="write `@downloaded[name=report.csv].sha256`",
    ),
    "downloaded file": _record("a downloaded file", {"sha256": "hash"}, hint="write `.sha256` behind it"),
    "download state": Standing(
        "the state of a download", _TEXT, texts=frozenset("inProgress completed canceled unknown".split())
    ),
    "requests": _listing("a list of requests", "request", named=True, hint="use `request`"),
    "request": _record(
        "a request",
        {
            "seq": "number", "method": "text", "url": "text", "type": "text", "status": "status", "failed": "truth",
            "body": "body", "body_hash": "hash", "time_ms": "number",
        },
    ),
    "number": Standing("a number", frozenset({"int"})),
    "status": Standing("the status of an answer", frozenset({"int", "null"})),
    "hash": Standing("a hash", frozenset({"str", "null"})),
    "body": Standing("what was sent", free=True),
}  # fmt: skip
"""By name; "" is the page in the first tab, with all that belongs to the browser."""

DERIVES_HINT: Final = 'say which state of a control: `field: value`; changes of text are in `at: "@text[*]"`'
_DERIVED: Final[Mapping[str, str]] = {"text": "text", "hidden": "text", "role": "role", "name": "text"}
_TOLD: Final = frozenset(name for name in _STATES if name.startswith("@"))


def derives(selector: "ElementSelector") -> bool | None:
    """See `exactchange.sources.Deriving`: texts, roles and attributes stand in no place of a page."""
    field = selector.field
    if field is None or field == "@type":
        return None
    return field != "name" and (field in _DERIVED or (field.startswith("@") and field != "@disabled"))


def finds(selector: "ElementSelector") -> Standing | None:
    """See `exactchange.sources.Deriving`."""
    field = selector.field
    if field is None:
        return None
    own = selector.role if field == "role" else selector.name if field == "name" else None
    if own is not None:
        return Standing(f"the {field} of what is chosen by it", _TEXT, texts=frozenset({" ".join(own.split())}))
    name = "truth" if field == "disabled" else _STATES.get(field) if field in STATES else _DERIVED.get(field, "text")
    return STANDINGS[name or "text"]


def is_derived(path: Path) -> bool:
    """See `exactchange.sources.Deriving`; of a path that a selector gives."""
    last = str(path[-1]) if path else ""
    return last.startswith("@") and last not in _TOLD
