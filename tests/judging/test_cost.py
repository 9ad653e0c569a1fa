"""The cost of judging grows with what changed, not with the number of steps or with pairs of changes."""

import time
from collections.abc import Callable, Sequence

import pytest
from tests.judging.kit import TABLES, Data, Plain, act, action, allow, case, change, judged, source, task, value

from exactchange.actions import Action
from exactchange.address import AddressPattern
from exactchange.case import Case
from exactchange.diff import Diff, compare
from exactchange.judging import judge, vetoed_so_far
from exactchange.limits import Budget
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Match, Narrowed, SourceParams
from exactchange.values import Value
from exactchange.verdict import Verdict


class Counting(Plain):
    """Counts how often two states are compared, and how often one is searched."""

    def __init__(self) -> None:
        self.compared = 0
        self.searched = 0

    def find(self, snapshot: TreeSnapshot, pattern: AddressPattern, *, budget: Budget) -> Sequence[Match]:
        self.searched += 1
        return super().find(snapshot, pattern, budget=budget)

    def narrow(self, before: TreeSnapshot, after: TreeSnapshot, *, params: SourceParams, budget: Budget) -> Narrowed:
        self.compared += 1
        return super().narrow(before, after, params=params, budget=budget)


RULES: list[Data] = [
    change("a.*", to=99), change("**", op="removed"), {"not": value("a", {"type": "mapping"}, when="always")},
    change("a.*", unless_after=action("reply"), to=98),
]  # fmt: skip


def test_judging_after_every_step_compares_a_state_that_did_not_change_with_nothing() -> None:
    kind, steps = Counting(), 80
    states: list[Value] = [{"a": {"n": step // 20}} for step in range(steps + 1)]
    whole = source("s", states, kind=kind)
    actions = [act("click", seq) for seq in range(1, steps + 1)]
    diffs: dict[tuple[str, int, int], Diff] = {}
    alike: dict[tuple[str, int], int] = {}
    found: dict[tuple[str, int, object], object] = {}
    rules = task(change("a.n", to=4), veto=RULES)

    def so_far(step: int) -> Case:
        run = case(source("s", states[: step + 1], kind=kind), actions=actions[:step], complete=step == steps)
        return Case(run.sources, run.actions, complete=run.complete, _diffs=diffs, _alike=alike, _found=found)

    for step in range(1, steps + 1):
        assert vetoed_so_far(rules, so_far(step)) == ()
    assert judge(rules, so_far(steps)).passed
    assert kind.compared <= steps + 10
    assert kind.searched <= steps + 10
    assert len(whole.captures) == steps + 1


def test_one_and_the_same_snapshot_is_never_compared_with_itself() -> None:
    kind = Counting()
    run = case(source("s", [{"a": {"n": 1}}, {"a": {"n": 2}}], kind=kind))
    start, end = run.sources["s"].captures
    evidence = source("s", [], kind=kind)
    many = case(type(evidence)("s", kind, SourceParams(), (start, *[end] * 500)), actions=[act("click", 1)])
    assert Diff() == many.diff("s", 200, 300)
    assert kind.compared <= 1  # the change itself, in search of where the state began
    assert judged(many, change("a.n"), veto=RULES).passed
    assert kind.compared == 1


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _growth(work: Callable[[int], object], small: int, large: int) -> float:
    """How much more the large one costs, after the small one has warmed everything up."""
    work(small)
    # The least of several: what else the machine does at the time can only add.
    much = min(_cpu(lambda: work(large)) for _ in range(3))
    return much / max(min(_cpu(lambda: work(small)) for _ in range(3)), 1e-4)


def _many(number: int, *musts: Data, **sections: list[Data]) -> Verdict:
    before: Value = {"t": {f"id={n}": {"id": n, "v": 1} for n in range(number)}}
    after: Value = {"t": {f"id={n}": {"id": n, "v": 2} for n in range(number)}}
    return judged(case(source("s", [before, after], kind=TABLES)), *musts, sources=(), **sections)


def test_many_changed_rows_against_one_demand_cost_as_many_times_more() -> None:
    def work(number: int) -> None:
        assert len(_many(number, change("t[id=3].v")).unexplained) == number - 1

    assert _growth(work, 500, 5_000) < 30


def test_a_demand_of_all_costs_as_many_times_more() -> None:
    def work(number: int) -> None:
        assert _many(number, change("t[*].v", from_=1, to=2, count="all")).passed

    assert _growth(work, 200, 2_000) < 30


def test_many_demands_that_could_take_each_others_changes_are_assigned() -> None:
    def work(number: int) -> None:
        musts = [change("t[*].v", count=number // 2), *(change(f"t[id={n}].v") for n in range(number // 2))]
        assert _many(number, *musts).passed

    work(200)


def test_added_rows_and_containers_cost_as_many_times_more() -> None:
    def work(number: int) -> None:
        rows: Value = {f"id={n}": {"id": n, "v": n} for n in range(number)}
        run = case(source("s", [{"t": {}}, {"t": rows}], kind=TABLES))
        assert judged(run, change("t[id=1]", op="added", row={"v": 1}), allow=[allow("t[*]", rest="any")]).passed
        listed: Value = {"l": [{"id": n, "v": n} for n in range(number)]}
        assert judged(case(source("s", [{}, listed])), change("l[*].v", count=number), allow=[allow("l[*].id")]).passed

    assert _growth(work, 300, 3_000) < 30


def test_a_long_list_is_compared_in_time_that_grows_with_it() -> None:
    def keyed(number: int) -> None:
        before: Value = [{"id": n, "v": 0} for n in range(number)]
        after: Value = [{"id": n, "v": 1} for n in reversed(range(number))]
        assert len(compare(before, after)) == 2 * number - 1

    def plain(number: int) -> None:
        assert len(compare([*range(number)], [*range(1, number), -1, *range(number)])) >= number

    assert _growth(keyed, 300, 3_000) < 30
    assert _growth(plain, 300, 3_000) < 30


@pytest.mark.parametrize("kinds", [["click"], ["upload"]])
def test_many_actions_cost_as_many_times_more(kinds: list[str]) -> None:
    def work(number: int) -> None:
        actions: list[Action] = [act("click", n, by="agent") for n in range(1, number + 1)]
        run = case(source("s", [{"a": 1}, {"a": 2}], steps=[0, number]), actions=actions)
        rules = [action(kind, count={"ge": number + 1}, unless_after=action("reply")) for kind in kinds]
        assert judged(run, change("a"), veto=rules, sources=()).outcome == "passed"

    assert _growth(work, 500, 5_000) < 30
