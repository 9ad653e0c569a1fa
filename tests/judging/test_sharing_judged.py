"""Whole verdicts against every way to share rows out among musts and `allow`: only what some way explains is passed."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judging.kit import TABLES, Data, case, judged, source

from exactchange.values import Value
from exactchange.verdict import Verdict

Row = Mapping[str, Value]
COLUMNS = ("id", "a", "b")


@dataclass(frozen=True)
class Asks:
    """A must (`must`: at least so many, None no must) or an `allow`, of rows with these columns, or of one column."""

    row: tuple[tuple[str, int], ...]
    most: int | None
    must: int | None = None
    anything: bool = False
    column: str = ""

    def rule(self) -> Data:
        said: dict[str, Value] = {"in": "s", "at": f"t[*].{self.column}" if self.column else "t[*]"}
        if not self.column:
            said |= {"op": "added", "row": dict(self.row), "rest": "any" if self.anything else "default"}
        if self.must is not None:
            return {"change": {**said, "count": {"ge": self.must} if self.most is None else self.must}}
        return said if self.most is None else {**said, "max": self.most}

    def explains(self, row: Row) -> frozenset[str] | None:
        """The columns of a row that it explains; None where the row does not fit."""
        if self.column:
            return frozenset({self.column})
        if any(row[name] != value for name, value in self.row):
            return None
        plain = {name for name in COLUMNS if row[name] is None}
        return frozenset(COLUMNS) if self.anything else frozenset({"id", *plain, *(name for name, _ in self.row)})


columns = st.dictionaries(st.sampled_from(["a", "b"]), st.integers(1, 2), min_size=1).map(
    lambda row: tuple(sorted(row.items()))
)
allows = st.builds(Asks, columns, st.none() | st.integers(0, 2), anything=st.booleans()) | st.builds(
    Asks, st.just(()), st.none() | st.integers(1, 2), column=st.sampled_from(["a", "b"])
)


def _must(row: tuple[tuple[str, int], ...], fewest: int, more: bool, anything: bool) -> Asks:
    return Asks(row, None if more else fewest, fewest, anything)


musts = st.builds(_must, columns, st.integers(1, 2), st.booleans(), st.booleans())
cells = st.none() | st.integers(1, 2)


def best(rows: Sequence[Row], wanted: Sequence[Asks], may: Sequence[Asks]) -> tuple[int, int, int, int]:
    """The fewest missing, the most given, then the fewest rows and columns left, by trying everything."""
    found: list[tuple[int, int, int, int]] = []
    tries = [(number, place) for number, item in enumerate(may) for place, row in enumerate(rows) if item.explains(row)]
    bound = [(number, place) for number, place in tries if may[number].most is not None]
    free = [(number, place) for number, place in tries if may[number].most is None]
    subsets = [
        chosen
        for size in range(len(bound) + 1)
        for chosen in combinations(bound, size)
        if all(count <= (may[number].most or 0) for number, count in Counter(number for number, _ in chosen).items())
    ]
    for owners in product(*([None, *(n for n, m in enumerate(wanted) if m.explains(row) is not None)] for row in rows)):
        have = Counter(owner for owner in owners if owner is not None)
        if any(m.most is not None and have[number] > m.most for number, m in enumerate(wanted)):
            continue
        missing = sum(max(0, (m.must or 0) - have[number]) for number, m in enumerate(wanted))
        for chosen in subsets:
            left = [set(COLUMNS) for _ in rows]
            for place, owner in enumerate(owners):
                left[place] -= set() if owner is None else wanted[owner].explains(rows[place]) or set()
            for number, place in (*chosen, *free):
                left[place] -= may[number].explains(rows[place]) or set()
            found.append((missing, -sum(have.values()), sum(map(bool, left)), sum(map(len, left))))
    return min(found)


def told(verdict: Verdict) -> tuple[int, int]:
    """How many rows and columns are left over."""
    parts = [(item.path[1], 3 if len(item.path) == 2 else 1) for item in verdict.unexplained]
    return len({row for row, _ in parts}), sum(size for _, size in parts)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=4),
    st.lists(musts, min_size=1, max_size=2),
    st.lists(allows, max_size=2),
    st.randoms(use_true_random=False),
)
def test_a_verdict_is_as_good_as_the_best_way_to_share_out_and_no_better(
    values: list[tuple[int | None, int | None]], wanted: list[Asks], may: list[Asks], chance: random.Random
) -> None:
    rows: list[Row] = [{"id": number, "a": a, "b": b} for number, (a, b) in enumerate(values, 1)]
    missing, given_, left, cells_left = best(rows, wanted, may)
    for shuffled in (False, True):
        order = [*rows]
        if shuffled:
            for items in (order, wanted, may):
                chance.shuffle(items)
        state: Value = {"t": {f"id={row['id']}": dict(row) for row in order}}
        run = case(source("s", [{"t": {}}, state], kind=TABLES))
        verdict = judged(run, *(item.rule() for item in wanted), allow=[item.rule() for item in may])
        findings = [item for item in verdict.findings if item.tier == "must"]
        assert verdict.outcome == ("passed" if not missing and not left else "unmet")
        assert all(item.holds for item in findings) is (missing == 0)
        assert sum(len(item.explains) for item in findings) == -given_
        taken = [change_.path for item in findings for change_ in item.explains]
        assert len(taken) == len(set(taken)), "a change goes to one must"
        assert told(verdict) == (left, cells_left)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=4),
    st.lists(musts, min_size=1, max_size=2),
    st.lists(allows, min_size=1, max_size=2),
    st.integers(0, 30),
)
def test_too_few_steps_leave_it_open_and_never_turn_it(
    values: list[tuple[int | None, int | None]], wanted: list[Asks], may: list[Asks], steps: int
) -> None:
    rows: list[Row] = [{"id": number, "a": a, "b": b} for number, (a, b) in enumerate(values, 1)]
    missing, _, left, _ = best(rows, wanted, may)
    run = case(source("s", [{"t": {}}, {"t": {f"id={row['id']}": dict(row) for row in rows}}], kind=TABLES))
    with pytest.MonkeyPatch.context() as patch:
        for module in ("account", "fewest"):
            patch.setattr(f"exactchange.judging.{module}.MOST_STEPS", steps)
        verdict = judged(run, *(item.rule() for item in wanted), allow=[item.rule() for item in may])
    assert verdict.outcome in ("passed" if not missing and not left else "unmet", "undecided")
    assert verdict.outcome != "undecided" or not missing, "what is missing is so however changes are shared out"
