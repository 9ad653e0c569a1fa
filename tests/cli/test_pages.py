"""Saved pages and stored ones on the command line."""

import pathlib

import pytest
from tests.cli.conftest import Command

EPISODES = pathlib.Path(__file__).parents[2] / "fixtures" / "episodes"


@pytest.fixture
def two(home: pathlib.Path) -> pathlib.Path:
    """A folder with two saved pages of which the second has one row more and another address."""
    (home / "a.html").write_text("<h1>Orders</h1><ul><li>7<li>8</ul><input id=mail value=ada@example.org>")
    (home / "b.html").write_text("<h1>Orders</h1><ul><li>6<li>7<li>8</ul><input id=mail value=bob@example.org>")
    return home


def test_saved_pages_are_compared_by_what_a_person_sees(two: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("diff", "a.html", "b.html")
    assert said.code == 1
    assert '~ #mail.value  "ada@example.org" -> "bob@example.org"' in said.out
    assert '+ @text[1]     "6"' in said.out
    assert "note: saved page: values are those of the markup" in said.out
    assert said.out.splitlines()[-1] == "2 changes: 1 added, 1 modified"


def test_the_page_on_pages_shows_what_is_printed(two: pathlib.Path, exactchange: Command) -> None:
    page = (EPISODES.parents[1] / "docs" / "browser.md").read_text(encoding="utf-8")
    command, _, shown = page.partition("```console\n$ exactchange ")[2].partition("```")[0].partition("\n")
    for name, other in (("before.html", "a.html"), ("after.html", "b.html")):
        (two / other).rename(two / name)
    assert exactchange(*command.split()).out == shown


def test_the_document_of_a_diff_says_frame_element_and_field(two: pathlib.Path, exactchange: Command) -> None:
    changes = exactchange("diff", "a.html", "b.html", "--json").document["changes"]
    assert {"frame": "", "selector": "#mail", "field": "value"} in [change["at"] for change in changes]
    assert {change["source"] for change in changes} == {"b.html"}


def test_a_page_that_cannot_be_read_is_exit_3(two: pathlib.Path, exactchange: Command) -> None:
    (two / "b.html").write_bytes(b"")
    said = exactchange("diff", "a.html", "b.html")
    assert said.code == 3 and "? (the whole source)  the file is empty" in said.out


def test_the_text_of_a_page_is_compared_on_request(two: pathlib.Path, exactchange: Command) -> None:
    assert "#mail" not in exactchange("diff", "a.html", "b.html", "--adapter", "file").out


def test_a_saved_page_is_printed_and_drawn(two: pathlib.Path, exactchange: Command) -> None:
    assert '= #mail.value  "ada@example.org"' in exactchange("snapshot", "a.html").out
    said = exactchange("snapshot", "a.html", "--html", "drawn.html")
    assert (said.code, said.out) == (0, "")
    drawn = (two / "drawn.html").read_text(encoding="utf-8")
    assert "default-src &#x27;none&#x27;" in drawn and 'value="ada@example.org"' in drawn and "<script" not in drawn


def test_a_secret_is_a_leaf_that_is_listed_and_not_told(home: pathlib.Path, exactchange: Command) -> None:
    (home / "a.html").write_text('<input type=password name=pw value="hunter2 hunter3">')
    assert "= input[name=pw].value  a secret\n" in exactchange("snapshot", "a.html").out
    (source,) = exactchange("snapshot", "a.html", "--json").document["sources"]
    (value,) = (leaf["value"] for leaf in source["leaves"] if leaf["address"] == "input[name=pw].value")
    assert list(value) == ["@secret"]


def test_a_page_of_an_episode_is_printed_and_drawn_as_it_was_after_a_step(
    home: pathlib.Path, exactchange: Command
) -> None:
    episode = EPISODES / "article-form"
    first = exactchange("snapshot", episode, "--step", "0")
    assert first.code == 0 and '= page  #name.value  ""' in first.out
    assert '= page  #name.value  ""' not in exactchange("snapshot", episode, "--step", "1").out
    assert exactchange("snapshot", episode, "--html", "drawn.html").code == 0
    assert "<b>article-form</b>" in (home / "drawn.html").read_text(encoding="utf-8")


REFUSED: list[tuple[list[str], str]] = [
    (["a.html", "--step", "1"], "--step goes with an episode"),
    (["a.txt", "--html", "x.html"], "--html draws one page, and here are 0"),
    ([str(EPISODES / "article-form"), "--step", "99"], "page was not captured after step 99"),
    (["a.html", "--html", "no/such/folder/x.html"], "cannot write no/such/folder/x.html"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_drawn_is_exit_2(
    words: list[str], message: str, two: pathlib.Path, exactchange: Command
) -> None:
    (two / "a.txt").write_text("x")
    said = exactchange("snapshot", *words)
    assert said.code == 2 and message in said.err and not (two / "x.html").exists()
