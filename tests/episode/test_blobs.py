import os
import pathlib
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.episode import BlobFolder
from exactchange.episode.blobs import blob_name, opened, write_whole
from exactchange.errors import InfrastructureError, UsageError

LIMIT = 1024


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    made = tmp_path / "blobs"
    made.mkdir()
    return made


@given(st.binary(max_size=200))
def test_what_was_put_is_got(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = BlobFolder(tmp_path_factory.mktemp("store") / "blobs")
    assert store.get(store.put(data), limit=LIMIT) == data


def test_equal_bytes_are_stored_once(folder: pathlib.Path) -> None:
    store = BlobFolder(folder)
    assert store.put(b"same") == store.put(b"same")
    assert store.put(b"other") != store.put(b"same")
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    "name",
    [
        "../outside.json",
        "/etc/hostname",
        "a\0b",
        "",
        ".",
        "..",
        "0" * 63,
        "0" * 65,
        "A" * 64,
        "0" * 63 + "/",
        "0" * 64 + "\n",
        "０" * 64,
    ],
)
def test_only_sixty_four_hexadecimal_digits_are_a_name(folder: pathlib.Path, name: str) -> None:
    (folder.parent / "outside.json").write_text("{}")
    with pytest.raises(UsageError, match="64 hexadecimal digits"):
        BlobFolder(folder).get(name, limit=LIMIT)


def test_altered_bytes_are_refused(folder: pathlib.Path) -> None:
    name = BlobFolder(folder).put(b"true")
    (folder / name).write_bytes(b"fals")
    with pytest.raises(UsageError, match="does not hold"):
        BlobFolder(folder).get(name, limit=LIMIT)


def test_longer_than_the_limit_is_refused(folder: pathlib.Path) -> None:
    name = BlobFolder(folder).put(b"x" * LIMIT)
    assert len(BlobFolder(folder).get(name, limit=LIMIT)) == LIMIT
    with pytest.raises(UsageError, match="longer than"):
        BlobFolder(folder).get(name, limit=LIMIT - 1)


def _link(place: pathlib.Path) -> None:
    secret = place.parent.parent / "secret"
    secret.write_bytes(b"secret")
    place.symlink_to(secret)


def _sparse(place: pathlib.Path) -> None:
    with place.open("wb") as file:
        file.truncate(8 * 2**30)


Make: TypeAlias = Callable[[pathlib.Path], object]
ODD: dict[str, Make] = {
    "link": _link,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "fifo": os.mkfifo,
    "sparse": _sparse,
    "folder": lambda place: place.mkdir(),
    "missing": lambda place: None,
}


@pytest.mark.timeout(5)
@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_only_plain_files_of_a_known_size_are_opened(folder: pathlib.Path, make: Make) -> None:
    name = blob_name(b"secret")
    make(folder / name)
    with pytest.raises(UsageError):
        BlobFolder(folder).get(name, limit=LIMIT)


def test_a_folder_that_is_a_link_is_not_followed(folder: pathlib.Path) -> None:
    name = BlobFolder(folder).put(b"data")
    link = folder.parent / "link"
    link.symlink_to(folder)
    with pytest.raises(UsageError):
        BlobFolder(link).get(name, limit=LIMIT)


def test_a_full_disk_is_the_infrastructures_fault(tmp_path: pathlib.Path) -> None:
    (tmp_path / "blobs").write_text("a file where the folder should be")
    with pytest.raises(InfrastructureError, match="cannot store"):
        BlobFolder(tmp_path / "blobs").put(b"data")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: pathlib.Path) -> None:
    place = tmp_path / "file"
    write_whole(place, b"old", durable=True)
    (tmp_path / ".file.part").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        write_whole(place, b"new")
    assert place.read_bytes() == b"old"
    assert not (tmp_path / "elsewhere").exists()


def test_opening_does_not_wait_for_a_writer(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="no plain file"), opened(tmp_path, "pipe", limit=1):
        pass
