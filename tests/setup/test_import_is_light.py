"""Importing the judge costs little: what is heavy is loaded by whoever needs it."""

import json
import subprocess
import sys

import pytest

HEAVY = ("playwright", "apsw", "sqlite3", "sqlglot", "deepdiff", "flask", "waitress", "rich", "asyncio")


@pytest.fixture(scope="module")
def loaded() -> frozenset[str]:
    """The top-level modules of a fresh interpreter that imported the judge and nothing else."""
    code = "import sys, json, exactchange; print(json.dumps([n.partition('.')[0] for n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    return frozenset(json.loads(done.stdout))


@pytest.mark.parametrize("name", HEAVY)
def test_importing_the_judge_loads_no(name: str, loaded: frozenset[str]) -> None:
    assert name not in loaded


def test_the_judge_itself_was_loaded(loaded: frozenset[str]) -> None:
    assert "exactchange" in loaded


def test_importing_the_judge_loads_no_adapter_and_no_fixture(loaded: frozenset[str]) -> None:
    assert loaded & {"exactchange_adapters", "exactchange_fixtures"} == frozenset()
