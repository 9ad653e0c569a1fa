"""What `check` says of rules is true of every run: laws over generated tasks and states, judged without the check."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from tests.judging.kit import case, source, task

from exactchange.errors import ExactChangeError
from exactchange.judging import judge
from exactchange.judging.broken import BrokenTask
from exactchange.task import TaskError, task_from_data
from exactchange.values import Value
from exactchange.verdict import Verdict

Rule: TypeAlias = Mapping[str, Value]
Strategy: TypeAlias = st.SearchStrategy[Value]


def keyed(
    needed: Mapping[str, st.SearchStrategy[Any]], optional: Mapping[str, st.SearchStrategy[Any]] | None = None
) -> st.SearchStrategy[Rule]:
    return st.fixed_dictionaries(dict(needed), optional=dict(optional or {}))


def some(items: st.SearchStrategy[Any], *, fewest: int = 0, most: int = 2) -> st.SearchStrategy[list[Rule]]:
    return st.lists(items, min_size=fewest, max_size=most)


NUMBERS: Strategy = st.integers(0, 2)
LIMITS: Strategy = st.sampled_from([{"ge": 1}, {"lt": 1}, {"not": 1}, {"one_of": [0, 2]}, {"absent": True}])
MATCHERS = st.one_of(NUMBERS, LIMITS)
PLACES: Strategy = st.sampled_from(["a", "b.c", "b.d", "b", "b.*", "*", "**", ""])
SPOTS: Strategy = st.sampled_from(["a", "b.c", "b.d"])
WHEN: Strategy = st.sampled_from(["end", "ever", "always"])
COUNTS: Strategy = st.sampled_from([0, 1, 2, {"ge": 1}, {"le": 1}])
SIDES: dict[str, Strategy] = {
    "op": st.sampled_from(["added", "removed", "modified"]),
    "from": MATCHERS,
    "to": MATCHERS,
}
SOURCE: Strategy = st.just("s")
CHANGES = keyed({"change": keyed({"in": SOURCE, "at": PLACES}, {**SIDES, "count": COUNTS})})
VALUES = keyed({"value": keyed({"in": SOURCE, "at": SPOTS, "is": MATCHERS}, {"when": WHEN})})
LEAVES = st.one_of(CHANGES, VALUES)
RULES = st.one_of(
    LEAVES, keyed({"not": LEAVES}), keyed({"all": some(LEAVES, fewest=1)}), keyed({"any": some(LEAVES, fewest=1)})
)
STATES: Strategy = keyed({}, {"a": NUMBERS, "b": keyed({}, {"c": NUMBERS, "d": NUMBERS})})
PATTERNS = keyed({"in": SOURCE, "at": st.sampled_from(["a", "b.**", "**"])}, SIDES)


def checked(rules: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The messages of what `check` finds: mistakes, and warnings with their places."""
    data = {"id": "t", "instruction": "x", "sources": {"s": {"adapter": "file", "path": "x.json"}}, **rules}
    try:
        found = task_from_data(data, name="t")
    except TaskError as error:
        return [item.message for item in error.problems], []
    return [], [f"{item.where} {item.message}" for item in found.hints]


def verdict(rules: Mapping[str, Any], states: list[Value]) -> Verdict | None:
    """The verdict on these captures; None where the task is broken for them."""
    sections = {name: items for name, items in rules.items() if name != "must"}
    try:
        return judge(task(*rules["must"], sources=["s"], **sections), case(source("s", states)))
    except (BrokenTask, ExactChangeError):
        return None


TASKS = keyed(
    {"must": some(RULES, fewest=1)},
    {"veto": some(RULES), "given": some(VALUES, most=1), "allow": some(PATTERNS, most=1)},
)
CONTRADICTIONS = (
    "so that no run can pass",
    "has to be",
    "this is one change, and it goes to",
    "nothing changes here",
)


@example(  # a run may pass by the one that does not hold from the start
    {"must": [{"any": [{"change": {"in": "s", "at": "a"}}, {"change": {"in": "s", "at": "a", "count": 0}}]}]},
    [{}, {"a": 0}],
)
@example(  # a veto counts what is undone later
    dict.fromkeys(("must", "veto"), [{"change": {"in": "s", "at": "*", "count": 1}}]),
    [{"a": 0}, {"a": 0, "b": {}}, {}],
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(TASKS, st.lists(STATES, min_size=2, max_size=3))
def test_rules_that_are_called_contrary_are_met_together_by_no_run(
    rules: Mapping[str, Any], states: list[Value]
) -> None:
    mistakes, _ = checked(rules)
    contrary = [text for text in mistakes if any(part in text for part in CONTRADICTIONS)]
    for text in contrary[:1]:
        event(next(part for part in CONTRADICTIONS if part in text))
        found = verdict(rules, states)
        assert found is None or found.outcome != "passed", contrary


@settings(max_examples=200, deadline=None)
@given(TASKS, STATES)
def test_a_task_that_is_called_idle_is_broken_where_nothing_is_done(rules: Mapping[str, Any], state: Value) -> None:
    mistakes, _ = checked(rules)
    if any("doing nothing would be a pass" in text for text in mistakes):
        event("idle")
        found = verdict(rules, [state, state])
        given_is_not = found is not None and any(
            item.tier == "given" and item.holds is not True for item in found.findings
        )
        assert found is None or found.outcome == "vetoed" or given_is_not


REACHED = st.just([{"change": {"in": "s", "at": "a", "to": {"ge": 0}}}])
USELESS = keyed(
    {
        "must": REACHED,
        "veto": some(LEAVES, fewest=1, most=1),
        "allow": some(PATTERNS, most=1),
        "bonus": some(CHANGES, most=1),
    }
)


@settings(max_examples=400, deadline=None)
@given(USELESS, st.lists(STATES, min_size=2, max_size=3))
def test_what_is_said_to_be_of_no_use_is_of_none_in_a_pass(rules: Mapping[str, Any], states: list[Value]) -> None:
    _, warnings = checked(rules)
    found = verdict(rules, states)
    for text in warnings:
        where = text.split(" ")[0]
        if "forbids every change that this" in text and found is not None and found.outcome == "passed":
            event(text.split("this ")[1])
            assert not found.allowed if "allow" in where else found.bonus.met == 0, text
        if "no must, allow or ignore speaks of" in text and found is not None and found.outcome == "passed":
            event("earned by what was undone, or not at all")
            assert found.bonus.met == 0 or len(states) > 2, text
