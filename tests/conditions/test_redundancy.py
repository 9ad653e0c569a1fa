"""Redundant steps: what changed nothing that the judge or the agent could see, or led back to where they had been."""

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judging.kit import Data, Given, Plain, act, allow, case, change, finding, judged, seen, source, unread

from exactchange.actions import Action
from exactchange.case import Case
from exactchange.conditions import Allowed, Condition, Evaluation
from exactchange.conditions.redundancy import Redundant, State, StateReader, redundant
from exactchange.errors import OverBudget
from exactchange.limits import CountedBudget
from exactchange.values import Value
from exactchange.verdict import Truth


class Page(Plain):
    """A source that shows what the agent saw."""

    needs_browser = True


PAGE = Page()
HOME: Mapping[str, Value] = {"@url": "/", "@text": ["Home"]}
FORM: Mapping[str, Value] = {"@url": "/form", "#name": {"value": ""}, "#mail": {"value": ""}}
NAMED: Mapping[str, Value] = {**FORM, "#name": {"value": "Ada"}}
FILLED: Mapping[str, Value] = {**NAMED, "#mail": {"value": "a@x.test"}}
THANKS: Mapping[str, Value] = {"@url": "/thanks", "@text": ["Thank you"]}
MENU: Mapping[str, Value] = {**HOME, "@text": ["Home", "Log out"]}
ERROR: Mapping[str, Value] = {**FILLED, "@text": ["Try again"]}


def on(*states: Given, actions: Sequence[Action] | None = None) -> Case:
    """What a page showed at the start and after each action."""
    return case(source("page", states, kind=PAGE), actions=actions)


def clicks(number: int) -> list[Action]:
    return [act("click", seq, target={"css": f"#b{seq}"}) for seq in range(1, number + 1)]


def found(run: Case, *ignore: Data) -> Redundant | None:
    ignored = [Allowed.model_validate(item) for item in ignore]
    return redundant(Evaluation(run, ignored=ignored), run.actions)


def certain(run: Case, *ignore: Data) -> list[int]:
    """The redundant steps, by their last action; none is in doubt."""
    answer = found(run, *ignore)
    assert answer is not None and answer.possible == ()
    return list(answer.certain)


WAYS: dict[str, tuple[list[Given], list[int]]] = {
    "nothing": ([HOME], []),
    "two fields and a button": ([FORM, NAMED, FILLED, THANKS], []),
    "a click into nothing": ([HOME, HOME], [1]),
    "the same step twice": ([FORM, NAMED, NAMED, THANKS], [2]),
    "done and undone": ([FORM, NAMED, FORM], [2]),
    "done, undone and done again": ([FORM, NAMED, FORM, NAMED], [2, 3]),
    "a menu that was opened": ([HOME, MENU, FORM], []),
    "a menu that was opened and closed": ([HOME, MENU, HOME, FORM], [2]),
    "a page that was left and found again": ([HOME, FORM, HOME, FORM, NAMED], [2, 3]),
    "an error and another attempt": ([FILLED, ERROR, THANKS], []),
    "an error twice": ([FILLED, ERROR, ERROR, THANKS], [2]),
    "only a type": ([{"n": 1}, {"n": True}, {"n": 1.0}], []),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_step_is_redundant_when_it_leads_nowhere_new(name: str) -> None:
    states, steps = WAYS[name]
    assert certain(on(*states)) == steps


def test_a_step_that_changed_only_what_the_task_ignores_is_redundant() -> None:
    states: list[Given] = [{**HOME, "@cookies": {"clock": str(second)}} for second in range(3)]
    assert certain(on(*states)) == []
    assert certain(on(*states), allow("@cookies.clock", source="page")) == [1, 2]


def test_a_column_that_is_ignored_hides_no_new_row() -> None:
    rows: list[Given] = [
        {},
        {"a": {"name": "x", "at": 1}},
        {"a": {"name": "x", "at": 2}},
        {"a": {"name": "y", "at": 3}},
    ]
    assert certain(on(*rows), allow("*.at", source="page")) == [2]


def test_in_a_verdict_the_ignored_is_no_effect_and_the_allowed_is_one() -> None:
    db: list[Given] = [{"n": 1, "log": "a"}, {"n": 2, "log": "a"}, {"n": 2, "log": "b"}]
    run = case(source("s", db), source("page", [HOME] * 3, kind=PAGE))
    few: Data = {"effort": {"redundant": 0}}
    ignored = judged(run, change("n"), bonus=[few], ignore=[allow("log")])
    allowed = judged(run, change("n"), bonus=[few], allow=[allow("log")])
    assert (ignored.outcome, finding(ignored, "bonus").holds) == ("passed", False)
    assert (allowed.outcome, finding(allowed, "bonus").holds) == ("passed", True)


def test_a_step_that_may_still_go_on_is_not_called_redundant_too_early() -> None:
    name = {"css": "#name"}
    actions = [act("click", 1, target=name), act("type", 2, text="Ada"), act("click", 3, target={"css": "#x"})]
    states: list[Given] = [FORM, FORM, NAMED, NAMED, THANKS]
    none = Condition.model_validate({"effort": {"redundant": 0}})

    def so_far(end: int, *more: Action) -> Truth:
        begun = on(*states[: end + 1], actions=[*actions, *more][:end])
        return none.check(Evaluation(begun, ends=False), tier="veto").truth

    assert [so_far(end) for end in range(4)] == [None] * 4
    assert so_far(4, act("click", 4, target={"css": "#y"})) is False  # the click before it changed nothing


def test_a_correction_that_may_still_go_on_is_not_counted_too_early() -> None:
    actions = [act("fill", 1, text="Ada", target={"css": "#name"}), act("click", 2, target={"css": "#name"})]
    actions += [act("type", 3, text="A"), act("type", 4, text="da")]
    none = Condition.model_validate({"effort": {"corrections": 0}})
    run = on(*[FORM] * 5, actions=actions)
    begun = on(*[FORM] * 4, actions=actions[:3])
    assert none.check(Evaluation(begun, ends=False), tier="veto").truth is None
    assert none.check(Evaluation(run), tier="veto").truth is True


def test_a_change_in_any_source_is_an_effect() -> None:
    run = case(source("db", [{"n": 1}, {"n": 2}]), source("page", [HOME, HOME], kind=PAGE))
    assert certain(run) == []


def test_all_sources_together_must_be_as_they_were() -> None:
    run = case(source("db", [{"n": 1}, {"n": 2}, {"n": 2}]), source("page", [HOME, FORM, HOME], kind=PAGE))
    assert certain(run) == []


def test_the_record_of_requests_is_no_state() -> None:
    states: list[Given] = [{**HOME, "@requests": [{"url": f"/{n}"} for n in range(sent)]} for sent in range(3)]
    assert certain(on(*states)) == [1, 2]
    run = case(source("file", states), source("page", [HOME] * 3, kind=PAGE))
    assert certain(run) == []  # of a file it is a key as any other


def test_looking_and_waiting_cost_nothing_and_what_they_show_has_been_seen() -> None:
    actions = [act("click", 1), act("wait", 2), act("click", 3, target={"css": "#x"}), act("observe", 4)]
    assert certain(on(HOME, {"@text": ["loading"]}, FORM, FORM, FORM, actions=actions)) == [3]


def test_what_shows_while_a_field_is_filled_has_not_been_a_step() -> None:
    letters = [{**FORM, "#name": {"value": "Ada"[:end]}} for end in range(4)]
    name = {"css": "#name"}
    slow = [act("click", 1, target=name), act("type", 2, text="A"), act("observe", 3), act("type", 4, text="da")]
    again = [*slow, act("click", 5, target={"css": "#undo"})]
    assert certain(on(FORM, FORM, letters[1], letters[1], letters[3], letters[1], actions=again)) == []
    assert certain(on(FORM, FORM, letters[1], letters[1], letters[3], FORM, actions=again)) == [5]


def test_a_click_into_a_field_that_is_then_filled_is_no_step_of_its_own() -> None:
    name = {"css": "#name"}
    actions = [act("click", 1, target=name), act("key", 2, keys=["ctrl+a"]), act("type", 3, text="Ada")]
    assert certain(on(FORM, FORM, FORM, NAMED, actions=actions)) == []
    assert certain(on(FORM, FORM, actions=actions[:1])) == [1]


def test_an_attempt_that_was_refused_is_redundant_and_the_next_one_not() -> None:
    actions = [act("click", 1, error="nothing there", target={"css": "#x"}), act("click", 2, target={"css": "#y"})]
    assert certain(on(FILLED, FILLED, THANKS, actions=actions)) == [1]


def test_a_login_that_is_undone_leads_back() -> None:
    welcome: Mapping[str, Value] = {"@url": "/", "@text": ["Hello"], "@cookies": {"session": "x"}}
    assert certain(on(HOME, welcome, {**HOME, "@cookies": {}})) == []  # signed out, but it had no cookies before
    assert certain(on(HOME, welcome, HOME)) == [2]


CALLS: dict[str, tuple[list[Action], list[Value], list[int]]] = {
    "a file that is read": ([act("shell", 1, command="cat a")], [1, 1], []),
    "read twice": ([act("shell", 1, command="cat a"), act("shell", 2, command="cat a")], [1, 1, 1], [2]),
    "two files": ([act("shell", 1, command="cat a"), act("shell", 2, command="cat b")], [1, 1, 1], []),
    "read again after a change": (
        [act("shell", 1, command="cat a"), act("shell", 2, command="sed a"), act("shell", 3, command="cat a")],
        [1, 1, 2, 2],
        [],
    ),
    "undone": ([act("shell", 1, command="sed a"), act("shell", 2, command="git checkout a")], [1, 2, 1], [2]),
    "another tool": ([act("tool", 1, tool="get"), act("tool", 2, tool="get", args={"id": 1})], [1, 1, 1], []),
    "the same query": ([act("sql", 1, text="SELECT 1"), act("sql", 2, text="SELECT 1")], [1, 1, 1], [2]),
    "a file written as it was": ([act("file_write", 1, path="a")], [1, 1], [1]),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_changes_nothing_is_a_look_the_first_time(name: str) -> None:
    actions, states, steps = CALLS[name]
    assert certain(case(source("s", [{"n": state} for state in states]), actions=actions)) == steps


def test_of_a_page_that_is_no_source_nobody_knows_what_it_showed() -> None:
    run = case(source("s", [{"n": 1}, {"n": 1}, {"n": 2}]))
    assert found(run) == Redundant((), (1,))
    assert found(case(source("s", [{}, {}]), actions=[act("left_click", 1)])) == Redundant((), (1,))


def test_where_a_part_is_unread_it_may_be_what_changed() -> None:
    blind = seen(HOME, unread("#card"))
    assert found(on(blind, blind)) == Redundant((), (1,))
    assert found(on(HOME, seen(MENU, unread("#card")))) == Redundant((), ())
    assert found(on(FORM, seen({**FORM, "#name": 1}, unread("#name")))) == Redundant((), (1,))
    assert found(on(HOME, seen(HOME, unread("@requests")))) == Redundant((1,), ())


def test_where_not_every_step_was_looked_at_nothing_is_known() -> None:
    assert found(case(source("page", [HOME, FORM], kind=PAGE, steps=[0, 2]), actions=clicks(2))) is None
    assert found(case(source("page", [HOME, FORM], kind=PAGE, steps=[1, 2]), actions=clicks(2))) is None
    assert found(on(HOME, seen(None, unread()), actions=clicks(1))) is None


def test_telling_states_apart_is_counted_where_much_is_unread() -> None:
    reader = StateReader(CountedBudget(max_nodes=1000))
    states = [
        State(frozenset(("s", (f"a{n}",), b"") for n in range(number)), frozenset({("s", (f"u{number}",))}))
        for number in range(60)
    ]
    with pytest.raises(OverBudget):
        for one in states:
            for other in states:
                reader.like(one, other)


def test_many_steps_with_the_same_unread_part_are_within_the_budget() -> None:
    page = {**HOME, **{f"#f{number}": {"value": ""} for number in range(50)}}
    states: list[Given] = [seen({**page, "@text": [str(number)]}, unread("#card")) for number in range(150)]
    assert found(on(*states, actions=clicks(149))) == Redundant((), ())


BOUNDS: list[tuple[int, list[Given], Truth]] = [
    (0, [HOME, HOME], False), (1, [HOME, HOME], True), (0, [HOME, FORM], True),
    (0, [HOME, seen(HOME, unread("#card"))], None), (1, [HOME, seen(HOME, unread("#card"))], True),
    (0, [HOME, HOME, seen(HOME, unread("#card"))], False), (1, [HOME, HOME, seen(HOME, unread("#card"))], None),
]  # fmt: skip


@pytest.mark.parametrize(("most", "states", "truth"), BOUNDS)
def test_a_bound_holds_when_it_holds_whatever_is_in_doubt(most: int, states: list[Given], truth: Truth) -> None:
    rule = Condition.model_validate({"effort": {"redundant": most}})
    assert rule.check(Evaluation(on(*states)), tier="bonus").truth is truth


def test_the_verdict_names_the_actions() -> None:
    rule = Condition.model_validate({"effort": {"redundant": 0, "steps": 3}})
    why = rule.check(Evaluation(on(FORM, NAMED, NAMED, FORM)), tier="bonus").why
    assert why == "3 steps (at most 3), 2 redundant steps at action 2, 3 (at most 0)"


states_of_pages = st.lists(st.sampled_from([HOME, FORM, NAMED, MENU]), min_size=1, max_size=8)


@given(states_of_pages)
def test_a_step_is_redundant_exactly_when_its_state_has_been_seen(states: list[Mapping[str, Value]]) -> None:
    expected = [step for step in range(1, len(states)) if states[step] in states[:step]]
    assert certain(on(*states, actions=clicks(len(states) - 1))) == expected


@given(states_of_pages, st.integers(0, 2**32))
def test_noise_that_is_ignored_changes_no_count(states: list[Mapping[str, Value]], seed: int) -> None:
    chance = random.Random(seed)
    noisy = [{**state, "@cookies": {"n": str(chance.random())}} for state in states]
    actions = clicks(len(states) - 1)
    rules = [allow("@cookies", source="page")]
    assert certain(on(*noisy, actions=actions), *rules) == certain(on(*states, actions=actions))


@given(states_of_pages, st.data())
def test_a_look_in_between_changes_no_count(states: list[Mapping[str, Value]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(states) - 1))
    kinds = ["click"] * (len(states) - 1)
    looked = [act(kind, seq) for seq, kind in enumerate([*kinds[:at], "observe", *kinds[at:]], 1)]
    shown = [*states[: at + 1], states[at], *states[at + 1 :]]
    again = certain(on(*shown, actions=looked))
    assert len(again) == len(certain(on(*states, actions=clicks(len(states) - 1))))


@given(states_of_pages)
def test_what_follows_takes_no_redundant_step_back(states: list[Mapping[str, Value]]) -> None:
    actions = clicks(len(states) - 1)
    whole = certain(on(*states, actions=actions))
    for end in range(len(states)):
        assert certain(on(*states[: end + 1], actions=actions[:end])) == [step for step in whole if step <= end]
