"""The readers of one run: they capture all sources at once, and a deadline outside ends what never answers."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from exactchange.errors import ExactChangeError, InfrastructureError
from exactchange.snapshot import Mark, Snapshot, TreeSnapshot, lost
from exactchange.sources import Reader, SourceParams, World
from exactchange.sources.concealing import Concealing
from exactchange.sources.registry import AnyKind
from exactchange.sources.witnessing import Heard, Witness
from exactchange.values import Value

_GRACE_S = 2.0
"""How long after its own deadline a reader may still answer."""

AnyReader: TypeAlias = "Reader[Any]"  # readers of every snapshot type stand side by side


@dataclass(frozen=True, slots=True)
class Taken:
    """One capture of one source; `failure`: what failed in the infrastructure while it was taken."""

    source: str
    snapshot: Snapshot
    failure: str | None = None


class Watch:
    """Opens the reader of every source, and captures some or all of them."""

    def __init__(self, sources: Mapping[str, tuple[AnyKind, SourceParams]], *, deadline_s: float) -> None:
        self._sources = sources
        self._deadline_s = deadline_s
        self._readers: dict[str, AnyReader] = {}
        self._previous: dict[str, Snapshot] = {}
        self._open = AsyncExitStack()

    async def open(self, world: World) -> None:
        """Open all readers. Raises InfrastructureError or UsageError; then none is open."""
        try:
            for name, (kind, params) in self._sources.items():
                self._readers[name] = await self._open.enter_async_context(kind.open(params, world=world))
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close all readers: nothing of them lingers."""
        self._readers.clear()
        self._previous.clear()
        await self._open.aclose()

    async def capture(self, mark: Mark, names: Iterable[str]) -> list[Taken]:
        """These sources now, at the same time, in this order."""
        return list(await asyncio.gather(*(self._one(name, mark) for name in names)))

    def hear(self) -> Mapping[str, Heard]:
        """What the sources saw of the work since the last call, of those that listen."""
        found = {name: reader.witnessed() for name, reader in self._readers.items() if isinstance(reader, Witness)}
        return {name: heard for name, heard in found.items() if heard is not None}

    async def concealed(self, raw: Mapping[str, Value]) -> Mapping[str, Value]:
        """The call of an action without what the readers know to be secret, before anybody writes it down."""
        given = cast("object", raw)
        readers = [reader for reader in self._readers.values() if isinstance(reader, Concealing)]
        if isinstance(given, Mapping):  # of what is none, normalising says so
            for reader in readers:
                raw = await reader.conceal(str(raw.get("kind")), raw)
        return raw

    async def without(self, text: str) -> str:
        """A text of the agent's or the runner's; where a secret stands in it, the seal of the whole."""
        kept = (await self.concealed({"kind": "message", "text": text}))["text"]
        return f"hmac:{kept['@secret']}" if isinstance(kept, Mapping) else text

    async def _one(self, name: str, mark: Mark) -> Taken:
        kind = self._sources[name][0]
        reader = self._readers[name]
        previous = self._previous.get(name)
        reading = reader.capture(mark=mark, previous=previous, deadline_s=self._deadline_s)
        try:
            snapshot: Snapshot = await asyncio.wait_for(reading, self._deadline_s + _GRACE_S)
        except TimeoutError:
            reason = f"it did not answer within {self._deadline_s:g} s"
            return Taken(name, lost(kind.name, mark, reason=reason, cause="content"))
        except InfrastructureError as error:
            return self._failed(name, mark, str(error))
        except ExactChangeError as error:
            return Taken(name, lost(kind.name, mark, reason=str(error), cause="content"))
        except Exception as error:  # noqa: BLE001  # an adapter's own mistake: no verdict, never a pass
            return self._failed(name, mark, f"adapter {kind.name!r} failed: {type(error).__name__}: {error}")
        if isinstance(snapshot, TreeSnapshot) and previous is not None:
            snapshot.learn(previous)
        self._previous[name] = snapshot
        return Taken(name, snapshot)

    def _failed(self, name: str, mark: Mark, message: str) -> Taken:
        told = f"{name}: {message}"
        snapshot = lost(self._sources[name][0].name, mark, reason=message, cause="infrastructure")
        return Taken(name, snapshot, told)
