import re
from typing import get_args

import pytest
from pydantic import BaseModel
from tests.adapters.file.helpers import FIXTURES

from exactchange_adapters.file import FileParams
from exactchange_adapters.file.dialects import Dialect, format_of_name
from exactchange_adapters.file.dialects.parsed import DEEPEST, LARGEST_TEXT, MOST_NODES
from exactchange_adapters.file.dialects.yaml_scalars import LONGEST_NUMBER
from exactchange_adapters.secrets import looks_secret
from exactchange_adapters.tree import TreeParams, walk

PAGE = (FIXTURES.parent / "docs/files.md").read_text()


@pytest.mark.parametrize("dialect", get_args(Dialect))
def test_every_dialect_is_documented(dialect: str) -> None:
    assert f"`{dialect}`" in PAGE


def test_every_documented_suffix_is_known() -> None:
    rows = [line.split("|") for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 4]
    suffixes = [name for row in rows for name in re.findall(r"`(\.[a-z.*]+)`", row[2])]
    assert len(suffixes) > 6
    assert all(format_of_name(f"x{name}" if not name.endswith("*") else ".env.local") for name in suffixes)


def test_the_documented_limits_are_those_of_the_code() -> None:
    numbers = {
        f"{LARGEST_TEXT // 1024**2} MiB that would": LARGEST_TEXT,
        f"{MOST_NODES:,} nodes": MOST_NODES,
        f"{DEEPEST} levels": DEEPEST,
        f"{LONGEST_NUMBER:,} digits": LONGEST_NUMBER,
        f"{walk.TEXT_LIMIT // 1024} KiB": walk.TEXT_LIMIT,
        f"{walk.MOST_ENTRIES:,} entries": walk.MOST_ENTRIES,
        f"{walk.MOST_TEXT // 1024**2} MiB of text": walk.MOST_TEXT,
    }
    text = " ".join(PAGE.split())
    assert [words for words in numbers if words not in text] == []


def test_the_documented_secrets_are_secrets() -> None:
    names = re.findall(r"`(\w+)`", PAGE[PAGE.index("ends in a word") : PAGE.index("private keys")])
    assert names and all(map(looks_secret, names))


@pytest.mark.parametrize("model", [FileParams, TreeParams])
def test_every_parameter_says_what_it_is(model: type[BaseModel]) -> None:
    schema = model.model_json_schema(by_alias=True)
    assert all(entry.get("description") for entry in schema["properties"].values())
    assert schema["additionalProperties"] is False
