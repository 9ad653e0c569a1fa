"""Semantics 21: what cannot be told decides only what it would decide either way, and a verdict shows its bounds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judging.kit import Data, act, action, allow, case, change, finding, judged, seen, source, told, unread, value

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.evaluation import Tier
from exactchange.conditions.logic import all_of, any_of, negation
from exactchange.diff import Change
from exactchange.judging import BrokenTask
from exactchange.judging.outcome import Grounds, bounds, outcome
from exactchange.snapshot import Unread
from exactchange.values import Value
from exactchange.verdict import Bounds, Finding, Outcome, Truth, Verdict

LAW = settings(max_examples=150, deadline=None)
TRUTHS: tuple[Truth, ...] = (True, False, None)
TIERS: tuple[Tier, ...] = ("given", "veto", "must", "bonus")
NAMES = ("a", "b", "c", "@d")
"""Places of one source; a facet (`@d`) is outside of the closed world, so that a pass need not know it."""
Known: TypeAlias = Mapping[str, Truth]
"""Of each place whether it changes from 1 to 2, or whether nobody can tell."""


def run_of(known: Known) -> Case:
    """The run in which these places changed, stayed or became unreadable; beside them `t` goes from 1 to 2."""
    before: dict[str, Value] = {"t": 1, **dict.fromkeys(known, 1)}
    after: dict[str, Value] = {
        "t": 2,
        **{name: 2 if truth else 1 for name, truth in known.items() if truth is not None},
    }
    lost = [unread(name) for name, truth in known.items() if truth is None]
    return case(source("s", [before, seen(after, *lost)]))


def completions(known: Known) -> Iterator[Known]:
    """Every way in which it may be, of what nobody can tell."""
    yield from (
        dict(zip(known, truths, strict=True))
        for truths in product(*((True, False) if truth is None else (truth,) for truth in known.values()))
    )


def truth_of(rule: Data, known: Known, tier: Tier = "bonus") -> Truth:
    return Condition.model_validate(rule).check(Evaluation(run_of(known)), tier=tier).truth


AND = {(True, True): True, (True, None): None, (None, None): None, (True, False): False, (None, False): False,
       (False, False): False}  # fmt: skip
OR = {(True, True): True, (True, None): True, (None, None): None, (True, False): True, (None, False): None,
      (False, False): False}  # fmt: skip
NOT: Mapping[Truth, Truth] = {True: False, False: True, None: None}


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("word", "table"), [("all", AND), ("any", OR)])
def test_all_and_any_have_kleenes_tables_in_either_order(
    word: str, table: Mapping[tuple[Truth, Truth], Truth], tier: Tier
) -> None:
    for (left, right), wanted in table.items():
        known = {"a": left, "b": right}
        for pair in ([change("a"), change("b")], [change("b"), change("a")], [value("b", 2), value("a", 2)]):
            assert truth_of({word: pair}, known, tier) is wanted, known


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("rule", [change("a"), value("a", 2)])
def test_not_turns_what_is_known_and_leaves_what_is_not(rule: Data, tier: Tier) -> None:
    for inner, wanted in NOT.items():
        assert truth_of({"not": rule}, {"a": inner}, tier) is wanted
        assert truth_of({"not": {"not": rule}}, {"a": inner}, tier) is inner


def test_what_cannot_be_told_on_either_side_stays_untold_even_of_a_rule_and_its_opposite() -> None:
    """Kleene's logic looks at truths, not at rules: it may tell less than there is to know, and never more."""
    both = [change("a"), {"not": change("a")}]
    assert truth_of({"any": both}, {"a": None}) is None
    assert truth_of({"all": both}, {"a": None}) is None


def _nested(parts: "st.SearchStrategy[Data]") -> "st.SearchStrategy[Data]":
    lists = st.lists(parts, min_size=1, max_size=3)
    return (
        lists.map(lambda items: {"all": items})
        | lists.map(lambda items: {"any": items})
        | parts.map(lambda item: {"not": item})
    )


def _leaf(name: str, stands: bool) -> Data:
    return value(name, 2) if stands else change(name)


leaves = st.builds(_leaf, st.sampled_from(NAMES), st.booleans())
rules: st.SearchStrategy[Data] = st.recursive(leaves, _nested, max_leaves=6)
knowns = st.fixed_dictionaries({name: st.sampled_from(TRUTHS) for name in NAMES})


@st.composite
def read_once(draw: st.DrawFn) -> Data:
    """A rule that speaks of no place twice."""
    parts: list[Data] = [_leaf(name, draw(st.booleans())) for name in draw(st.permutations(NAMES))]
    while len(parts) > 1:
        taken = draw(st.integers(2, len(parts)))
        joined: Data = {draw(st.sampled_from(["all", "any"])): parts[:taken]}
        parts = [{"not": joined} if draw(st.booleans()) else joined, *parts[taken:]]
    return parts[0]


@given(rules, knowns, st.sampled_from(TIERS))
@LAW
def test_a_rule_is_told_only_if_it_is_so_however_the_unknown_turns_out(rule: Data, known: Known, tier: Tier) -> None:
    told_ = truth_of(rule, known, tier)
    if told_ is not None:
        assert {truth_of(rule, complete, tier) for complete in completions(known)} == {told_}


@given(read_once(), knowns, st.sampled_from(TIERS))
@LAW
def test_a_rule_that_speaks_of_no_place_twice_is_told_if_and_only_if_the_unknown_does_not_matter(
    rule: Data, known: Known, tier: Tier
) -> None:
    ways = {truth_of(rule, complete, tier) for complete in completions(known)}
    assert truth_of(rule, known, tier) is (ways.pop() if len(ways) == 1 else None)


def test_combining_results_needs_no_more_than_their_truths() -> None:
    from exactchange.conditions.evaluation import Result

    made = {truth: Result(truth, "") for truth in TRUTHS}
    for (left, right), wanted in AND.items():
        assert all_of([made[left], made[right]]).truth is wanted
    for (left, right), wanted in OR.items():
        assert any_of([made[left], made[right]]).truth is wanted
    assert {truth: negation(result).truth for truth, result in made.items()} == NOT


RANK: Mapping[str, int] = {"vetoed": 0, "unmet": 1, "passed": 2}


def _verdict(
    known: Known, must: Sequence[Data], *, veto: Sequence[Data], allow: Sequence[Data], bonus: Sequence[Data]
) -> Verdict | None:
    """The verdict; None where the task is broken by what there was at the start."""
    try:
        return judged(run_of(known), change("t", to=2), *must, veto=veto, allow=allow, bonus=bonus)
    except BrokenTask:
        return None


@given(
    st.lists(rules, max_size=2),
    st.lists(rules, max_size=2),
    st.lists(st.sampled_from(NAMES).map(allow), max_size=3),
    st.lists(rules, max_size=2),
    knowns,
)
@LAW
def test_no_way_in_which_the_unknown_may_turn_out_leaves_the_bounds_of_a_verdict(
    must: list[Data], veto: list[Data], allowed: list[Data], bonus: list[Data], known: Known
) -> None:
    verdict = _verdict(known, must, veto=veto, allow=allowed, bonus=bonus)
    if verdict is None:
        return
    assert verdict.bounds is not None
    for complete in completions(known):
        full = _verdict(complete, must, veto=veto, allow=allowed, bonus=bonus)
        if full is None:
            continue
        assert full.outcome != "undecided" and full.score is not None
        assert RANK[verdict.bounds.worst] <= RANK[full.outcome] <= RANK[verdict.bounds.best]
        assert full.score <= verdict.bounds.score_at_most
        assert verdict.score is None or full.outcome != "passed" or verdict.score <= full.score
        if verdict.outcome in ("vetoed", "passed"):
            assert full.outcome == verdict.outcome
        if verdict.outcome == "unmet":
            assert full.outcome in ("unmet", "vetoed")


def _findings(tier: Tier, truths: Sequence[Truth]) -> list[Finding]:
    return [Finding(tier, "x", "", truth) for truth in truths]


CHANGED = Change("s", "modified", "x", ("x",), 1, 2, {})
truths = st.lists(st.sampled_from(TRUTHS), max_size=3)


@st.composite
def grounds(draw: st.DrawFn) -> Grounds:
    """Any grounds: what is certainly unexplained is always among the unexplained."""
    certain = draw(st.booleans())
    left = [CHANGED] if certain or draw(st.booleans()) else []
    return Grounds(
        _findings("given", draw(truths)),
        _findings("veto", draw(truths)),
        _findings("must", draw(st.lists(st.sampled_from(TRUTHS), min_size=1, max_size=3))),
        left,
        certain,
        [Unread(("y",), "y", "lost", draw(st.sampled_from(["content", "infrastructure"])))]
        if draw(st.booleans())
        else [],
        draw(st.none() | st.just("the browser ended")),
        draw(st.booleans()),
    )


def _expected(found: Grounds) -> Outcome:
    """The table of outcomes, row by row."""
    vetoes, musts = ([item.holds for item in part] for part in (found.vetoes, found.musts))
    rows: list[tuple[bool, Outcome]] = [
        (True in vetoes, "vetoed"),
        (found.failure is not None, "undecided"),
        (any(item.holds is not True for item in found.given), "undecided"),
        (False in musts or found.certain, "unmet"),
        (None in vetoes or None in musts, "undecided"),
        (bool(found.unexplained or found.unread) or not found.complete, "undecided"),
        (True, "passed"),
    ]
    return next(name for holds, name in rows if holds)


@given(grounds())
@LAW
def test_outcomes_come_in_their_order_whatever_else_there_is(found: Grounds) -> None:
    result, cause = outcome(found)
    assert result == _expected(found)
    assert (cause is None) == (result != "undecided")
    void = found.failure is not None or any(item.holds is not True for item in found.given)
    if result == "undecided":
        only_machines = bool(found.unread) and {item.cause for item in found.unread} == {"infrastructure"}
        assert cause == ("infrastructure" if void or only_machines else "content")


def _settled(found: Grounds) -> Iterator[Grounds]:
    """Every way in which these grounds may be, were everything known of an episode that is over."""
    vetoes = product(*((True, False) if item.holds is None else (item.holds,) for item in found.vetoes))
    for held in vetoes:
        for met in product(*((True, False) if item.holds is None else (item.holds,) for item in found.musts)):
            doubt = bool(found.unexplained or found.unread)
            for certain in {found.certain, *({True, False} if doubt and not found.certain else ())}:
                left = [CHANGED] if certain else []
                yield Grounds((), _findings("veto", held), _findings("must", met), left, certain, (), None, True)


@given(grounds().map(lambda found: replace(found, failure=None, complete=True, given=())))
@LAW
def test_bounds_are_the_worst_and_the_best_of_all_ways_and_no_wider(found: Grounds) -> None:
    shown = bounds(found, outcome(found)[0], (), passed=60)
    ends = [outcome(settled)[0] for settled in _settled(found)]
    assert RANK[shown.worst] == min(RANK[end] for end in ends)
    assert RANK[shown.best] == max(RANK[end] for end in ends)
    assert shown.score_at_most == (100 if shown.best == "passed" else 0)


ALLOWED = [allow("a"), allow("b")]


@pytest.mark.parametrize(
    ("known", "veto", "must", "outcome", "bounds"),
    [
        ({"@d": None}, [change("@d")], [], "undecided", Bounds("vetoed", "passed", Fraction(100))),
        ({"@d": None}, [], [change("@d")], "undecided", Bounds("unmet", "passed", Fraction(100))),
        ({"@d": None, "a": False}, [change("@d")], [change("a")], "unmet", Bounds("vetoed", "unmet", Fraction(0))),
        ({"a": False}, [change("a")], [change("a")], "unmet", Bounds("unmet", "unmet", Fraction(0))),
        ({"@d": None, "a": True}, [change("@d"), change("a")], [], "vetoed", Bounds("vetoed", "vetoed", Fraction(0))),
        ({"a": True}, [], [change("a")], "passed", Bounds("passed", "passed", Fraction(100))),
    ],
)
def test_a_veto_that_cannot_be_told_is_a_bound_of_the_verdict(
    known: Known, veto: list[Data], must: list[Data], outcome: Outcome, bounds: Bounds
) -> None:
    verdict = judged(run_of(known), change("t", to=2), *must, veto=veto)
    assert (verdict.outcome, verdict.bounds) == (outcome, bounds)


def test_a_veto_that_cannot_be_told_beside_a_must_that_failed_is_unmet_and_the_veto_is_shown() -> None:
    from exactchange.reports import render_verdict

    verdict = judged(run_of({"@d": None, "a": False}), change("a"), veto=[change("@d")], allow=[allow("t")])
    assert told(verdict) == ("unmet", None, 0)
    assert finding(verdict, "veto").holds is None
    assert render_verdict(verdict).splitlines()[-1].startswith("UNMET   score 0 · at worst vetoed · ")


def test_an_undecided_verdict_says_how_high_its_score_could_have_been() -> None:
    from exactchange.reports import render_verdict

    verdict = judged(run_of({"@d": None}), change("t", to=2), change("@d"))
    assert told(verdict) == ("undecided", "content", 0)
    assert render_verdict(verdict).splitlines()[-1].startswith("UNDECIDED   score 0 (at most 100) · ")


def test_a_bonus_that_cannot_be_told_shows_what_it_would_have_added() -> None:
    verdict = judged(run_of({"@d": None}), change("t", to=2), bonus=[change("@d"), change("t"), change("t", to=3)])
    assert (verdict.outcome, verdict.score) == ("passed", 60 + Fraction(40, 3))
    assert verdict.bounds == Bounds("passed", "passed", 60 + Fraction(80, 3))


def test_a_run_that_broke_says_nothing_of_what_could_have_been_but_a_veto_that_holds_stays() -> None:
    before, after = {"t": 1}, {"t": 2}
    wide = Bounds("vetoed", "passed", Fraction(100))
    broken = case(source("s", [before, after]), failure="the browser ended")
    assert judged(broken, change("t", to=3)).bounds == wide
    assert judged(case(source("s", [before, after])), change("t"), given=[value("t", 7)]).bounds == wide
    assert judged(case(source("s", [before, after]), complete=False), change("t", to=3)).bounds == wide
    held = judged(broken, change("t"), veto=[change("t")])
    assert held.bounds == Bounds("vetoed", "vetoed", Fraction(0))


@pytest.mark.parametrize(("most", "outcome"), [(1, "undecided"), (2_000, "passed")])
def test_where_not_every_way_to_share_the_changes_out_was_tried_nothing_is_certainly_unexplained(
    most: int, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that explains all may be among those that were not tried: neither a pass nor a fail."""
    monkeypatch.setattr("exactchange.judging.assign.MOST_BINDINGS", most)
    ends: Value = {"x": {"a": 1, "b": 2}, "y": {"a": 2, "b": 3}}
    run = case(source("s", [{"x": {"a": 0, "b": 0}, "y": {"a": 0, "b": 0}}, ends]))
    pair = [change("*.a", to={"same": "n"}), change("*.b", to={"same": "n"}), change("*.a"), change("*.b")]
    verdict = judged(run, *pair)
    assert verdict.outcome == outcome
    if outcome == "undecided":
        assert verdict.bounds == Bounds("unmet", "passed", Fraction(100))
        assert any("ways to share the changes out" in item.why for item in verdict.findings if item.holds is None)


BLIND = case(
    source("s", [{"a": 1, "t": 1}, {"a": 1, "t": 2}], steps=[0, 2]), actions=[act("click", 1), act("click", 2)]
)
"""Nothing was read after the first of two steps."""
SHOWN = case(source("s", [{"a": 1, "t": 1}, {"a": 5, "t": 1}, {"a": 1, "t": 2}]))
"""The same run, had it been read: `a` was 5 for a moment."""
HIDDEN: list[tuple[Data, Truth, Truth, Truth]] = [
    # rule, in a must of the blind run, in a veto of it, and of the run that was read
    (value("a", 5, when="ever"), None, False, True),
    (value("a", 1, when="always"), True, None, False),
    (change("a", when="ever"), None, False, True),
    (change("a", when="ever", count={"le": 0}), True, None, False),
    (change("t", when="ever"), True, True, True),
    (value("a", 1, when="end"), True, True, True),
    ({"order": [change("a"), change("t")]}, None, False, True),
    ({"order": [change("t"), action("click")]}, None, None, False),
    ({"order": [action("click"), action("click"), action("click")]}, False, False, False),
    (value("", "x", source="answer", when="ever"), False, False, False),
    ({"order": [value("", "x", source="answer"), change("t")]}, False, False, False),
]


@pytest.mark.parametrize(("rule", "must", "veto", "read"), HIDDEN)
def test_what_a_step_hid_that_was_not_read_speaks_against_nobody(
    rule: Data, must: Truth, veto: Truth, read: Truth
) -> None:
    """What speaks for the agent counts as far as it was read, and the verdict warns of what it cannot exclude."""
    found = {tier: Condition.model_validate(rule).check(Evaluation(BLIND), tier=tier).truth for tier in TIERS}
    assert found == {"given": must, "must": must, "bonus": must, "veto": veto}
    opposite = {"not": rule}
    turned: list[tuple[Tier, Truth]] = [("must", veto), ("veto", must)]
    for tier, truth in turned:
        wanted = None if truth is None else not truth
        assert Condition.model_validate(opposite).check(Evaluation(BLIND), tier=tier).truth is wanted
    assert Condition.model_validate(rule).check(Evaluation(SHOWN), tier="must").truth is read


@pytest.mark.parametrize("rule", [rule for rule, *_ in HIDDEN])
def test_reading_what_was_not_read_takes_no_fail_and_no_veto_back(rule: Data) -> None:
    turned: list[Data] = [rule, {"not": rule}]
    for wrapped in turned:
        for musts, vetoes in (([wrapped], []), ([], [wrapped])):
            blind, shown = (judged(run, change("t"), *musts, veto=vetoes).outcome for run in (BLIND, SHOWN))
            assert blind != "unmet" or shown in ("unmet", "vetoed")
            assert blind != "vetoed" or shown == "vetoed"
