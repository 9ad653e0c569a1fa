import configparser
import io
import pathlib
import shutil
import subprocess
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.adapters.file.helpers import keys, unread

from exactchange.values import Value, same
from exactchange_adapters.file.content import Reading, understand
from exactchange_adapters.file.dialects import Dialect

LINES = st.lists(
    st.sampled_from(
        [
            "[a]",
            "[b]",
            "[a b]",
            "k = v",
            "K: w",
            "long =",
            "  more",
            "\tmore = x",
            "",
            "# note",
            "; note",
            "x=%(k)s",
            "e = a # b",
            "  k2 = 3",
            "v =",
        ]
    ),
    max_size=8,
)


@given(LINES)
@settings(max_examples=500, deadline=None)
def test_ini_is_read_as_configparser_reads_it(lines: list[str]) -> None:
    text = "\n".join(lines)
    parser = configparser.RawConfigParser()
    parser.optionxform = str.lower  # type: ignore[assignment,method-assign]
    try:
        parser.read_file(io.StringIO(text))
    except configparser.Error:
        assert unread(text, "a.ini", "ini")
        return
    theirs = {name: dict(parser.items(name)) for name in parser.sections()}
    assert same(dict(keys(text, "a.ini", "ini")), theirs)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
@given(
    st.lists(
        st.sampled_from(
            [
                "[core]",
                "[Core]",
                '[remote "a.B"]',
                '[remote "q\\"x"]',
                "[a.B]",
                "k = v",
                "K=w",
                "bare",
                "q = a # b",
                'q = "a # b" c',
                "e = a\\tb",
                "l = one \\",
                "  two",
                "# n",
                "; n",
                "",
                "sp =   a  b   ",
                's = "  x "',
                "t = a ; b",
                "[core] k = 1",
                'm = "a',
                "u = \\q",
                "-x = 1",
            ]
        ),
        max_size=7,
    )
)
@settings(max_examples=150, deadline=None)
def test_git_configuration_is_read_as_git_reads_it(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    done = subprocess.run(
        ["git", "config", "--file", "-", "--null", "--list"],
        input=text.encode(),
        capture_output=True,
        check=False,
        timeout=20,
    )
    if done.returncode != 0:
        assert unread(text, "a", "ini-git"), text
        return
    theirs: dict[str, dict[str, list[str | None]]] = {}
    for item in done.stdout.decode().split("\0")[:-1]:
        name, newline, value = item.partition("\n")
        section, _, option = name.rpartition(".")
        theirs.setdefault(section, {}).setdefault(option, []).append(value if newline else None)
    ours = keys(text, "a", "ini-git", secret="none")
    found = {
        section: {name: value if isinstance(value, list) else [value] for name, value in options.items()}
        for section, options in ours.items()
        if isinstance(options, dict) and options
    }
    assert found == theirs, text


INI: list[tuple[str, str, Dialect | None, Value]] = [
    (
        "repetition resets and orders in systemd units",
        "[S]\nE=\nE=/a\nE=/b\n",
        "ini-systemd",
        {"S": {"E": ["/a", "/b"]}},
    ),
    ("an empty assignment at the end leaves nothing", "[S]\nE=/a\nE=\n", "ini-systemd", {"S": {"E": []}}),
    ("one assignment is a text", "[S]\nE=/a\n", "ini-systemd", {"S": {"E": "/a"}}),
    ("a percent sign is literal", "[S]\nE=%h/x\n", "ini-systemd", {"S": {"E": "%h/x"}}),
    ("a backslash continues", "[S]\nE=/a \\\n# not here\n  -b\n", "ini-systemd", {"S": {"E": "/a    -b"}}),
    ("case matters in systemd units", "[S]\ne=1\nE=2\n", "ini-systemd", {"S": {"e": "1", "E": "2"}}),
    ("options in any case are one in Python", "[S]\nKEY = 1\n", "ini", {"S": {"key": "1"}}),
    ("a comment behind a value is value", "[S]\nk = 1 ; x\n", "ini", {"S": {"k": "1 ; x"}}),
    ("the first delimiter counts", "[S]\na:b=c\n", "ini-trac", {"S": {"a": "b=c"}}),
    (
        "undeclared keeps case and repetitions",
        "k=0\n[S]\nA=1\na=2\nA=3\n",
        None,
        {"": {"k": "0"}, "S": {"A": ["1", "3"], "a": "2"}},
    ),
    ("odd names are escaped", "[@x]\n[a=b]\nk=1\n", "ini", {"@@@x": {}, "@@a=b": {"k": "1"}}),
]


@pytest.mark.parametrize(("rule", "text", "dialect", "tree"), INI, ids=[row[0] for row in INI])
def test_ini_families_have_their_own_rules(rule: str, text: str, dialect: Dialect | None, tree: Value) -> None:
    assert same(dict(keys(text, "a.ini", dialect)), tree)


@pytest.mark.parametrize(
    ("text", "dialect", "path"),
    [
        ("[s]\na=1\na=2\n", "ini", ("s", "a")),
        ("[s]\na=1\n[s]\nb=1\n", "ini", ("s",)),
        ("a=1\n", "ini", ()),
        ("[s]\nneither\n", None, ()),
        ("[s\n", "ini", ()),
        ("[s] x\n", "ini-systemd", ()),
        ("[s]\na=\\q\n", "ini-git", ()),
    ],
)
def test_a_broken_or_ambiguous_ini_is_unread(text: str, dialect: Dialect | None, path: tuple[str, ...]) -> None:
    assert [place for place, _ in unread(text, "a.ini", dialect)] == [path]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_at_which_the_one_reader_of_a_dialect_stops_makes_the_file_unread(codec: str) -> None:
    data = "[s]\na=1\n".encode(codec)
    assert understand(data, "a.ini", Reading(dialect="ini")).unread == ()
    ((path, reason),) = understand(data, "trac.ini", Reading(dialect="ini-trac")).unread
    assert path == () and "bare UTF-8 only" in reason


ENV: list[tuple[str, str, Value]] = [
    ("export is no part of the name", "export A=1\n", {"A": "1"}),
    ("quotes are no part of the value", "A='x y'\nB=\"a\\nb\"\n", {"A": "x y", "B": "a\nb"}),
    ("a hash needs a blank before it", "A=a#b\nB=a # b\n", {"A": "a#b", "B": "a"}),
    ("nothing is expanded", "A=$HOME ${X:-y}\n", {"A": "$HOME ${X:-y}"}),
    ("a name alone has no value", "A\nB=\n", {"A": None, "B": ""}),
    ("all values of a repeated name are kept", "A=1\nA=2\n", {"A": ["1", "2"]}),
    ("a value may have several lines", 'A="x\ny"\n', {"A": "x\ny"}),
]


@pytest.mark.parametrize(("rule", "text", "tree"), ENV, ids=[row[0] for row in ENV])
def test_environment_files_have_names_and_values(rule: str, text: str, tree: Value) -> None:
    assert same(dict(keys(text, ".env", "dotenv")), tree)


@pytest.mark.parametrize("text", ["A='open\n", "=x\n", "A=" + " " * 9000 + "x\n", "A=x\n" * 100_000])
def test_a_broken_or_too_large_environment_file_is_unread(text: str) -> None:
    start = time.perf_counter()
    assert unread(text, ".env")
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("name", [".env", "prod.env", ".env.local", "sub/.env.test"])
def test_environment_files_are_known_by_name(name: str) -> None:
    assert keys("A=1\n", name) == {"A": "1"}


TEXTS: list[tuple[str, bytes, Value]] = [
    ("lines without their ends", b"a\nb\n", {"@text": ["a", "b"]}),
    ("no text", b"", {"@text": []}),
    ("one empty line", b"\n", {"@text": [""]}),
    ("a last line without an end", b"a\nb", {"@text": ["a", "b"], "@unterminated": True}),
    ("CRLF throughout", b"a\r\nb\r\n", {"@text": ["a", "b"], "@newlines": "crlf"}),
    ("mixed ends", b"a\r\nb\n", {"@text": ["a\r", "b"]}),
    ("a byte order mark", b"\xef\xbb\xbfa\n", {"@text": ["a"], "@encoding": "UTF-8 with BOM"}),
    ("UTF-16", "ä\n".encode("utf-16"), {"@text": ["ä"], "@encoding": "UTF-16 LE"}),
]


@pytest.mark.parametrize(("rule", "data", "tree"), TEXTS, ids=[row[0] for row in TEXTS])
def test_text_is_its_lines(rule: str, data: bytes, tree: Value) -> None:
    assert same(dict(keys(data, "notes.txt")), tree)


@given(st.binary(max_size=60) | st.text("a\r\n\ufeff", max_size=8).map(str.encode))
@settings(max_examples=300, deadline=None)
def test_the_lines_and_facets_of_a_text_tell_it_whole(data: bytes) -> None:
    tree = keys(data, "notes.txt", secret="none")
    if "@text" not in tree:
        assert tree["@size"] == len(data)
        return
    ends = "\r\n" if tree.get("@newlines") == "crlf" else "\n"
    lines = tree["@text"]
    assert isinstance(lines, list)
    text = "".join(f"{line}{ends}" for line in lines)
    text = text.removesuffix(ends) if tree.get("@unterminated") else text
    codec = {"UTF-8": "utf-8", "UTF-8 with BOM": "utf-8-sig"}.get(str(tree.get("@encoding", "UTF-8")), "utf-16")
    assert codec == "utf-16" or text.encode(codec) == data


def test_what_is_no_text_is_told_by_hash_and_size() -> None:
    assert set(keys(b"\xff\xfa", "x")) == set(keys(b"a\0b", "x")) == {"@hash", "@size"}
    assert keys(b"\xff\xfa", "x") != keys(b"\xff\xfb", "x")
    assert keys("a: 1\n", "a.yaml", "binary")["@size"] == 5


def test_comparing_text_or_bytes_leaves_the_keys_alone(tmp_path: pathlib.Path) -> None:
    assert keys("a: 1 # b\n", "a.yaml", compare="text") == {"@text": ["a: 1 # b"]}
    assert set(keys("a: 1\n", "a.yaml", compare="bytes")) == {"@hash", "@size"}


def test_declared_text_that_is_none_is_unread() -> None:
    assert understand(b"\xff", "a", Reading("text")).unread
