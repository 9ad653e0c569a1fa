import dataclasses

import pytest
from tests.reports.samples import changed, unmet

from exactchange.diff import Change
from exactchange.reports import render_verdict
from exactchange.reports.groups import groups, takes_anything
from exactchange.values import ABSENT, Path
from exactchange.verdict import Finding, NearMiss, Whole

COOKIE = Whole("page", "added", "@cookies.sid", ("@cookies", "sid"))
LEAVES = tuple(changed("page", "added", f"@cookies.sid.{name}", ABSENT, 1) for name in ("domain", "path", "value"))
BESIDE = changed("page", "added", "@cookies.side.value", ABSENT, 1)
GONE = changed("page", "removed", "@cookies.sid.old", 1)


def sizes(changes: tuple[Change, ...], *, alone: tuple[Change, ...] = ()) -> list[int]:
    return [len(group.changes) for group in groups(changes, (COOKIE,), alone=alone)]


def test_the_leaves_of_a_whole_are_together_and_what_stands_beside_them_is_not() -> None:
    assert sizes((*LEAVES, BESIDE, GONE)) == [3, 1, 1]
    assert sizes((GONE, BESIDE, *LEAVES)) == [1, 1, 3]
    other = dataclasses.replace(LEAVES[0], source="page2")
    assert sizes((*LEAVES, other)) == [3, 1]


def test_a_whole_with_something_said_of_a_part_of_it_is_not_put_together() -> None:
    assert sizes(LEAVES, alone=(LEAVES[1],)) == [1, 1, 1]
    assert sizes(LEAVES, alone=(BESIDE, GONE)) == [3]


def test_a_group_is_one_row_with_one_line_and_every_leaf_has_its_own_with_all() -> None:
    verdict = dataclasses.replace(unmet(), unexplained=(*LEAVES, BESIDE), whole=(COOKIE,))
    text = render_verdict(verdict)
    assert text.count("add to allow:") == 2
    assert '- {in: page, at: "@cookies.sid", op: added}' in text
    assert "{domain: 1, path: 1, value: 1}" in text and "! not explained: 3 values" in text
    full = render_verdict(verdict, full=True)
    assert full.count("add to allow:") == 4
    assert '- {in: page, at: "@cookies.sid.path", op: added}' in full


def test_a_red_line_or_a_near_miss_inside_of_a_whole_is_never_hidden_by_its_line() -> None:
    leaf = LEAVES[1]
    evidence = ({"kind": "change", "source": leaf.source, "address": leaf.address, "op": leaf.op},)
    crossed = Finding("veto", "no path", "t.yaml:1:1", True, evidence=evidence)
    near = Finding("must", "the path", "t.yaml:2:1", False, near=(NearMiss(leaf, "to 2 (int)", "1 (int)"),))
    for finding in (crossed, near):
        verdict = dataclasses.replace(unmet(), unexplained=LEAVES, whole=(COOKIE,), findings=(finding,))
        assert '- {in: page, at: "@cookies.sid", op: added}' not in render_verdict(verdict)


def test_what_is_not_shown_is_counted_in_changes_and_not_in_rows() -> None:
    many = tuple(changed("config", "added", f"s{n}.{key}", ABSENT, 1) for n in range(50) for key in "abcd")
    whole = tuple(Whole("config", "added", f"s{n}", (f"s{n}",)) for n in range(50))
    verdict = dataclasses.replace(unmet(), unexplained=many, whole=whole, allowed=(), findings=())
    assert f"and {200 - 160} more changes" in render_verdict(verdict)


GONE_FILE = tuple(
    changed("files", "removed", f"a.txt.@text[{n}]", f"line {n}", path=("a.txt", "@text", n)) for n in range(12)
)


def asked_for(*, left: tuple[Change, ...]) -> str:
    """The report on a removed file of which a must asked for one line."""
    must = Finding("must", "line 3 is gone", "t.yaml:1:1", True, explains=(GONE_FILE[3],))
    return render_verdict(dataclasses.replace(unmet(), unexplained=left, allowed=(), findings=(must,)), width=120)


def test_what_is_left_of_a_container_that_a_must_took_a_part_of_is_one_row() -> None:
    left = (*GONE_FILE[:3], *GONE_FILE[4:])
    text = asked_for(left=left)
    assert text.count("! not explained") == 1 and "! not explained: 11 values" in text
    assert "add to allow" not in text  # there may be more in it than what went
    assert asked_for(left=left[:3]).count("! not explained") == 3
    other = changed("files", "added", "a.txt.@text[12]", ABSENT, "x", path=("a.txt", "@text", 12))
    assert asked_for(left=(*left, other)).count("! not explained") == 12


ANYTHING: list[tuple[Path, str | int | None, bool]] = [
    ((), None, True),
    (("@storage",), "local", True),
    (("@storage", "local", "http://a"), "theme", True),
    (("@storage", "local", "http://a", "theme"), None, False),
    (("@cookies",), "sid", True),
    (("@cookies", "sid"), "value", False),
    (("@schema", "table"), "t", True),
    (("@schema", "table", "t"), "sql", False),
    (("@contexts", 1), "@cookies", True),
    (("@contexts", 1, "@cookies", "sid"), "value", False),
    (("orders",), "id=7", True),
    (("orders",), "#1a2b", True),
    (("orders", "id=7"), "status", False),
    (("server",), "timeout", False),
    (("a.txt",), "@text", False),
]


@pytest.mark.parametrize(("path", "inside", "wanted"), ANYTHING)
def test_a_place_that_takes_anything_is_a_source_a_facet_or_what_holds_rows(
    path: Path, inside: str | int | None, wanted: bool
) -> None:
    assert takes_anything(path, inside) is wanted


def test_of_a_store_that_came_as_a_whole_every_item_has_a_line_of_its_own() -> None:
    path = ("@storage", "local", "http://a")
    items = tuple(
        changed("page", "added", f"@storage.local.http://a.{name}", ABSENT, "1", path=(*path, name)) for name in "ab"
    )
    whole = (Whole("page", "added", "@storage", ("@storage",)),)
    text = render_verdict(dataclasses.replace(unmet(), unexplained=items, whole=whole), width=120)
    assert [
        line in text for line in ('at: "@storage",', '@storage.local.http://a.a"', '@storage.local.http://a.b"')
    ] == [
        False,
        True,
        True,
    ]
