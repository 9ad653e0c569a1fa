"""What a source says of itself is refused where it would be without effect, and nothing would tell."""

import pathlib

import pytest
from tests.task.writing import HEAD, MUST, marked, problems

OWN = {"db": 'a.db"', "cfg": 'a.yaml"', "files": '{workdir}"', "page": 'port}/"'}


@pytest.mark.parametrize(
    ("source", "more", "mark", "message"),
    [
        ("cfg", "closed: [ownr]", "[", "there is no facet called 'ownr' to close; there is owner"),
        ("files", "closed: [mode]", "[", "there is no facet called 'mode' to close; there is owner"),
        ("db", "closed: [schema]", "[", "there is no facet called 'schema' to close; all of it is closed anyway"),
        ("page", "closed: [control]", "control", "no facet of a page is called 'control'; did you mean 'controls'?"),
        ("cfg", "unordered: ['a.']", "[", "not an address from character 2 on: 'a.'"),
        ("cfg", "secrets: ['a.']", "[", "not an address from character 2 on: 'a.'"),
        ("files", "secrets: ['a.']", "[", "not an address from character 2 on: 'a.'"),
        ("db", "key: ''", "''", "`key` is empty; write the name of a column or field"),
    ],
)
def test_what_would_be_without_effect_is_refused(
    tmp_path: pathlib.Path, source: str, more: str, mark: str, message: str
) -> None:
    text = HEAD.replace(OWN[source], f"{OWN[source]}, {more}", 1) + MUST
    found = problems(tmp_path, text)
    assert [(marked(item), item.said[: len(message)]) for item in found] == [(mark, message)]


@pytest.mark.parametrize(
    ("source", "more"),
    [
        ("cfg", "closed: [owner]"),
        ("files", "closed: [owner]"),
        ("page", "closed: [controls, cookies]"),
        ("cfg", "unordered: [tags, 'jobs[*].steps']"),
        ("cfg", "secrets: ['db.password']"),
        ("files", "secrets: none"),
        ("db", "key: name"),
    ],
)
def test_what_has_an_effect_is_taken(tmp_path: pathlib.Path, source: str, more: str) -> None:
    text = HEAD.replace(OWN[source], f"{OWN[source]}, {more}", 1) + MUST
    assert problems(tmp_path, text) == ()
