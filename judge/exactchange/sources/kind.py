"""What an adapter provides: a pure half (SourceKind) and a live half (Reader)."""

import pathlib
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from exactchange.address import AddressPattern, Style
from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Note, Snapshot, Unread
from exactchange.values import Path, State, Value
from exactchange.values.locales import figures_of


class SourceParams(BaseModel):
    """What every source may say; an adapter's own parameters extend it. Text may hold `{workdir} {port} {python}`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    facets: ClassVar[frozenset[str] | None] = None
    """What `closed` may name: a misspelt facet would be open without a word. None: the adapter checks it itself."""

    only: tuple[str, ...] = Field(default=(), description="Address patterns: nothing else of the source is looked at.")
    except_: tuple[str, ...] = Field(default=(), alias="except", description="Address patterns that are left out.")
    closed: tuple[str, ...] = Field(
        default=(), description="Facets in which nothing else may change, beyond the usual."
    )
    key: str | None = Field(default=None, description="The column or field that identifies rows or items.")
    missing: Literal["ok"] | None = Field(default=None, description='"ok": absent from beginning to end is no mistake.')
    locale: str | None = Field(
        default=None, description="How numbers stand in its texts, by a BCP 47 name such as de-CH; for `number`."
    )

    @field_validator("closed")
    @classmethod
    def _closed_is_known(cls, closed: tuple[str, ...]) -> tuple[str, ...]:
        odd = [facet for facet in closed if cls.facets is not None and facet not in cls.facets]
        if odd:
            there = f"there is {', '.join(sorted(cls.facets or ()))}" if cls.facets else "all of it is closed anyway"
            raise ValueError(f"there is no facet called {odd[0]!r} to close; {there}")
        return closed

    @field_validator("key")
    @classmethod
    def _key_is_a_name(cls, key: str | None) -> str | None:
        if key is not None and not key.strip():
            raise ValueError("`key` is empty; write the name of a column or field")
        return key

    @field_validator("locale")
    @classmethod
    def _locale_is_known(cls, locale: str | None) -> str | None:
        if locale is not None:
            try:
                figures_of(locale)
            except UsageError as error:
                raise ValueError(str(error)) from error
        return locale


@dataclass(frozen=True, slots=True)
class Match:
    """One node that a selector or pattern found in a snapshot."""

    path: Path
    address: str
    value: Value


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Two trees that hold all that differs between two snapshots, and as little else as is cheap to leave out.

    Equal parts may be left out of both trees. `unread`: what could not be read on either side. `notes`: what only the
    two together tell, such as that a file was reformatted.
    """

    before: State
    after: State
    unread: tuple[Unread, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class RowShape:
    """What is known of a row's columns: which identify it, and what an unlisted one holds of itself."""

    identity: frozenset[str] = frozenset()
    defaults: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Literal DEFAULT of each column that has one; a column that is not named here defaults to null."""
    computed: frozenset[str] = frozenset()
    """Generated columns: they follow from the others and are explained with them."""


class World(Protocol):
    """What a run brought up (or the directory that stands for it offline)."""

    @property
    def workdir(self) -> pathlib.Path: ...

    @property
    def cdp_url(self) -> str | None:
        """Address of the browser's debugging endpoint, `http://127.0.0.1:PORT`, or None when there is no browser."""
        ...

    @property
    def own_browser(self) -> bool:
        """Whether that browser was brought up for this run: in anybody else's, nothing may be set in another way."""
        ...

    @property
    def claimed(self) -> frozenset[pathlib.Path]:
        """Files that belong to other sources of the task; a directory source leaves them out."""
        ...


P = TypeVar("P", bound=SourceParams, contravariant=True)
Q = TypeVar("Q", bound=BaseModel, contravariant=True)
S = TypeVar("S", bound=Snapshot)
S_co = TypeVar("S_co", bound=Snapshot, covariant=True)


class BlobStore(Protocol):
    """Content-addressed bytes beside an episode."""

    def put(self, data: bytes) -> str:
        """Store bytes once; the name is their BLAKE2b-256 in hexadecimal."""
        ...

    def get(self, name: str, *, limit: int) -> bytes:
        """The bytes of a name, checked against it. Raises UsageError when missing, altered or longer than `limit`."""
        ...


class Reader(Protocol[S]):
    """Live half: the only code that touches the world."""

    async def capture(self, *, mark: Mark, previous: S | None, deadline_s: float) -> S:
        """The source as it is now. What cannot be read is in the snapshot as unread, with its cause.

        Raises InfrastructureError only when the means of reading are gone (the browser died), never for content.
        `previous`: the reader's last snapshot, so that what did not change need not be read or stored again.
        """
        ...

    async def aclose(self) -> None:
        """Let go of the source; nothing of the reader lingers afterwards."""
        ...


class SourceKind(Protocol[P, Q, S]):
    """Pure half; entry-point group `exactchange.adapters`. Works with no live source, and keeps no state."""

    @property
    def name(self) -> str: ...

    @property
    def params(self) -> type[BaseModel]:
        """The model of the source's parameters, a subclass of SourceParams."""
        ...

    @property
    def selector(self) -> type[BaseModel]:
        """The model of the place fields that it understands beside `at` (such as css, or table and column)."""
        ...

    @property
    def style(self) -> Style:
        """How its addresses are spelt."""
        ...

    @property
    def needs_browser(self) -> bool:
        """Whether it reads a page: a run then starts a browser, and reads it before the application is closed."""
        ...

    def open(self, params: P, *, world: World) -> AbstractAsyncContextManager[Reader[S]]:
        """A reader of the live source."""
        ...

    def from_path(self, path: pathlib.Path | None, params: P, *, world: World, budget: Budget) -> S:
        """A snapshot of copied state: of the file or directory at `path`, or (None) of what the params name.

        A kind whose state is no file (a browser) answers with a snapshot that is unread as a whole, for
        the cause infrastructure.
        """
        ...

    def claims(self, params: P) -> tuple[pathlib.Path, ...]:
        """Files that are this source's state, with their side files; a tree leaves them to it."""
        ...

    def narrow(self, before: S, after: S, *, params: P, budget: Budget) -> Narrowed:
        """The two states as trees, reduced to what differs; cost grows with what changed."""
        ...

    def describe(self, path: Path, *, before: S, after: S) -> tuple[str, Mapping[str, Value]]:
        """Address for people, and place in the source's language (`at` of the JSON contract)."""
        ...

    def find(self, snapshot: S, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        """Every node of the whole state that an address pattern stands for."""
        ...

    def select(self, snapshot: S, selector: Q, *, budget: Budget) -> Sequence[Match]:
        """Every node of the whole state that the kind's own selector stands for. A row's value is its mapping."""
        ...

    def rows(self, snapshot: S, sql: str, arguments: Mapping[str, Value], *, budget: Budget) -> Sequence[Value]:
        """The rows (mappings) that a query gives on the snapshot. Raises UsageError where the kind has no queries."""
        ...

    def row_at(self, snapshot: S, path: Path) -> Mapping[str, Value] | None:
        """The whole row (or mapping) at this path; None when it is not there. Asked for every changed row."""
        ...

    def row_shape(self, snapshot: S, path: Path) -> RowShape | None:
        """What is known of the row at this path; None when it is no row but an ordinary node."""
        ...

    def in_scope(self, path: Path, params: P) -> bool:
        """Whether "nothing else changed" covers this place (of a page: only its closed facets)."""
        ...

    def scope(self, params: P) -> str:
        """What the closed world covers, for people, without the source's name: "" for everything."""
        ...

    def value_types(self, params: P) -> frozenset[str] | None:
        """Names of the scalar types that it can ever hold (`{"str"}` for pages, ini, env); None: any."""
        ...

    def save(self, snapshot: S, *, base: S | None, store: BlobStore) -> Mapping[str, Value]:
        """A record from which `load` makes the same snapshot; with `base`, as little as tells it from the base."""
        ...

    def load(self, record: Mapping[str, Value], *, base: S | None, store: BlobStore, budget: Budget) -> S:
        """The snapshot of a record. The record may be hostile: raises UsageError, follows no path in it."""
        ...
