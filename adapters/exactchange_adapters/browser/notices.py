"""What pages said to whoever looks at them: dialogs with their answers, and the errors on their console."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from exactchange.values import Value
from exactchange_adapters.browser.secrets import Secrecy, looks_secret
from exactchange_adapters.browser.traffic import lasting

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

MOST_DIALOGS = 200
MOST_ERRORS = 200
LONGEST = 4096
"""Characters of one message; what is longer is not recorded, so that no secret is cut in two."""
_ERRORS = frozenset(["error", "assert"])
_WORD = re.compile(r"[A-Za-z][\w-]*")
_JWT = re.compile(r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+")
_SCHEME = re.compile(r"\b(Bearer|Basic) +[\w.~+/=-]+", re.IGNORECASE)
_SET = re.compile(r"""(?<![\w.-])([A-Za-z][\w.-]*)(["']?\s*[=:]\s*(?!//))("[^"]*"|'[^']*'|[^\s"'&;,)}\]]+)""")

MISSED = "a dialog was answered in a tab before it could be listened to"
UNHEARD = "a tab was closed before its console could be listened to"

Tell = Callable[["CDPSession", str, dict[str, object]], None]


@dataclass(slots=True)
class _Dialog:
    kind: str
    message: str
    secret: bool
    """Whether what it asks for is one."""
    answer: bool | None = None
    text: Value = None

    def value(self) -> Mapping[str, Value]:
        return {"type": self.kind, "message": self.message, "answer": self.answer, "text": self.text}


@dataclass
class Notices:
    """Dialogs and console errors of all tabs of one browser, in the order in which they were told."""

    secrecy: Secrecy
    version: int = 0
    """Grows with everything that is recorded."""
    _dialogs: list[_Dialog] = field(default_factory=list[_Dialog])
    _opened: int = 0
    """Dialogs that the tabs' own sessions told of."""
    _handed: int = 0
    """Dialogs that were handed to the reader's driver, which listens to a new tab earlier, and tells less."""
    _open: dict[int, _Dialog] = field(default_factory=dict[int, _Dialog])
    """By number of tab."""
    _errors: list[Mapping[str, Value]] = field(default_factory=list[Mapping[str, Value]])
    _seen: set[tuple[object, ...]] = field(default_factory=set[tuple[object, ...]])
    """A page that comes back from the browser's cache tells all that it told before once more."""
    _missing: dict[str, str] = field(default_factory=dict[str, str])

    def listen(self, session: "CDPSession", *, tell: Tell) -> None:
        """Hear the console of what a session reaches, from the documents' first word on."""
        apart: set[object] = set()
        session.on("Runtime.executionContextCreated", partial(_set_apart, apart))
        session.on("Runtime.executionContextsCleared", partial(_none_apart, apart))
        session.on("Runtime.consoleAPICalled", partial(_of_the_page, self.on_console, apart))
        session.on("Runtime.exceptionThrown", partial(_of_the_page, self.on_exception, apart))
        session.on("Log.entryAdded", self.on_entry)
        tell(session, "Runtime.enable", {})
        tell(session, "Log.enable", {})

    def listen_to_dialogs(self, session: "CDPSession", *, tab: int) -> None:
        """Hear the dialogs of a tab. They are left alone."""
        session.on("Page.javascriptDialogOpening", partial(self.on_dialog, tab))
        session.on("Page.javascriptDialogClosed", partial(self.on_answer, tab))

    def forget(self) -> None:
        """Begin the record, as `Traffic.forget`; a dialog that is open is still to be answered."""
        self._errors.clear()
        self._missing.clear()
        self._opened = self._handed = 0
        self._dialogs = [dialog for dialog in self._dialogs if dialog.answer is None]

    def dialogs(self) -> list[Value]:
        """Each as {type, message, answer, text}; `answer` is null as long as it is open, `text` what a prompt got."""
        return [dialog.value() for dialog in self._dialogs]

    def console(self) -> list[Value]:
        """Each as {source, text, url}; source is console, exception, or what the browser calls its own."""
        return list[Value](self._errors)

    def missing(self) -> Mapping[str, str]:
        """The facets of which more was told than is recorded, and why."""
        return {"@dialogs": MISSED, **self._missing} if self._handed > self._opened else self._missing

    def on_handed(self) -> None:
        """A dialog of any tab, listened to or not."""
        self._handed += 1
        self.version += 1

    def unheard(self) -> None:
        """A tab or frame went before anybody could ask for what it had said on its console."""
        self._lose("@console", UNHEARD)

    def on_dialog(self, tab: int, event: Mapping[str, object]) -> None:
        """`Page.javascriptDialogOpening`."""
        self._opened += 1
        message = str(event.get("message", ""))
        if not self._room("@dialogs", len(self._dialogs), MOST_DIALOGS, "dialogs", message):
            return
        secret = any(map(looks_secret, _WORD.findall(message)))
        self._open[tab] = dialog = _Dialog(str(event.get("type", "")), shown(message, self.secrecy), secret)
        self._dialogs.append(dialog)
        self.version += 1

    def on_answer(self, tab: int, event: Mapping[str, object]) -> None:
        """`Page.javascriptDialogClosed`."""
        dialog = self._open.pop(tab, None)
        if dialog is None:
            return
        dialog.answer = event.get("result") is True
        said = str(event.get("userInput", ""))
        if dialog.kind == "prompt" and dialog.answer and self._room("@dialogs", 0, 1, "", said):
            dialog.text = self.secrecy.hide(said) if dialog.secret else shown(said, self.secrecy)
        self.version += 1

    def on_console(self, event: Mapping[str, object]) -> None:
        """`Runtime.consoleAPICalled`."""
        if event.get("type") not in _ERRORS or self._again("console", event):
            return
        told = cast("Sequence[Mapping[str, object]]", event.get("args", ()))
        frames = cast("Mapping[str, Sequence[Mapping[str, object]]]", event.get("stackTrace") or {})
        url = next((str(frame.get("url", "")) for frame in frames.get("callFrames", ())), "")
        self._record("console", " ".join(map(_argument, told)), url)

    def on_exception(self, event: Mapping[str, object]) -> None:
        """`Runtime.exceptionThrown`: an error that nothing caught, and a promise whose failure nobody handled."""
        if self._again("exception", event):
            return
        details = cast("Mapping[str, object]", event["exceptionDetails"])
        thrown = cast("Mapping[str, object]", details.get("exception", {}))
        text = str(details.get("text", ""))
        self._record(
            "exception", f"{text} {_argument(thrown)}".strip() if thrown else text, str(details.get("url", ""))
        )

    def on_entry(self, event: Mapping[str, object]) -> None:
        """`Log.entryAdded`. That something could not be loaded is left out: `@requests` tells what matters of it, and
        when a page's icon is asked for is the browser's own choice.
        """
        entry = cast("Mapping[str, object]", event["entry"])
        if entry.get("level") == "error" and entry.get("source") != "network" and not self._again("log", entry):
            self._record(str(entry.get("source")), str(entry.get("text", "")), str(entry.get("url", "")))

    def _again(self, kind: str, event: Mapping[str, object]) -> bool:
        name = (kind, event.get("timestamp"), event.get("executionContextId"), str(event.get("text", ""))[:LONGEST])
        if name in self._seen:
            return True
        if len(self._errors) < MOST_ERRORS:
            self._seen.add(name)
        return False

    def _record(self, source: str, text: str, url: str) -> None:
        if self._room("@console", len(self._errors), MOST_ERRORS, "errors", text):
            self._errors.append(
                {"source": source, "text": shown(text, self.secrecy), "url": lasting(self.secrecy.url(url[:LONGEST]))}
            )
            self.version += 1

    def _room(self, facet: str, count: int, most: int, what: str, text: str) -> bool:
        """Whether one more can be recorded; where it cannot, the facet is unread from here on."""
        if count < most and len(text) <= LONGEST:
            return True
        reason = f"a message of {facet} is too long to record" if count < most else f"more {what} than are recorded"
        self._lose(facet, reason)
        return False

    def _lose(self, facet: str, reason: str) -> None:
        if facet not in self._missing:
            self._missing[facet] = reason
            self.version += 1


def shown(text: str, secrecy: Secrecy) -> str:
    """A message without the secrets in it: tokens, and what stands behind a name that says so, as in `token=abc`."""

    def instead(found: str) -> str:
        return f"secret-{secrecy.print(found)[:16]}"

    def named(match: re.Match[str]) -> str:
        name, between, value = match.groups()
        if not looks_secret(name):
            return match[0]
        bare = value.strip("\"'")
        return f"{name}{between}{value.replace(bare, instead(bare))}" if bare else match[0]

    text = _JWT.sub(lambda match: instead(match[0]), text)
    text = _SCHEME.sub(lambda match: f"{match[1]} {instead(match[0])}", text)
    text = _SET.sub(named, text)
    told = secrecy.named("", text)  # a password in an address, a private key
    return told if isinstance(told, str) else instead(text)


def _argument(told: Mapping[str, object]) -> str:
    """What a console shows of a value, of an error its first line: where it was thrown differs from build to build."""
    if "value" in told:
        value = told["value"]
        return value if isinstance(value, str) else json.dumps(value)
    text = str(told.get("unserializableValue", told.get("description", told.get("type", ""))))
    return text.partition("\n    at ")[0] if told.get("subtype") == "error" else text


def _set_apart(apart: set[object], event: Mapping[str, object]) -> None:
    """`Runtime.executionContextCreated`: a world that no script of the page runs in, such as the reader's own."""
    context = cast("Mapping[str, object]", event["context"])
    if cast("Mapping[str, object]", context.get("auxData") or {}).get("type") == "isolated":
        apart.add(context["id"])


def _none_apart(apart: set[object], _: object) -> None:
    """`Runtime.executionContextsCleared`."""
    apart.clear()


def _of_the_page(hear: Callable[[Mapping[str, object]], None], apart: set[object], event: Mapping[str, object]) -> None:
    details = cast("Mapping[str, object]", event.get("exceptionDetails", event))
    if details.get("executionContextId") not in apart:
        hear(event)
