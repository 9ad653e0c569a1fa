import pytest
from tests.reports.golden import check_golden
from tests.reports.samples import changed

from exactchange.diff import Diff, diff_values
from exactchange.reports import diff_json, render_diff, render_stat
from exactchange.snapshot import Note, Unread
from exactchange.values import ABSENT

DIFF = Diff(
    (
        changed("app", "modified", "server.retries", 3, 5),
        changed("app", "added", "server.debug", ABSENT, True),
        changed("app", "removed", "server.old", "a\nb", ABSENT),
        changed("app", "moved", "jobs[name=build]", 2, 0),
    ),
    (Unread(("secret",), "secret", "permission denied"),),
    (Note("formatting", "2 comments moved"),),
)


@pytest.mark.parametrize("width", [44, 100])
def test_a_diff_reads_as_its_golden_file(width: int) -> None:
    check_golden(f"diff-{width}.txt", render_diff(DIFF, source="app", width=width))


def test_the_counts_of_a_diff_read_as_their_golden_file() -> None:
    check_golden("diff-stat.txt", render_stat(DIFF))


def test_no_change_is_said_in_one_line() -> None:
    assert render_diff(Diff(), source="app") == "no change\n"


def test_what_is_unread_makes_a_diff_incomplete() -> None:
    document = diff_json(DIFF)
    assert document["complete"] is False
    assert document["unread"] == [{"address": "secret", "reason": "permission denied", "cause": "content"}]


def test_the_document_of_a_change() -> None:
    document = diff_json(diff_values({"a": {"b": 1}}, {"a": {"b": 1.0}}))
    assert document == {
        "schema": "exactchange/diff/1",
        "complete": True,
        "changes": [
            {"source": "", "op": "modified", "address": "a.b", "path": ["a", "b"], "before": 1, "after": 1.0, "at": {}}
        ],
        "unread": [],
        "notes": [],
    }
