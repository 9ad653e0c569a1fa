"""`episode.json`: what an episode is of, and how it ended."""

import json
import pathlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from exactchange.case import Ended
from exactchange.episode.blobs import blob_name, opened, write_whole
from exactchange.episode.world import RunWorld
from exactchange.errors import InfrastructureError, UsageError
from exactchange.values import loads, to_json

FILE = "episode.json"
_LONGEST = 4 * 1024 * 1024

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(max_length=4096)]


class InvalidEpisode(UsageError):
    """A recording that is damaged, or altered, or none: nothing of it is used."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


class TaskRef(_Strict):
    """The task of an episode; `hash`: BLAKE2b-256 of the task with its params."""

    id: Text
    hash: Text


class WorldText(_Strict):
    """What a name in the task stood for. No path: an episode tells nothing of the machine on which it was recorded."""

    port: Annotated[int, Field(ge=0, le=65535)] | None = None

    def world(self) -> RunWorld:
        """The same as a world in which nothing is open; for the paths of the run stand names of their own."""
        return RunWorld(pathlib.Path("/workdir"), port=self.port, python="python")


class SourceRef(_Strict):
    """A source as the task declared it: for people; judging takes the parameters of the task."""

    adapter: Text
    params: dict[str, object]


class Software(_Strict):
    """Who ran the episode."""

    name: Text
    version: Text


class End(_Strict):
    """How it ended; `events` and `head`: number of recorded events, and the hash of the last one."""

    ended: Ended
    stopped_at: Annotated[int, Field(ge=1)] | None = None
    ended_ns: Annotated[int, Field(ge=0)]
    events: Annotated[int, Field(ge=1)]
    head: Digest


class Header(_Strict):
    """The whole of `episode.json`. `started_ns`: wall clock. `end`: None while it runs, and after a crash."""

    schema_: Literal["exactchange/episode/1"] = Field(default="exactchange/episode/1", alias="schema")
    id: Text
    task: TaskRef
    params: dict[str, object] = Field(default_factory=dict)
    world: WorldText
    sources: dict[str, SourceRef] = Field(default_factory=dict)
    runner: Software
    judge: Text
    started_ns: Annotated[int, Field(ge=0)]
    redactions: list[Text] = Field(default_factory=list)
    end: End | None = None

    @property
    def origin(self) -> str:
        """Hash of everything but the end: the first event is chained to it."""
        return blob_name(_text(self.model_copy(update={"end": None})).encode("ascii"))


def write_header(header: Header, folder: pathlib.Path) -> None:
    """Write the file whole, durably. Raises InfrastructureError."""
    try:
        write_whole(folder / FILE, _text(header).encode("ascii"), durable=True)
    except OSError as error:
        raise InfrastructureError(f"cannot write {folder / FILE}: {error.strerror}") from error


def read_header(folder: pathlib.Path) -> Header:
    """The header of an episode. Raises InvalidEpisode when it is missing or not what it should be."""
    place = folder / FILE
    try:
        with opened(folder, FILE, limit=_LONGEST) as file:
            found = loads(file.read(_LONGEST))
        return Header.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidEpisode(f"{place}: {where or 'the document'}: {first['msg']}") from error
    except UsageError as error:
        raise InvalidEpisode(f"{place}: {error}") from error


def _text(header: Header) -> str:
    document = to_json(header.model_dump(by_alias=True))
    return json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n"
