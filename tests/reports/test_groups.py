import dataclasses

from tests.reports.samples import changed, unmet

from exactchange.diff import Change
from exactchange.reports import render_verdict
from exactchange.reports.groups import groups
from exactchange.values import ABSENT
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
