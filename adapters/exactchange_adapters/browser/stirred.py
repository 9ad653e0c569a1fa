"""What a browser tells of stored items as they change, also of a page that leaves in the step that changed them.

An item is told as the page's process sets it, before another document is there. What is set while a page is being left
(`pagehide`) is not told.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias, cast

from exactchange_adapters.browser.areas import partition_of

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

MOST_ITEMS = 5000
MOST_CHARACTERS = 32 * 1024 * 1024
TOO_MANY = "more items changed than are remembered as it was left"
Place: TypeAlias = tuple[str | int, str]
"""A browser context (local storage) or the number of a tab (session storage), and the label of an origin."""


@dataclass(frozen=True, slots=True)
class Items:
    """What was heard of the items of one place: those that were set, None for removed. `cleared`: all others went."""

    place: Place
    cleared: bool
    items: tuple[tuple[str, str | None], ...]
    why: str = ""


@dataclass(slots=True)
class _Heard:
    """Items by key, each with the time when it was set last. `cleared_at`: when all were removed, 0 for never."""

    items: dict[str, tuple[float, str | None]] = field(default_factory=dict[str, tuple[float, str | None]])
    cleared_at: float = 0.0
    lost_at: float = 0.0


@dataclass
class Stirred:
    """Listens to the stores of tabs and frames."""

    label: Callable[[str, str], str]
    _heard: dict[Place, _Heard] = field(default_factory=dict[Place, _Heard])
    _count: int = 0
    _size: int = 0

    def listen(self, session: "CDPSession", *, tab: int, context: str) -> None:
        """Hear of a tab, or a frame of it that has a session of its own."""

        def place(event: Mapping[str, object]) -> Place:
            store = cast("Mapping[str, object]", event["storageId"])
            name = str(store.get("storageKey", ""))
            origin = str(store.get("securityOrigin") or name.partition("^")[0].removesuffix("/"))
            return (context if store["isLocalStorage"] else tab), self.label(origin, partition_of(name))

        def on_set(event: Mapping[str, object]) -> None:
            self.hear(place(event), str(event["key"]), cast("str | None", event.get("newValue")))

        def on_cleared(event: Mapping[str, object]) -> None:
            self.clear(place(event))

        session.on("DOMStorage.domStorageItemAdded", on_set)
        session.on("DOMStorage.domStorageItemUpdated", on_set)
        session.on("DOMStorage.domStorageItemRemoved", on_set)
        session.on("DOMStorage.domStorageItemsCleared", on_cleared)

    def hear(self, place: Place, key: str, value: str | None) -> None:
        """An item was set, or with None removed."""
        heard = self._heard.setdefault(place, _Heard())
        size = len(key) + len(value or "")
        before = heard.items.pop(key, None)
        self._count += 0 if before else 1
        self._size += size - (len(key) + len(before[1] or "") if before else 0)
        heard.items[key] = (monotonic(), value)
        if self._count > MOST_ITEMS or self._size > MOST_CHARACTERS:
            self._drop(heard)
            heard.lost_at = monotonic()

    def clear(self, place: Place) -> None:
        """All items were removed."""
        heard = self._heard.setdefault(place, _Heard())
        self._drop(heard)
        heard.cleared_at = monotonic()

    def _drop(self, heard: _Heard) -> None:
        self._count -= len(heard.items)
        self._size -= sum(len(key) + len(value or "") for key, (_, value) in heard.items.items())
        heard.items.clear()

    def all(self) -> list[Items]:
        """What was heard since what was forgotten, by place."""
        return [
            Items(
                place,
                bool(heard.cleared_at),
                tuple((key, value) for key, (_, value) in heard.items.items()),
                TOO_MANY if heard.lost_at else "",
            )
            for place, heard in sorted(self._heard.items(), key=lambda pair: (str(pair[0][0]), pair[0][1]))
        ]

    def forget(self, *, before: float) -> None:
        """What came before this time was read, or is settled."""
        for place, heard in list(self._heard.items()):
            later = {key: pair for key, pair in heard.items.items() if pair[0] >= before}
            self._drop(heard)
            heard.items = later
            self._count += len(later)
            self._size += sum(len(key) + len(value or "") for key, (_, value) in later.items())
            heard.cleared_at = heard.cleared_at if heard.cleared_at >= before else 0.0
            heard.lost_at = heard.lost_at if heard.lost_at >= before else 0.0
            if not (later or heard.cleared_at or heard.lost_at):
                del self._heard[place]
