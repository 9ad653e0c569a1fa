import json
import pathlib

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from exactchange.address import Style, format_path, key, key_segment, parse_pattern, unkey
from exactchange.diff import Change
from exactchange.reports.allow import allow_line, yaml_text
from exactchange.values import ABSENT, Path

ATTACK = pathlib.Path(__file__).parents[2] / "fixtures/attacks/23-terminal-and-ci-commands/strings.json"
STRINGS: dict[str, str] = json.loads(ATTACK.read_text(encoding="utf-8"))
KEYS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=12).map(key),
    st.sampled_from(
        [*STRINGS.values(), "null", "true", "12", "~", "{workdir}", "a: b", "- x", "'", "#", "&a", "*"]
    ).map(key),
    st.integers().map(key),
)
ROWS = st.text(st.characters(exclude_categories=()), max_size=8).map(lambda value: key_segment([("id", value)]))
PATHS = st.lists(st.one_of(KEYS, ROWS, st.integers(min_value=0, max_value=99)), min_size=1, max_size=4).map(tuple)


def pasted(line: str) -> dict[str, str]:
    """The line as a task's `allow` would hold it, parameters put in."""
    (item,) = yaml.safe_load(line)
    item["at"] = item["at"].replace("{{", "{").replace("}}", "}")
    return dict(item)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (
            Change("config", "modified", "server.retries", ("server", "retries"), 3, 5),
            "- {in: config, at: server.retries, op: modified}",
        ),
        (
            Change("db", "added", "audit_log[id=2]", ("audit_log", "id=2"), ABSENT, {"id": 2}),
            '- {in: db, at: "audit_log[id=2]", op: added, rest: any}',
        ),
        (
            Change("settings", "removed", '["a.b"]', ("a.b",), 1, ABSENT),
            "- {in: settings, at: '[\"a.b\"]', op: removed}",
        ),
        (Change("files", "moved", "list[2]", ("list", 2), 2, 0), '- {in: files, at: "list[2]"}'),
        (Change("files", "added", "", (), ABSENT, {}), '- {in: files, at: "", op: added}'),
        (Change("on", "modified", "null", ("null",), 1, 2), '- {in: "on", at: "null", op: modified}'),
        (Change("f", "modified", "{a}", ("{a}",), 1, 2), '- {in: f, at: "{{a}}", op: modified}'),
        (
            Change("page", "modified", "#email.value", ("#email", "value"), "", "a"),
            '- {in: page, at: "#email.value", op: modified}',
        ),
    ],
)
def test_the_allow_line_of_a_change(change: Change, wanted: str) -> None:
    assert allow_line(change) == wanted
    assert pasted(wanted)["at"] == change.address


@given(PATHS, st.sampled_from([Style.DOTTED, Style.SLASHED]))
def test_a_pasted_allow_line_matches_the_change_it_stands_under(path: Path, style: Style) -> None:
    if style is Style.SLASHED and (isinstance(path[0], int) or unkey(path[0]) is None):
        return  # a tree's first segment is a file
    change = Change("config", "modified", format_path(path, style=style), path, 1, 2)
    line = allow_line(change)
    assert line.isprintable()
    assert "##" not in line
    item = pasted(line)
    assert item["at"] == change.address
    slashed = style is Style.SLASHED
    assert parse_pattern(item["at"], slashed=slashed).matches(path, slashed=slashed)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_yaml_text_reads_back_as_itself(text: str) -> None:
    written = yaml_text(text)
    assert written.isprintable()
    assert yaml.safe_load(f"[{written}]") == [text]
