"""Rule 21: three-valued logic and the order of outcomes, with files that really cannot be read."""

import itertools
import pathlib

import pytest
from tests.language.worlds import State, judged, left, must, refused, veto

from exactchange.verdict import Outcome

START: State = {"cfg.yaml": "{a: 1, b: 1}\n", "lost.yaml": "x: 1\n"}
END: State = {"cfg.yaml": "{a: 2, b: 1}\n", "lost.yaml": "{x: [\n"}
T, F, U = (
    "{change: {in: cfg, at: a, to: 2}}",
    "{change: {in: cfg, at: b, to: 2}}",
    "{value: {in: lost, at: x, is: 2}}",
)
TRUTH: dict[str, bool | None] = {T: True, F: False, U: None}


def kleene_and(*truths: bool | None) -> bool | None:
    return False if False in truths else None if None in truths else True


def kleene_or(*truths: bool | None) -> bool | None:
    return True if True in truths else None if None in truths else False


def kleene_not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


PAIRS = list(itertools.product(TRUTH, repeat=2))


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_rule_21_all_any_and_not_follow_kleene_at_any_depth(one: str, other: str, tmp_path: pathlib.Path) -> None:
    x, y = TRUTH[one], TRUTH[other]
    wanted = {
        f"{{all: [{one}, {other}]}}": kleene_and(x, y),
        f"{{any: [{one}, {other}]}}": kleene_or(x, y),
        f"{{not: {one}}}": kleene_not(x),
        f"{{not: {{all: [{one}, {{not: {other}}}]}}}}": kleene_not(kleene_and(x, kleene_not(y))),
        f"{{any: [{{all: [{one}, {other}]}}, {{not: {other}}}]}}": kleene_or(kleene_and(x, y), kleene_not(y)),
        f"{{not: {{not: {one}}}}}": x,
    }
    rules = f"must: [{T}]\nveto: [{', '.join(wanted)}]"
    verdict = judged(tmp_path, rules, START, END)
    assert [veto(verdict, number).holds for number in range(len(wanted))] == list(wanted.values())


OUTCOMES: list[tuple[str, str, State, Outcome]] = [
    ("", T, {"cfg.yaml": "{a: 2, b: 1}\n"}, "passed"), (F, T, {"cfg.yaml": "{a: 2, b: 1}\n"}, "passed"),
    (T, T, END, "vetoed"), (f"{U}, {T}", F, END, "vetoed"), (U, F, END, "unmet"), (F, F, END, "unmet"),
    (U, T, {"cfg.yaml": "{a: 2, b: 3}\n", "lost.yaml": "{\n"}, "unmet"), (U, T, END, "undecided"),
    ("", T, END, "undecided"),
    ("", f"{T}, {U}", END, "undecided"), ("", f"{F}, {U}", END, "unmet"), (T, F, {"cfg.yaml": "{\n"}, "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("vetoes", "musts", "end", "outcome"), OUTCOMES)
def test_rule_21_vetoed_before_unmet_before_undecided_before_passed(
    vetoes: str, musts: str, end: State, outcome: Outcome, tmp_path: pathlib.Path
) -> None:
    verdict = judged(tmp_path, f"must: [{musts}]\nveto: [{vetoes}]", START, end)
    assert verdict.outcome == outcome


def test_rule_21_a_veto_that_cannot_be_told_is_shown_beside_the_must_that_failed(tmp_path: pathlib.Path) -> None:
    verdict = judged(tmp_path, f"must: [{F}]\nveto: [{U}]", START, END)
    assert (verdict.outcome, veto(verdict).holds, must(verdict).holds) == ("unmet", None, False)
    assert "unread" in veto(verdict).why


def test_rule_21_what_is_unread_outside_of_what_is_looked_at_decides_nothing(tmp_path: pathlib.Path) -> None:
    verdict = judged(tmp_path, f"must: [{T}]", START, END, also={"lost": "missing: ok"})
    assert (verdict.outcome, [name for name, _ in verdict.unread]) == ("undecided", ["lost"])
    assert left(verdict) == []


@pytest.mark.parametrize("rule", ["{all: []}", "{any: []}", "{not: []}", f"{{order: [{T}]}}", "{}"])
def test_rule_21_a_condition_of_nothing_is_refused(rule: str, tmp_path: pathlib.Path) -> None:
    assert refused(tmp_path, f"must: [{rule}]", START) != ""
