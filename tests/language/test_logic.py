"""Rule 21: three-valued logic and the order of outcomes, with files that really cannot be read."""

import itertools
import pathlib

import pytest
from tests.language.worlds import State, judged, left, must, refused, veto

from exactchange.verdict import Outcome

START: State = {"cfg.yaml": "{go: 1, a: 1, b: 1}\n", "lost.yaml": "x: 1\n"}
DONE: State = {"cfg.yaml": "{go: 2, a: 1, b: 1}\n"}
END: State = {"cfg.yaml": "{go: 2, a: 2, b: 1}\n", "lost.yaml": "{x: [\n"}
T, F, U = (
    "{change: {in: cfg, at: a, to: 2}}",
    "{change: {in: cfg, at: b, to: 2}}",
    "{value: {in: lost, at: x, is: 2, when: ever}}",
)
MET, MISSED = "{change: {in: cfg, at: go, to: 2}}", "{change: {in: cfg, at: stop, to: 2}}"
ALLOW = "allow: [{in: cfg, at: a, from: 1}, {in: cfg, at: go, from: 1}]"
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
    rules = f"must: [{MET}]\nveto: [{', '.join(wanted)}]"
    verdict = judged(tmp_path, rules, START, END)
    assert [veto(verdict, number).holds for number in range(len(wanted))] == list(wanted.values())


OUTCOMES: list[tuple[str, str, State, Outcome]] = [
    ("", MET, DONE, "passed"), (F, MET, DONE, "passed"), (T, MET, END, "vetoed"), (f"{U}, {T}", MISSED, END, "vetoed"),
    (T, MET, {**END, "lost.yaml": None}, "vetoed"), (U, MISSED, END, "unmet"), (F, MISSED, END, "unmet"),
    (U, MET, {**END, "cfg.yaml": "{go: 2, a: 1, b: 3}\n"}, "unmet"), (U, MET, END, "undecided"),
    ("", MET, END, "undecided"),
    ("", f"{MET}, {U}", END, "undecided"), ("", f"{MISSED}, {U}", END, "unmet"),
    (T, MISSED, {"cfg.yaml": "{\n"}, "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("vetoes", "musts", "end", "outcome"), OUTCOMES)
def test_rule_21_vetoed_before_unmet_before_undecided_before_passed(
    vetoes: str, musts: str, end: State, outcome: Outcome, tmp_path: pathlib.Path
) -> None:
    verdict = judged(tmp_path, f"must: [{musts}]\nveto: [{vetoes}]\n{ALLOW}", START, end)
    assert verdict.outcome == outcome


def test_rule_21_a_veto_that_cannot_be_told_is_shown_beside_the_must_that_failed(tmp_path: pathlib.Path) -> None:
    verdict = judged(tmp_path, f"must: [{MISSED}]\nveto: [{U}]", START, END)
    assert (verdict.outcome, veto(verdict).holds, must(verdict).holds) == ("unmet", None, False)
    assert "unread" in veto(verdict).why


def test_rule_21_what_is_unread_in_scope_leaves_a_goal_that_was_reached_undecided(tmp_path: pathlib.Path) -> None:
    verdict = judged(tmp_path, f"must: [{MET}]\n{ALLOW}", START, END, also={"lost": "missing: ok"})
    assert (verdict.outcome, [name for name, _ in verdict.unread]) == ("undecided", ["lost"])
    assert left(verdict) == []


@pytest.mark.parametrize("rule", ["{all: []}", "{any: []}", "{not: []}", f"{{order: [{T}]}}", "{}"])
def test_rule_21_a_condition_of_nothing_is_refused(rule: str, tmp_path: pathlib.Path) -> None:
    assert refused(tmp_path, f"must: [{rule}]", START) != ""
