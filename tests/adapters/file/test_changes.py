import decimal
import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.file.helpers import FIXTURES, diff, diff_texts, told

from exactchange.diff import compare
from exactchange.testing import Bench
from exactchange.values import ABSENT, Value
from exactchange_adapters.file import KIND, FileParams
from exactchange_adapters.file.pruning import pruned

CASES = FIXTURES / "cases"
SCALARS: st.SearchStrategy[Value] = (
    st.none() | st.booleans() | st.sampled_from([0, 1, 0.0, -0.0, 1.0, float("nan"), "", "1", "a"])
)
NODES: st.SearchStrategy[Value] = st.recursive(
    SCALARS, lambda node: st.lists(node, max_size=3) | st.dictionaries(st.sampled_from("abc"), node, max_size=3)
)
TREES = st.dictionaries(st.sampled_from("abcd"), NODES, max_size=4)


def _bench(path: pathlib.Path) -> Bench:
    return Bench(KIND, FileParams(path=str(path)), path.parent)


def _case(name: str, suffix: str, **params: object) -> list[tuple[str, str, object, object]]:
    return told(diff(CASES / name / f"before{suffix}", CASES / name / f"after{suffix}", **params))


def test_dropped_quotes_are_formatting_only_where_the_dialect_is_declared_so() -> None:
    name = "b-01-yaml-norway-unquoted"
    booleans = [("modified", "country", "NO", False), ("modified", "light", "on", True)]
    assert _case(name, ".yaml", dialect="yaml-1.1") == booleans
    assert _case(name, ".yaml", dialect="yaml-1.2") == []
    assert _case(name, ".yaml") == booleans
    found = diff(CASES / name / "before.yaml", CASES / name / "after.yaml")
    assert [dict(item.at) for item in found.changes] == [
        {"key": ["country"], "dialects": ["yaml-1.1"]},
        {"key": ["light"], "dialects": ["yaml-1.1"]},
    ]
    assert [note.kind for note in found.notes] == ["dialect"]


def test_rewritten_numbers_change_what_each_version_says() -> None:
    name = "b-03-yaml-number-spelling"
    assert _case(name, ".yaml", dialect="yaml-1.1") == [("modified", "timeout", "1e3", 1000.0)]
    new = [("modified", "max", "1_000", 1000), ("modified", "mode", 12, 10)]
    assert _case(name, ".yaml", dialect="yaml-1.2") == new
    assert _case(name, ".yaml") == [*new, ("modified", "timeout", "1e3", 1000.0)]


def test_a_masked_duplicate_key_is_unread_and_no_pass() -> None:
    found = diff(
        CASES / "b-04-yaml-duplicate-key-masks/before.yaml", CASES / "b-04-yaml-duplicate-key-masks/after.yaml"
    )
    assert not found.complete
    assert [(item.address, item.cause) for item in found.unread] == [("debug", "content")]


def test_tag_and_text_are_both_the_value_and_a_vault_is_not_printed() -> None:
    changes = _case("b-05-yaml-custom-tags", ".yaml")
    assert changes[0] == ("modified", "db.@tag", "!secret", "!env_var")
    op, address, before, after = changes[1]
    assert (op, address) == ("modified", "key.@value") and before != after
    assert str(before).startswith("hmac:") and "6162" not in f"{before}{after}"


def test_comments_and_trailing_commas_hide_no_change() -> None:
    assert _case("b-08-jsonc-comments-commas", ".jsonc") == [("modified", "theme", "dark", "light")]


def test_a_rounded_64_bit_integer_is_a_change() -> None:
    assert _case("b-09-json-bigint-rounded", ".json") == [
        ("modified", "id", 3791411052119578828, 3791411052119578600),
        ("modified", "name", "a", "b"),
    ]


def test_two_swapped_lines_of_a_unit_reset_the_list() -> None:
    name = "b-13-systemd-reset-order"
    assert _case(name, ".conf", dialect="ini-systemd") == [
        ("removed", "Service.ExecStart[0]", "/usr/bin/app --safe", ABSENT)
    ]
    assert _case(name, ".conf"), "undeclared it is text, and its lines changed"


def test_quotes_in_an_environment_file_matter_to_some_readers() -> None:
    name = "b-14-dotenv-hash-quoting"
    assert _case(name, ".env", dialect="dotenv") == []
    found = diff(CASES / name / "before.env", CASES / name / "after.env")
    assert [(item.address, item.at["dialects"]) for item in found.changes] == [
        ("DB_PASS", ["dotenv-js", "env-file"]),
        ("MODE", ["env-file"]),
    ]
    assert "abc" not in repr(found), "a password is printed"


def test_byte_order_mark_and_line_ends_are_notes() -> None:
    found = diff(CASES / "b-15-bom-and-crlf/before.toml", CASES / "b-15-bom-and-crlf/after.toml")
    assert found.changes == () and found.complete
    assert [note.kind for note in found.notes] == ["encoding", "encoding", "formatting"]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("on: push\n", "'on': push\n", [("modified", "@keys.on", True, "on")]),
        ("a: {yes: 1}\n", "a: {'yes': 1}\n", [("modified", "a.@keys.yes", True, "yes")]),
        ("a: [no, 1]\n", "a: ['no', 1]\n", [("modified", "a[0]", False, "no")]),
        ("a: [no, 1]\n", "a: [0, no, 1]\n", [("added", "a[0]", ABSENT, 0)]),
        ("a: 12:30\n", "a: '12:30'\n", [("modified", "a", 750, "12:30")]),
        ("a: 2024-07-32\n", "a: '2024-07-32'\n", [("modified", "a", {"@unusable": "2024-07-32"}, "2024-07-32")]),
        ("a: yes\n", "a: true\n", [("modified", "a", "yes", True)]),
        ("a: yes\n", "a: on\n", [("modified", "a", "yes", "on")]),
        ("a: off\nb: 1\n", "b: 1\na: off\n", []),
    ],
)
def test_an_undeclared_yaml_file_shows_what_either_version_sees(
    before: str, after: str, changes: list[object], tmp_path: pathlib.Path
) -> None:
    assert told(diff_texts(tmp_path, "a.yml", before, after)) == changes


def test_a_list_that_changed_for_both_versions_hides_no_change_of_one(tmp_path: pathlib.Path) -> None:
    """Inserting in front moves the quoted item: only the 1.1 reading of the whole list tells that its type changed."""
    found = told(diff_texts(tmp_path, "a.yml", "a: [no, 1]\n", "a: [0, 'no', 1]\n"))
    assert ("added", "a[0]", ABSENT, 0) in found
    assert any(address.startswith('@"yaml-1.1".a') for _, address, _, _ in found)


def test_two_decimals_of_one_double_are_told_apart(tmp_path: pathlib.Path) -> None:
    found = diff_texts(tmp_path, "a.json", '{"a": 0.1000000000000000012}', '{"a": 0.1000000000000000034}')
    assert [(item.address, item.at["dialects"]) for item in found.changes] == [("a", ["decimal"])]
    assert not diff_texts(tmp_path, "a.json", '{"a": 0.10}', '{"a": 0.1}').changes


@pytest.mark.parametrize(("name", "dialect"), [
    ("a.yaml", None), ("a.yaml", "yaml-1.1"), ("a.yaml", "yaml-1.2"), ("a.json", None), ("a.toml", None),
])  # fmt: skip
@pytest.mark.parametrize("other", ["0.1000000000000000055", "0.1" + "0" * 40 + "1", "0.10000000000000000000"])
def test_decimals_of_one_double_are_told_apart_by_value_in_every_format(
    name: str, dialect: str | None, other: str, tmp_path: pathlib.Path
) -> None:
    line = {"a.json": '{{"a": {}}}', "a.toml": "a = {}\n"}.get(name, "a: {}\n")
    found = diff_texts(tmp_path, name, line.format("0.1"), line.format(other), dialect=dialect)
    expected = [] if decimal.Decimal(other) == decimal.Decimal("0.1") else [("a", ["decimal"])]
    assert [(item.address, item.at["dialects"]) for item in found.changes] == expected


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
@pytest.mark.parametrize(("left", "right"), [("0.0", "1.0e-400"), ("1.0e-400", "2.0e-400"), ("1.1e-323", "1.2e-323")])
def test_decimals_that_are_next_to_nothing_are_told_apart(
    name: str, left: str, right: str, tmp_path: pathlib.Path
) -> None:
    found = diff_texts(tmp_path, name, f'{{"a": {left}}}', f'{{"a": {right}}}')
    assert [item.address for item in found.changes] == ["a"]


@pytest.mark.parametrize("line", ["a: !!float {}\n", "? {}\n: a\n", "- {}\n"])
@pytest.mark.parametrize("dialect", [None, "yaml-1.1", "yaml-1.2"])
def test_a_decimal_is_told_apart_wherever_it_stands_in_yaml(
    line: str, dialect: str | None, tmp_path: pathlib.Path
) -> None:
    left, right = (line.format(text) for text in ("0.1" + "0" * 40 + "1", "0.1" + "0" * 40 + "2"))
    assert len(diff_texts(tmp_path, "a.yaml", left, right, dialect=dialect).changes) == 1
    assert not diff_texts(tmp_path, "a.yaml", left, left, dialect=dialect).changes


def test_a_second_header_of_a_section_is_a_change_where_some_reader_refuses_it(tmp_path: pathlib.Path) -> None:
    before, changed = "[s]\ntimeout = 20\n[t]\nx = 1\n", "[s]\ntimeout = 30\n[t]\nx = 1\n[s]\n"
    found = diff_texts(tmp_path, "a.ini", before, changed)
    assert [(item.op, item.address) for item in found.changes] == [("added", "@repeated"), ("modified", "s.timeout")]
    assert found.changes[0].after == {"s": 2}
    assert not diff_texts(tmp_path, "a.ini", "[DEFAULT]\na = 1\n", "[DEFAULT]\na = 1\n[DEFAULT]\n").changes
    assert not diff_texts(tmp_path, "a.ini", "[s]\na=1\n", "[s]\na=1\n[s]\n", dialect="ini-systemd").changes
    assert diff_texts(tmp_path, "a.ini", "[s]\na=1\n", "[s]\na=1\n[s]\n", dialect="ini").unread
    repeated = diff_texts(tmp_path, "a.ini", "[s]\na=1\n", "[s]\na=1\nA=1\na=1\n")
    assert [item.address for item in repeated.changes] == ["s.A", "s.a"]


def test_a_strict_json_file_that_gets_a_comment_is_a_change(tmp_path: pathlib.Path) -> None:
    assert told(diff_texts(tmp_path, "a.json", '{"a": 1}', '{"a": 1} // b')) == [("added", "@dialect", ABSENT, "jsonc")]
    assert told(diff_texts(tmp_path, "a.json", '{"a": 1}', '{"a": 1} // b', dialect="jsonc")) == []


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.yaml", "a: 1 # x\nb: 2\n", "b: 2\na: 1\n"),
        ("a.json", '{"a": 1, "b": 2}', '{\n  "b": 2,\n  "a": 1\n}'),
        ("a.toml", "a.b = 1\n", "[a]\n# c\nb = 1\n"),
        ("a.ini", "[s]\na=1\nb=2\n", "[s]\nb = 2\n; c\na = 1\n"),
        (".env", "A=1\nB=2\n", "# c\nB=2\nA=1\n"),
    ],
)
def test_comments_order_and_layout_are_a_note(name: str, before: str, after: str, tmp_path: pathlib.Path) -> None:
    found = diff_texts(tmp_path, name, before, after)
    assert found.changes == () and [note.kind for note in found.notes] == ["formatting"]
    old, new = (_bench(tmp_path / side / name).capture() for side in ("before", "after"))
    assert old.digest == new.digest, "a reformatted file is in a state seen before"
    assert diff_texts(tmp_path, name, before, after, compare="text").changes
    assert diff_texts(tmp_path, name, before, after, compare="bytes").changes


def test_the_order_of_a_list_counts_unless_the_task_says_not(tmp_path: pathlib.Path) -> None:
    before, after = "a: [1, 2, 2]\nb: [1, 2]\n", "a: [2, 1, 2]\nb: [1, 2]\n"
    assert diff_texts(tmp_path, "a.yaml", before, after).changes
    assert not diff_texts(tmp_path, "a.yaml", before, after, unordered=["a"]).changes
    gone = diff_texts(tmp_path, "a.yaml", before, "a: [2, 1]\nb: [2, 1]\n", unordered=["a"])
    assert [item.op for item in gone.changes if item.path[0] == "a"] == ["removed"], "one of two equal items is gone"
    assert any(item.path[0] == "b" for item in gone.changes)
    quoted = diff_texts(tmp_path, "a.yaml", "a: [no, 1]\n", "a: [1, 'no']\n", unordered=["a"])
    assert quoted.changes, "of an item whose reading changed in another version"


def test_a_key_of_the_tasks_choice_identifies_list_items(tmp_path: pathlib.Path) -> None:
    before = "jobs: [{slug: a, n: 1}, {slug: b, n: 1}]\n"
    after = "jobs: [{slug: new, n: 0}, {slug: a, n: 1}, {slug: b, n: 2}]\n"
    found = told(diff_texts(tmp_path, "a.yaml", before, after, key="slug"))
    assert [(op, address) for op, address, _, _ in found] == [
        ("modified", "jobs[slug=b].n"),
        ("added", "jobs[slug=new]"),
    ]


@pytest.mark.parametrize(
    ("content", "narrowed"),
    [("a: 1\n", {"a": 1}), ("{}\n", {}), ("", {"@value": None})],
)
def test_a_new_ordinary_file_is_its_content(content: str, narrowed: object, tmp_path: pathlib.Path) -> None:
    (tmp_path / "new.yaml").write_text(content)
    (tmp_path / "new.yaml").chmod(0o644)
    missing = tmp_path / "missing.yaml"
    assert told(diff(missing, tmp_path / "new.yaml")) == [("added", "", ABSENT, narrowed)]
    assert told(diff(tmp_path / "new.yaml", missing)) == [("removed", "", narrowed, ABSENT)]


@pytest.mark.parametrize("mode", [0o755, 0o666, 0o4644])
def test_a_new_file_that_may_run_or_be_written_by_all_says_so(mode: int, tmp_path: pathlib.Path) -> None:
    (tmp_path / "new.yaml").write_text("a: 1\n")
    (tmp_path / "new.yaml").chmod(mode)
    found = told(diff(tmp_path / "missing.yaml", tmp_path / "new.yaml"))
    assert found == [("added", "", ABSENT, {"@type": "file", "@mode": f"{mode:04o}", "a": 1})]


def test_absent_empty_and_unread_are_three_things(tmp_path: pathlib.Path) -> None:
    for name, text in {"full.json": '{"a": 1}', "empty.json": "{}", "cut.json": '{"a": ', "nothing.json": ""}.items():
        (tmp_path / name).write_text(text)
    full = tmp_path / "full.json"
    assert told(diff(full, tmp_path / "missing.json")) == [("removed", "", {"a": 1}, ABSENT)]
    assert told(diff(full, tmp_path / "empty.json")) == [("removed", "a", 1, ABSENT)]
    for name in ("cut.json", "nothing.json"):
        found = diff(full, tmp_path / name)
        assert found.changes == () and [item.address for item in found.unread] == [""]


def test_a_file_too_large_to_be_parsed_is_unread_and_its_keys_are_not_absent(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}')
    (tmp_path / "b.json").write_text('{"a": 1}' + " " * 5_000_000)
    assert not diff(tmp_path / "a.json", tmp_path / "b.json").complete
    assert diff(tmp_path / "a.json", tmp_path / "b.json", compare="bytes").complete


def test_what_an_unread_key_hides_is_only_itself(tmp_path: pathlib.Path) -> None:
    found = diff_texts(tmp_path, "a.yaml", "a: 1\nb: {c: 1}\n", "a: 2\nb: {c: 1, d: 1, d: 2}\n")
    assert told(found) == [("modified", "a", 1, 2)]
    assert [item.address for item in found.unread] == ["b.d"]


@given(TREES, TREES)
@settings(max_examples=200, deadline=None)
def test_leaving_out_what_is_the_same_leaves_out_no_change(left: dict[str, Value], right: dict[str, Value]) -> None:
    assert compare(*pruned(left, right)) == compare(left, right)


def test_the_work_of_a_comparison_follows_what_changed(tmp_path: pathlib.Path) -> None:
    sections = {f"s{n}": {f"k{m}": m for m in range(100)} for n in range(100)}
    left = {name: dict(items) for name, items in sections.items()}
    left["s5"]["k7"] = -1
    small = pruned(left, sections)
    assert small == ({"s5": {"k7": -1}}, {"s5": {"k7": 7}})
