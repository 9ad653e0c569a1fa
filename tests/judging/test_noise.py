"""What a kind's own rules take for noise: after vetoes and musts, before what is left over, and never more."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judging.kit import Data, act, allow, case, change, finding, judged, left, value

from exactchange.case import Case, Evidence
from exactchange.conditions import Evaluation
from exactchange.conditions.noise import BY_RULE
from exactchange.conditions.redundancy import Redundant, redundant
from exactchange.conditions.unannounced import unannounced
from exactchange.diff import Change
from exactchange.snapshot import Mark, TreeSnapshot
from exactchange.sources import NoiseRule, Noisy, NoSelector, Recognised, SourceParams, TreeKind
from exactchange.values import Value
from exactchange.verdict import Verdict, verdict_json

RULE = f"{BY_RULE}tick"


class TickParams(SourceParams):
    """Whether the rule is off."""

    off: bool = False


class Ticking(TreeKind[TickParams, NoSelector, TreeSnapshot]):
    """A source in which what is called `tick` goes up by itself."""

    name = "ticking"
    noise_rules = (NoiseRule("tick", "a number went up", usual=True),)

    def noise(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot, params: TickParams
    ) -> Sequence[str | None]:
        return [None if params.off or not _ticked(item) else "tick" for item in changes]

    def made_anew(
        self, source: str, *, before: TreeSnapshot, after: TreeSnapshot, params: TickParams
    ) -> Sequence[Recognised]:
        names = Change(source, "modified", "@names", ("@names",), ["a1"], ["a2"])
        return [] if params.off or before == after else [Recognised(names, "made up")]


def _ticked(item: Change) -> bool:
    numbers = isinstance(item.before, int) and isinstance(item.after, int) and item.before < item.after
    return numbers and str(item.path[-1]).startswith("tick")


TICKING = Ticking()


def ticking(states: Sequence[Value], *, off: bool = False, steps: Sequence[int] | None = None) -> Evidence:
    numbers = range(len(states)) if steps is None else steps
    taken = [TreeSnapshot("ticking", tree, Mark(step)) for tree, step in zip(states, numbers, strict=True)]
    return Evidence("s", TICKING, TickParams(off=off), tuple(taken))


def of(states: Sequence[Value], *, off: bool = False) -> Case:
    return case(ticking(states, off=off))


def by_noise(verdict: Verdict) -> list[str]:
    return [item.change.address for item in verdict.ignored if item.where == RULE]


BEFORE: Data = {"tick": 1, "done": False, "name": "a"}
AFTER: Data = {"tick": 2, "done": True, "name": "a"}
DONE = change("done", to=True)


def test_a_kind_that_knows_of_noise_is_one_by_what_it_offers() -> None:
    assert isinstance(TICKING, Noisy)


def test_noise_is_reported_as_ignored_with_its_rule() -> None:
    verdict = judged(of([BEFORE, AFTER]), DONE)
    assert (verdict.outcome, left(verdict), by_noise(verdict)) == ("passed", [], ["tick"])
    ignored = verdict_json(verdict)["ignored"]
    assert isinstance(ignored, list)
    told = [item for item in ignored if isinstance(item, Mapping)]
    assert [(item["address"], item["before"], item["after"], item["where"]) for item in told] == [
        ("tick", 1, 2, "noise rule tick"),
        ("@names", ["a1"], ["a2"], "noise rule made up"),
    ]


def test_with_the_rule_off_the_same_is_unexplained() -> None:
    verdict = judged(of([BEFORE, AFTER], off=True), DONE)
    assert (verdict.outcome, left(verdict), verdict.ignored) == ("unmet", ["tick"], ())


@pytest.mark.parametrize("after", [{"tick": 0}, {"tick": "2"}, {"tick": None}, {"name": "b"}, {"tock": 1}])
def test_what_no_rule_takes_is_left_over(after: Data) -> None:
    verdict = judged(of([BEFORE, {**AFTER, **after}]), DONE)
    assert (verdict.outcome, by_noise(verdict)) == ("unmet", [] if "tick" in after else ["tick"])


def test_a_veto_sees_noise() -> None:
    for rule in (change("tick"), value("tick", {"ge": 2})):
        assert judged(of([BEFORE, AFTER]), DONE, veto=[rule]).outcome == "vetoed"


def test_a_must_sees_noise_first_and_it_is_explained_and_not_ignored() -> None:
    verdict = judged(of([BEFORE, AFTER]), change("tick", to=2), DONE)
    assert (verdict.outcome, by_noise(verdict)) == ("passed", [])
    assert [item.address for item in finding(verdict, "must").explains] == ["tick"]


def test_a_must_that_asks_for_another_value_fails_though_what_is_there_is_noise() -> None:
    verdict = judged(of([BEFORE, AFTER]), change("tick", to=3), DONE)
    assert (verdict.outcome, finding(verdict, "must").holds) == ("unmet", False)


def test_a_must_counts_noise_as_any_change() -> None:
    states = [{"tick": 1, "tick2": 1}, {"tick": 2, "tick2": 2}]
    assert judged(of(states), change("*", count=2)).outcome == "passed"
    one = judged(of(states), change("*", count=1))
    assert (one.outcome, len(by_noise(one))) == ("passed", 1)
    assert judged(of(states, off=True), change("*", count=1)).outcome == "unmet"


def test_a_value_reads_what_noise_made_of_it() -> None:
    assert judged(of([BEFORE, AFTER]), DONE, value("tick", 2)).outcome == "passed"
    assert judged(of([BEFORE, AFTER]), DONE, value("tick", 1)).outcome == "unmet"


def test_noise_uses_up_nothing_of_an_allow() -> None:
    states = [BEFORE, {**AFTER, "name": "b"}]
    verdict = judged(of(states), DONE, allow=[allow("*", op="modified", max=1)])
    assert (verdict.outcome, [item.change.address for item in verdict.allowed]) == ("passed", ["name"])
    assert by_noise(verdict) == ["tick"]


def test_what_the_task_itself_ignores_is_ignored_by_its_own_rule() -> None:
    verdict = judged(of([BEFORE, AFTER]), DONE, ignore=[allow("tick")], sources=["s"])
    assert (verdict.outcome, by_noise(verdict)) == ("passed", [])
    assert [item.change.address for item in verdict.ignored] == ["tick", "@names"]


def test_what_came_whole_is_no_noise_and_a_row_is_none() -> None:
    verdict = judged(of([{"done": False}, {"done": True, "in": {"tick": 5}}]), DONE)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["in.tick"])


def test_a_step_that_changed_only_noise_changed_nothing() -> None:
    states: list[Value] = [BEFORE, {**BEFORE, "tick": 2}, {**AFTER, "tick": 3}]
    actions = [act("file_write", 1), act("file_write", 2)]
    found = {
        off: redundant(Evaluation(case(ticking(states, off=off), actions=actions)), actions) for off in (False, True)
    }
    assert found == {False: Redundant((1,), ()), True: Redundant((), ())}


def test_noise_outside_every_step_is_nothing_that_was_done() -> None:
    states: list[Value] = [BEFORE, AFTER, {**AFTER, "tick": 3}]
    for off in (False, True):
        evidence = ticking(states, off=off, steps=[0, 1, 1])
        assert (unannounced(Evaluation(case(evidence, actions=[act("click", 1)]))) == ()) is not off


NAMES = st.sampled_from(["tick", "tick2", "done", "name"])
STATES = st.dictionaries(NAMES, st.integers(0, 3))
PLACES = st.sampled_from(["tick", "tick2", "done", "name", "*", "tick*"])


def _rule(at: str, to: int) -> Data:
    return change(at, to=to)


def _allowed(at: str, most: int | None) -> Data:
    return {**allow(at), **({} if most is None else {"max": most})}


RULES = st.lists(st.builds(_rule, PLACES, st.integers(0, 3)), min_size=1, max_size=2)
VETOES = st.lists(st.builds(_rule, PLACES, st.integers(0, 3)), max_size=1)
ALLOWS = st.lists(st.builds(_allowed, PLACES, st.none() | st.just(1)), max_size=1)


@given(STATES, STATES, RULES, VETOES, ALLOWS)
def test_with_rules_off_nothing_passes_that_did_not_and_vetoes_and_musts_say_the_same(
    before: Data, after: Data, musts: list[Data], vetoes: list[Data], allows: list[Data]
) -> None:
    on, off = (judged(of([before, after], off=off), *musts, veto=vetoes, allow=allows) for off in (False, True))
    assert off.outcome != "passed" or on.outcome == "passed"
    assert (on.outcome == "vetoed") is (off.outcome == "vetoed")
    assert [item.holds for item in on.findings] == [item.holds for item in off.findings]
    assert by_noise(off) == []
    settled = {*left(off), *(item.change.address for item in off.allowed)}
    explained = {item.address for found in off.findings for item in found.explains}
    assert set(by_noise(on)) <= settled | explained
    assert set(left(on)) <= settled


@given(STATES, STATES)
def test_what_is_ignored_by_a_rule_is_unexplained_without_it_and_nothing_else_is(before: Data, after: Data) -> None:
    on, off = (judged(of([{**before, "aim": 0}, {**after, "aim": 1}], off=off), change("aim")) for off in (False, True))
    assert sorted([*by_noise(on), *left(on)]) == sorted(left(off))
    assert (on.outcome == "passed") is (left(on) == [])
