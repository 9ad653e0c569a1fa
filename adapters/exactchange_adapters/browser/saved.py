"""Saved pages: files of markup, read without a browser, as far as markup tells what a page holds."""

import json
import pathlib
import secrets
import subprocess
import sys
import time
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, cast

from exactchange.address import Style, format_path
from exactchange.errors import InfrastructureError
from exactchange.snapshot import Mark, Note, Unread
from exactchange.values import ABSENT
from exactchange_adapters.browser.saved_notes import SavedPage
from exactchange_adapters.browser.snapshot import StoredDocument, pack
from exactchange_adapters.file.disk import Gone, read_entry

if TYPE_CHECKING:
    from exactchange_adapters.browser.saved_tree import SavedTree

LARGEST_PAGE: Final = 48 * 1024 * 1024
"""Bytes of a file."""
SECONDS = 20
"""Of processor time, for one page."""
_PATIENCE_S: Final = 60.0
_TOO_MUCH: Final = "it takes more time or memory than a page may"
_AS_WRITTEN: Final = Note(
    "saved page", "values are those of the markup: what was typed, cookies, storage and requests are not in the file"
)  # fmt: skip
_STYLED: Final = Note("saved page", "stylesheets are not applied: text that they hide counts as text that is seen")


def read_saved(path: pathlib.Path) -> SavedPage:
    """The page that was saved in a file. What cannot be read is unread, with the reason."""
    try:
        # A person's own argument: what a link leads to is meant.
        until = time.monotonic() + _PATIENCE_S
        entry = read_entry(str(path.resolve()), dir_fd=None, keep=LARGEST_PAGE, largest=LARGEST_PAGE, until=until)
    except Gone:
        return SavedPage("browser", ABSENT)
    if entry.data is None:
        return _unread(entry.trouble or f"it is no file but a {entry.type}")
    read = _read_apart(entry.data)
    if isinstance(read, str):
        return _unread(read)
    unread = tuple(Unread(place, format_path(place, style=Style.PAGE), why) for place, why in read["unread"])
    documents = tuple(StoredDocument(place, pack(nodes)) for place, nodes in read["documents"])
    notes = (_AS_WRITTEN, _STYLED) if read["styled"] else (_AS_WRITTEN,)
    tree = read["tree"] if documents else ABSENT
    written = blake2b(entry.data, digest_size=16).hexdigest()
    return SavedPage("browser", tree, Mark(), unread, notes if documents else (), documents, written=written)


def _read_apart(data: bytes) -> "SavedTree | str":
    """What a process of its own makes of markup, which can be written so that it takes very long; or why nothing."""
    program = [sys.executable, "-P", "-m", "exactchange_adapters.browser.saved_worker", str(SECONDS)]
    try:
        done = subprocess.run(
            program, input=_key().hex().encode() + b"\n" + data, capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return _TOO_MUCH
    except OSError as error:
        raise InfrastructureError(f"no process could be started to read a page: {error}") from error
    if done.returncode < 0:
        return _TOO_MUCH
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise InfrastructureError(f"the process that reads saved pages failed: {last}")
    read = cast("SavedTree", json.loads(done.stdout))
    for told in (read["documents"], read["unread"]):
        told[:] = [(tuple(place), text) for place, text in told]
    return read


def _unread(reason: str) -> SavedPage:
    return SavedPage("browser", ABSENT, unread=(Unread((), "", reason),))


@cache
def _key() -> bytes:
    """One for all pages that this process compares: what is equal of two secrets shows by the same key only."""
    return secrets.token_bytes(32)
