"""Laws of verdicts, on generated small cases: no knowledge lost makes a pass, and no veto is ever taken back."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.judging.kit import Data, act, action, allow, case, change, source, task, unread, value

from exactchange.actions import Action
from exactchange.case import Case, Evidence
from exactchange.diff import diff_values
from exactchange.judging import BrokenTask, judge, vetoed_so_far
from exactchange.snapshot import TreeSnapshot, Unread
from exactchange.task import Task
from exactchange.values import ABSENT, Path, State, Value
from exactchange.verdict import Outcome, Verdict

leaves: st.SearchStrategy[Value] = st.sampled_from([1, 2, None])
inner: st.SearchStrategy[Value] = leaves | st.dictionaries(st.sampled_from("xy"), leaves, max_size=2)
rows: st.SearchStrategy[Value] = st.dictionaries(st.sampled_from([1, 2]), leaves, max_size=2).map(
    lambda items: [{"id": number, "v": item} for number, item in items.items()]
)
trees: st.SearchStrategy[Value] = st.fixed_dictionaries({}, optional={"a": inner, "b": inner, "l": rows, "@f": leaves})
states: st.SearchStrategy[State] = trees | st.just(ABSENT)
places = st.sampled_from(["a", "b", "a.x", "*", "**", "", "l[id=1].v", "l[*]", "l[*].v", "@f", "*.y"])
wanted: st.SearchStrategy[Value] = st.sampled_from(
    [1, 2, None, {"not": 1}, {"absent": True}, {"type": "int"}, {"has": {"x": 1}}]
)
counts: st.SearchStrategy[Value] = st.sampled_from([0, 1, 2, {"ge": 1}, {"le": 1}])


def _change(at: str, more: dict[str, Value]) -> Data:
    return {"change": {"in": "s", "at": at, **more}}


def _value(at: str, is_: Value, when: str | None, pick: str | None) -> Data:
    more = {name: word for name, word in (("when", when), ("pick", pick)) if word is not None}
    return value(at, is_, **more)


def _action(kind: str, count: Value) -> Data:
    return action(kind, count=count)


def _licensed(at: str) -> Data:
    return change(at, unless_after=action("reply"))


def _effort(most: int) -> Data:
    return {"effort": {"steps": most}}


def _allowed(at: str) -> Data:
    return allow(at)


def _task(must: list[Data], veto: list[Data], allowed: list[Data], ignored: list[Data]) -> Task:
    return task(*must, veto=veto, allow=allowed, ignore=ignored)


ops = st.sampled_from(["added", "removed", "modified"])
fields: dict[str, st.SearchStrategy[Value]] = {
    "op": ops, "to": wanted, "from": wanted, "count": counts, "when": st.sampled_from(["end", "ever"]),
}  # fmt: skip
changes = st.builds(_change, places, st.fixed_dictionaries({}, optional=fields))
whens = st.sampled_from([None, "end", "ever", "always"])
valued = st.builds(_value, places, wanted, whens, st.sampled_from([None, "one", "every", "any"]))
clicks = st.builds(_action, st.sampled_from(["click", "fill", "reply"]), counts)
licensed = st.builds(_licensed, places)
efforts = st.builds(_effort, st.integers(0, 3))
simple: st.SearchStrategy[Data] = changes | valued | clicks | licensed | efforts


def _composed(parts: st.SearchStrategy[Data]) -> st.SearchStrategy[Data]:
    lists = st.lists(parts, min_size=1, max_size=3)
    ordered = st.lists(changes | valued | clicks, min_size=2, max_size=3)
    return (
        lists.map(lambda items: {"all": items})
        | lists.map(lambda items: {"any": items})
        | parts.map(lambda item: {"not": item})
        | ordered.map(lambda items: {"order": items})
    )


rules: st.SearchStrategy[Data] = st.recursive(simple, _composed, max_leaves=4)
patterns = st.builds(_allowed, places)
tasks = st.builds(
    _task,
    st.lists(rules, min_size=1, max_size=2),
    st.lists(rules, max_size=2),
    st.lists(patterns, max_size=2),
    st.lists(patterns, max_size=1),
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Up to four steps, each with a capture unless it was skipped, and parts that could not be read."""
    number = draw(st.integers(1, 4))
    kinds = [draw(st.sampled_from(["click", "fill", "reply", "tap"])) for _ in range(number)]
    actions: Sequence[Action] = [
        act(kind, seq, "agent" if draw(st.booleans()) else "runner") for seq, kind in enumerate(kinds, 1)
    ]
    steps = [0, *(step for step in range(1, number) if draw(st.booleans())), number]
    before = draw(states)
    captured = [draw(st.just(before) | states) for _ in steps]
    evidence = source("s", [before, *captured[1:]], steps=steps, params={"missing": "ok"})
    if draw(st.booleans()):
        position = draw(st.integers(0, len(steps) - 1))
        evidence = _with_unread(evidence, position, draw(st.sampled_from(UNREADABLE)))
    return case(evidence, actions=actions)


UNREADABLE: list[Path] = [(), ("a",), ("b", "x"), ("l",), ("l", "id=1"), ("l", "id=1", "v"), ("@f",)]
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
LAW = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
FUZZ = settings(
    max_examples=20_000,
    deadline=None,
    suppress_health_check=CALM,
)


def _with_unread(evidence: Evidence, position: int, path: Path) -> Evidence:
    """The same evidence less one part of one capture; what is unread stands in no tree."""
    old = evidence.captures[position]
    assert isinstance(old, TreeSnapshot)
    tree = _less(old.tree, path)
    item: Unread = unread(*path)
    new = TreeSnapshot(old.kind, tree, old.mark, (*old.unread, item), old.notes)
    return replace(evidence, captures=(*evidence.captures[:position], new, *evidence.captures[position + 1 :]))


def _less(tree: State, path: Path) -> State:
    if not path or tree is ABSENT:
        return ABSENT
    head, rest = path[0], path[1:]
    if isinstance(tree, dict):
        smaller = {name: item for name, item in tree.items() if name != head}
        below = _less(tree.get(str(head), ABSENT), rest) if rest else ABSENT
        return smaller if below is ABSENT else {**smaller, str(head): below}
    if isinstance(tree, list):
        items = [(item, isinstance(item, dict) and f"id={item.get('id')}" == head) for item in tree]
        kept = [_less(item, rest) if this and rest else item for item, this in items if rest or not this]
        return [item for item in kept if item is not ABSENT]
    return tree


def _outcome(task_: Task, run: Case) -> Outcome | None:
    """The outcome; None where the task is broken by its own start."""
    try:
        return judge(task_, run).outcome
    except BrokenTask:
        return None


def _verdict(task_: Task, run: Case) -> Verdict:
    try:
        return judge(task_, run)
    except BrokenTask:
        assume(False)
        raise


def _prefix(run: Case, step: int) -> Case:
    evidence = run.sources["s"]
    captures = tuple(item for item in evidence.captures if item.mark.step <= step)
    done = tuple(item for item in run.actions if item.seq <= step)
    return Case({"s": replace(evidence, captures=captures)}, done, complete=False, started_ns=1, ended_ns=2)


def _names(task_: Task, run: Case) -> set[str]:
    return {
        f"{number}"
        for number in range(len(task_.veto))
        if vetoed_so_far(replace(task_, veto=(task_.veto[number],)), run)
    }


def _a_veto_is_never_taken_back(task_: Task, run: Case) -> None:
    held: set[str] = set()
    for step in range(run.last_step + 1):
        now = _names(task_, _prefix(run, step))
        assert held <= now
        held = now
    if held:
        assert _outcome(task_, run) in ("vetoed", None)
        assert held <= _names(task_, replace(run, started_ns=1, ended_ns=2))


def _unread_makes_no_pass(task_: Task, run: Case, position: int, path: Path) -> None:
    evidence = run.sources["s"]
    less = Case({"s": _with_unread(evidence, position % len(evidence.captures), path)}, run.actions)
    full, dimmed = _outcome(task_, run), _outcome(task_, less)
    if dimmed == "passed":
        assert full in ("passed", None)
    if dimmed == "vetoed" and full is not None:
        assert full == "vetoed"
    if dimmed == "unmet":
        assert full != "passed"


@given(tasks, cases())
@LAW
def test_a_veto_that_held_on_a_prefix_holds_on_every_longer_one_and_at_the_end(task_: Task, run: Case) -> None:
    _a_veto_is_never_taken_back(task_, run)


@given(tasks, cases(), st.integers(0, 4), st.sampled_from(UNREADABLE))
@LAW
def test_making_a_part_unread_never_makes_a_pass_and_takes_back_no_fail(
    task_: Task, run: Case, position: int, path: Path
) -> None:
    _unread_makes_no_pass(task_, run, position, path)


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@given(tasks, cases(), st.integers(0, 4), st.sampled_from(UNREADABLE))
@FUZZ
def test_the_laws_of_verdicts_hold_twenty_thousand_times(task_: Task, run: Case, position: int, path: Path) -> None:
    _a_veto_is_never_taken_back(task_, run)
    _unread_makes_no_pass(task_, run, position, path)


@given(tasks, states)
@LAW
def test_an_agent_that_did_nothing_never_passes(task_: Task, state: State) -> None:
    run = case(source("s", [state, state], params={"missing": "ok"}), actions=[])
    assert _outcome(task_, run) != "passed"


@given(trees, trees)
@LAW
def test_what_the_musts_ask_for_one_by_one_passes_and_one_more_change_does_not(before: Value, after: Value) -> None:
    assert isinstance(after, dict)
    whole = [replace(item) for item in diff_values(before, after).changes]
    inside = [item for item in whole if not str(item.path[0]).startswith("@")]
    assume(inside)
    musts = [
        change(item.address, op=item.op, to={"absent": True} if item.after is ABSENT else {"exactly": item.after})
        for item in inside
        if item.op != "moved"
    ]
    tolerated = [allow(item.address) for item in inside if item.op == "moved"]
    assume(musts)
    rules_ = task(*musts, allow=tolerated)
    assert _outcome(rules_, case(source("s", [before, after]))) == "passed"
    assert _outcome(rules_, case(source("s", [before, {**after, "zz": {"odd": 1}}]))) == "unmet"
    assert _outcome(task(*musts[1:], change("zz"), allow=tolerated), case(source("s", [before, after]))) == "unmet"


@given(tasks, cases())
@LAW
def test_a_pass_has_every_must_and_no_veto_and_leaves_nothing_over(task_: Task, run: Case) -> None:
    verdict = _verdict(task_, run)
    musts = [item for item in verdict.findings if item.tier == "must"]
    vetoes = [item for item in verdict.findings if item.tier == "veto"]
    if verdict.passed:
        assert musts and all(item.holds is True for item in musts)
        assert all(item.holds is False for item in vetoes)
        assert not verdict.unexplained
        assert not [item for _, item in verdict.unread if not str(item.path[:1]).startswith("('@")]
        assert run.complete
    assert (verdict.score is None) == (verdict.cause == "infrastructure")


@given(tasks, cases())
@LAW
def test_a_verdict_is_the_same_whatever_was_judged_before(task_: Task, run: Case) -> None:
    first = _outcome(task_, run)
    for step in range(run.last_step + 1):
        vetoed_so_far(task_, _prefix(run, step))
    assert _outcome(task_, run) == first == _outcome(task_, replace(run, mode="online"))
