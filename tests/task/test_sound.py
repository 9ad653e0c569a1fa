"""What `check` says of rules is true of every run: laws over generated tasks and states, judged without the check."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.judging.kit import case, source, task

from exactchange.errors import ExactChangeError
from exactchange.judging import judge
from exactchange.judging.broken import BrokenTask
from exactchange.task import TaskError, task_from_data
from exactchange.values import Value
from exactchange.verdict import Verdict

Rule: TypeAlias = Mapping[str, Value]
NUMBERS: st.SearchStrategy[Value] = st.integers(0, 2)
LIMITS: st.SearchStrategy[Value] = st.sampled_from(
    [{"ge": 1}, {"lt": 1}, {"not": 1}, {"one_of": [0, 2]}, {"absent": True}]
)
MATCHERS = st.one_of(NUMBERS, LIMITS)
PLACES: st.SearchStrategy[Value] = st.sampled_from(["a", "b.c", "b.d", "b", "b.*", "*", "**", ""])
SPOTS: st.SearchStrategy[Value] = st.sampled_from(["a", "b.c", "b.d"])
OPS: st.SearchStrategy[Value] = st.sampled_from(["added", "removed", "modified"])


def body(places: st.SearchStrategy[Value], **more: st.SearchStrategy[Value]) -> st.SearchStrategy[Rule]:
    optional = {"op": OPS, "from": MATCHERS, "to": MATCHERS, **more}
    return st.fixed_dictionaries({"in": st.just("s"), "at": places}, optional=optional)


COUNTS: st.SearchStrategy[Value] = st.sampled_from([0, 1, 2, {"ge": 1}, {"le": 1}])
CHANGES: st.SearchStrategy[Rule] = st.fixed_dictionaries({"change": body(PLACES, count=COUNTS)})
VALUES: st.SearchStrategy[Rule] = st.fixed_dictionaries(
    {
        "value": st.fixed_dictionaries(
            {"in": st.just("s"), "at": SPOTS, "is": MATCHERS},
            optional={"when": st.sampled_from(["end", "ever", "always"])},
        )
    }
)
LEAVES = st.one_of(CHANGES, VALUES)
RULES: st.SearchStrategy[Rule] = st.one_of(
    LEAVES,
    st.fixed_dictionaries({"not": LEAVES}),
    st.fixed_dictionaries({"all": st.lists(LEAVES, min_size=1, max_size=2)}),
    st.fixed_dictionaries({"any": st.lists(LEAVES, min_size=1, max_size=2)}),
)
NONE: dict[str, st.SearchStrategy[Value]] = {}
SECTION: st.SearchStrategy[Value] = st.fixed_dictionaries(NONE, optional={"c": NUMBERS, "d": NUMBERS})
STATES: st.SearchStrategy[Value] = st.fixed_dictionaries(NONE, optional={"a": NUMBERS, "b": SECTION})
PATTERNS = body(st.sampled_from(["a", "b.**", "**"]))


def checked(rules: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The messages of what `check` finds: mistakes, and warnings with their places."""
    data = {"id": "t", "instruction": "x", "sources": {"s": {"adapter": "file", "path": "x.json"}}, **rules}
    try:
        found = task_from_data(data, name="t")
    except TaskError as error:
        return [item.message for item in error.problems], []
    return [], [f"{item.where} {item.message}" for item in found.hints]


def verdict(rules: dict[str, Any], states: list[Value]) -> Verdict | None:
    """The verdict on these captures; None where the task is broken for them."""
    sections = {name: items for name, items in rules.items() if name != "must"}
    try:
        return judge(task(*rules["must"], sources=["s"], **sections), case(source("s", states)))
    except (BrokenTask, ExactChangeError):
        return None


TASKS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"must": st.lists(RULES, min_size=1, max_size=2)},
    optional={
        "veto": st.lists(RULES, max_size=2),
        "given": st.lists(VALUES, max_size=1),
        "allow": st.lists(PATTERNS, max_size=1),
    },
)


CONTRADICTIONS = (
    "so that no run can pass",
    "has to be",
    "this is one change, and it goes to",
    "nothing changes here",
    "doing nothing would be a pass",
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(TASKS, st.lists(STATES, min_size=2, max_size=3))
def test_rules_that_are_called_contrary_are_met_together_by_no_run(rules: dict[str, Any], states: list[Value]) -> None:
    mistakes, _ = checked(rules)
    contrary = [text for text in mistakes if any(part in text for part in CONTRADICTIONS)]
    for text in contrary[:1]:
        event(next(part for part in CONTRADICTIONS if part in text))
        found = verdict(rules, states)
        assert found is None or found.outcome != "passed", contrary


USELESS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "must": st.just([{"change": {"in": "s", "at": "a", "to": {"ge": 0}}}]),
        "veto": st.lists(LEAVES, min_size=1, max_size=1),
        "allow": st.lists(PATTERNS, max_size=1),
        "bonus": st.lists(CHANGES, max_size=1),
    }
)


@settings(max_examples=400, deadline=None)
@given(USELESS, st.lists(STATES, min_size=2, max_size=3))
def test_what_is_said_to_be_of_no_use_is_of_none_in_a_pass(rules: dict[str, Any], states: list[Value]) -> None:
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
