import copy
import dataclasses
import json
import os
import pathlib
from fractions import Fraction
from typing import Any

import pytest
from tests.reports.samples import ALL, unmet
from tests.reports.test_terminal import hostile

from exactchange.errors import UsageError
from exactchange.reports import read_verdict, render_verdict, verdict_of, verdict_schema
from exactchange.verdict import Bounds, verdict_json, write_verdict


@pytest.mark.parametrize("name", ALL)
def test_a_stored_verdict_reads_as_the_one_that_was_written(name: str, tmp_path: pathlib.Path) -> None:
    verdict = ALL[name]()
    write_verdict(verdict, tmp_path / "verdict.json")
    found = read_verdict(tmp_path / "verdict.json")
    assert render_verdict(found, full=True) == render_verdict(verdict, full=True)
    assert verdict_json(found) == verdict_json(verdict)


def test_hostile_text_survives_storing_unchanged(tmp_path: pathlib.Path) -> None:
    verdict = hostile("\x1b[2J\u202e\ud800$x")
    write_verdict(verdict, tmp_path / "verdict.json")
    assert read_verdict(tmp_path / "verdict.json").unexplained == verdict.unexplained


def test_a_score_is_kept_to_four_places() -> None:
    document = verdict_json(ALL["passed"]())
    assert document["score"] == 86.6667
    assert verdict_of(document, name="v").score == Fraction("86.6667")


def broken(*path: str | int, value: object) -> dict[str, Any]:
    document: dict[str, Any] = copy.deepcopy(verdict_json(unmet()))
    part: Any = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return document


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        broken("schema", value="exactchange/verdict/2"),
        broken("outcome", value="PASSED"),
        broken("score", value=101),
        broken("score", value="100"),
        broken("score", value=True),
        broken("bonus", "met", value=-1),
        broken("extra", value=1),
        broken("findings", 0, "holds", value="yes"),
        broken("findings", 0, "tier", value="allow"),
        broken("unexplained", 0, "before", value={"$nothing": "x"}),
        broken("unexplained", 0, "before", value={"$bytes": "?"}),
        broken("unexplained", 0, "at", value={"key": {"$absent": True}}),
        broken("steps", value=1.5),
        broken("hashes", value={"task": 3}),
    ],
)
def test_what_is_no_verdict_is_refused(document: object) -> None:
    with pytest.raises(UsageError, match="not a document of exactchange/verdict/1"):
        verdict_of(document, name="v.json")


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", '{"a": 1, "a": 2}', "[" * 100_000, '{"schema": "exactchange/verdict/1"}', "\ufeff{}"]
)
def test_a_file_that_is_no_strict_json_is_refused(text: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "verdict.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        read_verdict(tmp_path / "verdict.json")


def test_no_link_is_followed_and_no_pipe_is_waited_for(tmp_path: pathlib.Path) -> None:
    write_verdict(unmet(), tmp_path / "real.json")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    os.mkfifo(tmp_path / "pipe.json")
    for name in ("link.json", "pipe.json", "missing.json", "."):
        with pytest.raises(UsageError):
            read_verdict(tmp_path / name)


def test_the_schema_of_a_verdict_is_json_and_names_every_field() -> None:
    schema = json.loads(json.dumps(verdict_schema()))
    assert set(schema["properties"]) == set(verdict_json(unmet()))
    assert set(schema["properties"]) - set(schema["required"]) == {"bounds"}


def test_a_verdict_from_before_there_were_bounds_is_still_read() -> None:
    document = verdict_json(dataclasses.replace(unmet(), bounds=Bounds("vetoed", "unmet", Fraction(0))))
    assert verdict_of(document, name="v").bounds == Bounds("vetoed", "unmet", Fraction(0))
    del document["bounds"]
    assert verdict_of(document, name="v").bounds is None
