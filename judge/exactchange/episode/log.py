"""Reads `events.jsonl` as strictly as it was written: one object a line, numbered, chained."""

import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from pydantic import ValidationError

from exactchange.episode.blobs import BlobFolder, blob_name, opened
from exactchange.episode.events import EVENT, FILE, FOREIGN, LONGEST_LINE, LONGEST_SPILL, Event
from exactchange.episode.header import Header, InvalidEpisode
from exactchange.errors import UsageError
from exactchange.limits import Budget
from exactchange.snapshot import Note
from exactchange.values import ABSENT, Value, loads

_LARGEST = 512 * 1024 * 1024


@dataclass(slots=True)
class EventLog:
    """What the log holds. `torn`: its last line is cut off. `head`: hash of the last whole line."""

    head: str
    events: list[Event] = field(default_factory=list[Event])
    count: int = 0
    torn: bool = False
    notes: list[Note] = field(default_factory=list[Note])


def read_log(folder: pathlib.Path, header: Header, *, budget: Budget) -> EventLog:
    """All events. Raises InvalidEpisode, with the number of the line, for whatever is not as the recorder writes it.

    Only a recording that was never sealed may end in a torn line: that is what a crash leaves.
    """
    log = EventLog(header.origin)
    blobs = BlobFolder(folder / "blobs")
    try:
        with opened(folder, FILE, limit=_LARGEST) as file:
            for number, line in _lines(file, folder / FILE, log):
                budget.spend(bytes=len(line), nodes=1)
                _read_line(log, line, blobs=blobs, number=number, place=folder / FILE)
    except InvalidEpisode:
        raise
    except UsageError as error:
        raise InvalidEpisode(str(error)) from error
    _check_seal(log, header, folder / FILE)
    return log


def _lines(file: BinaryIO, place: pathlib.Path, log: EventLog) -> Iterator[tuple[int, bytes]]:
    """Lines end with the byte LF and with nothing else."""
    number = 0
    while line := file.readline(LONGEST_LINE + 2):
        number += 1
        if len(line.removesuffix(b"\n")) > LONGEST_LINE:
            raise InvalidEpisode(f"{place}:{number}: a line of more than 1 MiB")
        if not line.endswith(b"\n"):
            log.torn = True
            return
        yield number, line[:-1]


def _read_line(log: EventLog, line: bytes, *, blobs: BlobFolder, number: int, place: pathlib.Path) -> None:
    try:
        record = _object(line)
        if record.get("prev") != log.head or record.get("seq") != number:
            raise UsageError("it does not follow the line before it: lines were altered, removed, added or moved")
        spilled = record.get("body")
        if isinstance(spilled, str):
            inner = _object(blobs.get(spilled, limit=LONGEST_SPILL))
            record = {**inner, **{name: value for name, value in record.items() if name != "body"}}
        if record.get("type") in FOREIGN:
            log.notes.append(Note("forged", f"event {number} is a verdict inside the recording; it was not used"))
        else:
            log.events.append(EVENT.validate_python(record))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InvalidEpisode(f"{place}:{number}: {where or 'event'}: {first['msg']}") from error
    except UsageError as error:
        raise InvalidEpisode(f"{place}:{number}: {error}") from error
    log.head = blob_name(line)
    log.count = number


def _object(text: bytes) -> Mapping[str, Value]:
    found = loads(text)
    if found is ABSENT or not isinstance(found, Mapping):
        raise UsageError("not a JSON object")
    return found


def _check_seal(log: EventLog, header: Header, place: pathlib.Path) -> None:
    if header.end is None:
        if log.torn:
            log.notes.append(Note("torn", "the last line of the recording is cut off; it was not used"))
        return
    if log.torn or (log.count, log.head) != (header.end.events, header.end.head):
        raise InvalidEpisode(
            f"{place}: the recording was sealed with {header.end.events} events and now has {log.count} whole lines, "
            "or others; it was altered afterwards"
        )
