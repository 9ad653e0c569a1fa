"""What the pages asked for and downloaded since the first capture, heard from events that every client may hear."""

import email.message
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from exactchange.address import key_segment
from exactchange.values import ABSENT, Path, State, Value
from exactchange_adapters.browser.body import body_value
from exactchange_adapters.browser.downloaded import Contents
from exactchange_adapters.browser.secrets import Secrecy

if TYPE_CHECKING:
    from playwright.async_api import Request, Response, WebSocket

MOST_REQUESTS = 5000
MOST_DOWNLOADS = 500
# What a person or script sends or asks for; pictures, styles and fonts follow from it.
RECORDED = frozenset(["document", "xhr", "fetch", "eventsource", "websocket", "ping", "beacon", "form", "other"])
# Asked for by a page for its looks; still in flight they do not make it unsettled for long.
ENDLESS = frozenset(["eventsource", "websocket", "media", "ping", "beacon"])


@dataclass(slots=True)
class _Asked:
    seq: int
    method: str
    url: str
    kind: str
    time_ms: int
    body: State = ABSENT
    body_hash: str | None = None
    status: int | None = None
    failed: bool = False

    def value(self) -> Mapping[str, Value]:
        body: dict[str, Value] = {} if self.body is ABSENT else {"body": self.body}
        return body | {
            "seq": self.seq,
            "method": self.method,
            "url": self.url,
            "type": self.kind,
            "status": self.status,
            "failed": self.failed,
            "body_hash": self.body_hash,
            "time_ms": self.time_ms,
        }


@dataclass(slots=True)
class _Download:
    url: str
    name: str
    state: str = "inProgress"
    size: int = 0
    guid: str = ""
    """What the browser calls it; "" of one that was not heard of."""

    def value(self) -> Mapping[str, Value]:
        return {"name": self.name, "url": self.url, "state": self.state, "size": self.size}


@dataclass
class Traffic:
    """Requests and downloads of all tabs of one browser, in the order in which they began."""

    secrecy: Secrecy
    own: bool = False
    """Whether the browser was started by the judge, on this machine."""
    version: int = 0
    """Grows with everything that is recorded, so that two equal numbers mean that nothing happened in between."""
    too_many: bool = False
    by_worker: bool = False
    """Whether a service worker answered: then nobody knows what the server was asked."""
    _asked: list[_Asked] = field(default_factory=list[_Asked])
    _numbered: int = 0
    _by_request: "dict[Request, _Asked]" = field(default_factory=lambda: {})
    _downloads: dict[str, _Download] = field(default_factory=dict[str, _Download])
    _attached: "dict[Request, _Download]" = field(default_factory=lambda: {})
    """Answers that are to be saved, not shown."""
    _suspected: list[_Download] = field(default_factory=list[_Download])
    """Such answers to a navigation that came to nothing: each is a download, heard of or not."""
    _flying: "dict[Request, float]" = field(default_factory=lambda: {})
    """When each was asked for."""
    _patience: "set[Request]" = field(default_factory=lambda: set[Any]())

    def __post_init__(self) -> None:
        self.contents = Contents(self.secrecy, self.own, self._more)

    def _more(self) -> None:
        self.version += 1

    def forget(self) -> None:
        """Begin the record: what was asked before the first capture belongs to bringing the world up."""
        self._asked.clear()
        self.by_worker = False
        self._numbered = 0
        self._by_request.clear()

    def in_flight(self, *, younger_s: float = math.inf) -> list[str]:
        """What is being waited for, as method and address, less what was waited for in vain before."""
        since = time.monotonic() - younger_s
        asked = [request for request, begin in self._flying.items() if begin > since and request not in self._patience]
        return [f"{request.method} {self.secrecy.url(request.url)}" for request in asked]

    def latest(self, count: int) -> list[str]:
        """The last of what was asked for, as method and address, newest first: at most so many."""
        return [f"{asked.method} {asked.url}" for asked in reversed(self._asked[-count:])] if count > 0 else []

    def give_up_waiting(self) -> None:
        """Wait no more for what is in flight now, such as a long poll."""
        self._patience = set(self._flying)

    def requests(self) -> list[Value]:
        """Each as {seq, method, url, type, status, failed, body, body_hash, time_ms}.

        `seq` counts from 1 and names a request for good: that of one that is left out later is not used again. `status`
        is null until the answer came; `body` is null when none was sent, and missing when its content is not known (see
        `body_value`); `body_hash` is keyed, for equality within a run; `time_ms` is wall time since 1970.
        """
        return [asked.value() for asked in self._asked]

    def downloads(self) -> list[Value]:
        """Each as {name, url, state, size}; `state` is inProgress, completed, canceled or unknown."""
        return [item.value() for item in self._all_downloads()]

    def downloaded(self) -> tuple[dict[str, Value], list[tuple[Path, str]]]:
        """What the files hold, by key: each as {sha256}, null where there is none; and the places of which that is not
        known, with the reason. What is not known by now is not waited for any more.
        """
        out: dict[str, Value] = {}
        unknown: list[tuple[Path, str]] = []
        for item in self._all_downloads():
            name = next(name for name in _keys(item.name) if name not in out)
            content = self.contents.of(item.guid, item.state)
            out[name] = {} if content is ABSENT else {"sha256": content}
            if content is ABSENT:
                unknown.append(((name, "sha256"), self.contents.why(item.guid, item.state)))
            if content is ABSENT and item.state == "completed":
                self.contents.give_up(item.guid)
        return out, unknown

    def _all_downloads(self) -> list[_Download]:
        heard = Counter(download.url for download in self._downloads.values())
        unheard: list[_Download] = []
        for download in self._suspected:
            heard[download.url] -= 1
            if heard[download.url] < 0:
                unheard.append(download)
        return [*self._downloads.values(), *unheard]

    def on_request(self, request: "Request") -> None:
        if request.resource_type not in ENDLESS:
            self._flying[request] = time.monotonic()
        if request.resource_type not in RECORDED or request.url.startswith(("data:", "blob:")):
            return
        asked = self._record(request.method, request.url, request.resource_type)
        if asked is None:
            return
        self._by_request[request] = asked
        body = request.post_data_buffer
        if body is not None:
            asked.body_hash = self.secrecy.digest(body)
            asked.body = body_value(request.headers.get("content-type", ""), body, self.secrecy)
        elif request.headers.get("content-length", "0") == "0":
            asked.body = None

    def on_socket(self, socket: "WebSocket") -> None:
        """A web socket is asked for; what is said on it is not recorded."""
        asked = self._record("GET", socket.url, "websocket")
        if asked is not None:
            asked.body = None

    def _record(self, method: str, url: str, kind: str) -> _Asked | None:
        if len(self._asked) >= MOST_REQUESTS:
            self.too_many = True
            return None
        self._numbered += 1
        asked = _Asked(self._numbered, method, self.secrecy.url(url), kind, time.time_ns() // 1_000_000)
        self._asked.append(asked)
        self.version += 1
        return asked

    def on_response(self, response: "Response") -> None:
        disposition = response.headers.get("content-disposition", "")
        if disposition.lower().startswith("attachment") and len(self._attached) < MOST_DOWNLOADS:
            size = response.headers.get("content-length", "")
            address = self.secrecy.url(response.url)
            self._attached[response.request] = _Download(
                address, _name(disposition, address), "unknown", int(size) if size.isdecimal() else 0
            )
        asked = self._by_request.get(response.request)
        if asked is not None:
            asked.status = response.status
            self.by_worker = self.by_worker or response.from_service_worker
            self.version += 1
            # A page's icon comes as "other", at a moment of the browser's own choosing: a picture like any other.
            if asked.kind == "other" and response.headers.get("content-type", "").lower().startswith("image/"):
                self._asked.remove(self._by_request.pop(response.request))

    def on_end(self, request: "Request") -> None:
        self._flying.pop(request, None)
        self._patience.discard(request)

    def on_failure(self, request: "Request") -> None:
        self.on_end(request)
        if request in self._attached and request.is_navigation_request():
            # A tab that is opened for a download alone is gone before anybody can listen to it.
            self._suspected.append(self._attached.pop(request))
            self.version += 1
        asked = self._by_request.get(request)
        if asked is not None:
            asked.failed = True
            self.version += 1

    def on_download(self, event: Mapping[str, object]) -> None:
        """`Page.downloadWillBegin`; every tab's session may tell of the same one."""
        if len(self._downloads) >= MOST_DOWNLOADS:
            self.too_many = True
            return
        guid = str(event.get("guid"))
        if guid not in self._downloads:
            address = lasting(self.secrecy.url(str(event.get("url"))))
            self._downloads[guid] = _Download(address, str(event.get("suggestedFilename")), guid=guid)
            self.version += 1

    def on_download_progress(self, event: Mapping[str, object]) -> None:
        """`Page.downloadProgress`."""
        download = self._downloads.get(str(event.get("guid")))
        if download is not None:
            download.state = str(event.get("state"))
            size = event.get("receivedBytes")
            download.size = int(size) if isinstance(size, int | float) else 0
            self.version += 1

    def downloading(self) -> bool:
        """Whether a download has not come to its end, or it is still to be told what it brought."""
        return any(
            item.state == "inProgress" or (item.state == "completed" and self.contents.awaited(item.guid))
            for item in self._downloads.values()
        )


def _keys(name: str) -> Iterator[str]:
    """What files of the same name are called, one after the other."""
    yield key_segment([("name", name)])
    yield from (key_segment([("name", name), ("n", number)]) for number in count(2))


def _name(disposition: str, address: str) -> str:
    """The name under which an answer is to be saved."""
    message = email.message.Message()
    message["content-disposition"] = disposition
    name = message.get_filename() or urlsplit(address).path.rpartition("/")[2] or "download"
    return name.replace("\\", "/").rpartition("/")[2]


def lasting(address: str) -> str:
    """An address without what is random or huge in it: blob numbers, the content of data addresses."""
    if address.startswith("blob:"):
        parts = urlsplit(address.removeprefix("blob:"))
        return f"blob:{parts.scheme}://{parts.netloc}"
    return address.partition(",")[0] if address.startswith("data:") else address
