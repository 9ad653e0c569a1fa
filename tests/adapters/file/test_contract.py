import os
import pathlib
import subprocess
import sys

import pytest

from exactchange.testing import Bench, check_adapter, check_deadline
from exactchange_adapters.file import KIND, FileParams

CONTENTS = {
    "a.yaml": ("server: {port: 80, 'a.b': [1, {id: 2, x: no}]}\n? 1\n: x\n", "server: {port: 81}\n", b"a: [1"),
    "a.json": ('{"a": {"#b": [1, 2.5, null]}, "@mode": 1, "x=y": "z"}', '{"a": 2}', b'{"a": '),
    "a.toml": ("a = 1\n[b.c]\nd = 2024-07-19\n", "a = 2\n", b"a ="),
    "a.ini": ("[s]\nkey = value\n", "[s]\nkey = other\n", b"neither"),
    "a.env": ("export A='b c'\nDB_PASS=x\n", "A=c\n", b"\xff\xfeA"),
    "a.txt": ("one\ntwo\n", "one\nzwei\nthree", None),
    "a.bin": ("\0\1", "\0\2", None),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_the_file_kind_keeps_the_adapter_contract(name: str, tmp_path: pathlib.Path) -> None:
    first, second, broken = CONTENTS[name]
    path = tmp_path / name
    path.write_text(first)

    def spoil() -> None:
        assert broken is not None
        path.write_bytes(broken)

    check_adapter(
        Bench(KIND, FileParams(path=str(path)), tmp_path),
        change=lambda: path.write_text(second),
        remove=path.unlink,
        spoil=None if broken is None else spoil,
    )


def test_a_fifo_in_place_of_the_file_does_not_hold_the_reader_up(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    snapshot = check_deadline(Bench(KIND, FileParams(path="a.yaml"), tmp_path), deadline_s=0.5)
    assert isinstance(snapshot.digest, bytes)


def test_no_parser_is_loaded_before_a_file_needs_it() -> None:
    code = (
        "import sys\n"
        "import exactchange_adapters.file, exactchange_adapters.tree\n"
        "heavy = {'yaml', 'dotenv', 'deepdiff', 'tomllib', 'apsw', 'playwright'} & set(sys.modules)\n"
        "sys.stdout.write(', '.join(sorted(heavy)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == ""
