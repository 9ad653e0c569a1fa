import dataclasses

import pytest
from tests.reports.golden import check_golden
from tests.reports.samples import changed

from exactchange.diff import Diff, diff_values
from exactchange.reports import diff_json, render_diff, render_stat
from exactchange.snapshot import Note, Unread
from exactchange.values import ABSENT
from exactchange.verdict.document import change_json

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


CAUSED = dataclasses.replace(
    changed("db", "removed", "orders[id=30]", {"id": 30, "customer": 3}),
    likely_cause="ON DELETE CASCADE of orders.customer, with customers[id=3]",
)


def test_what_may_have_made_a_change_stands_below_it_and_is_folded() -> None:
    wide, narrow = (render_diff(Diff((CAUSED,)), source="", width=width).splitlines() for width in (100, 40))
    assert wide[2] == "      likely cause: ON DELETE CASCADE of orders.customer, with customers[id=3]"
    assert narrow[-4:-1] == [
        "      likely cause: ON DELETE CASCADE of",
        "      | orders.customer,",
        "      | with customers[id=3]",
    ]


def test_what_may_have_made_a_change_is_in_its_document_where_it_is_known_and_in_no_comparison() -> None:
    assert change_json(CAUSED)["likely_cause"] == CAUSED.likely_cause
    assert "likely_cause" not in change_json(dataclasses.replace(CAUSED, likely_cause=""))
    assert dataclasses.replace(CAUSED, likely_cause="") == CAUSED
