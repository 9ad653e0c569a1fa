"""Intents: what a person would call one step, and what was put right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.actions import Action, Reporter, corrections, group, normalise, settled
from exactchange.actions.model import KINDS, NEUTRAL
from exactchange.values import Value

A: Value = {"css": "#a"}
B: Value = {"css": "#b"}


def trail(*steps: tuple[str, dict[str, Value]], by: Reporter = "runner") -> list[Action]:
    return [normalise({"kind": kind, **args}, seq=seq, reported_by=by) for seq, (kind, args) in enumerate(steps, 1)]


def click(target: Value = A, **args: Value) -> tuple[str, dict[str, Value]]:
    return "click", {"target": target, **args}


def typed(text: str = "Ada", target: Value = None) -> tuple[str, dict[str, Value]]:
    return "type", {"text": text, **({} if target is None else {"target": target})}


def fill(text: str = "Ada", target: Value = A) -> tuple[str, dict[str, Value]]:
    return "fill", {"text": text, "target": target}


def key(*names: str, target: Value = None) -> tuple[str, dict[str, Value]]:
    return "key", {"keys": list(names), **({} if target is None else {"target": target})}


def press(x: int) -> tuple[str, dict[str, Value]]:
    return "mouse_down", {"target": {"xy": [x, x]}}


def lift(x: int) -> tuple[str, dict[str, Value]]:
    return "mouse_up", {"target": {"xy": [x, x]}}


STEPS: list[tuple[list[tuple[str, dict[str, Value]]], list[str]]] = [
    ([], []),
    ([click()], ["activate"]),
    ([click(), key("ctrl+a"), typed()], ["fill"]),
    ([click(), key("Control+A"), key("Delete"), typed(), key("Tab")], ["fill"]),
    ([click(), click(count=3), typed()], ["fill"]),
    ([click(count=3), typed()], ["fill"]),
    ([fill()], ["fill"]),
    ([click(), fill()], ["fill"]),
    ([click(B), fill()], ["activate", "fill"]),
    ([click(), typed(), key("Enter")], ["fill"]),
    ([click(), typed(), key("Enter"), typed()], ["fill", "fill"]),
    ([click(), typed(), key("Tab"), key("Tab")], ["fill", "key"]),
    ([typed("A"), typed("d"), typed("a")], ["fill"]),
    ([typed("A", A), typed("d", B)], ["fill", "fill"]),
    ([fill("a"), fill("b")], ["fill", "fill"]),
    ([fill("a"), typed("b")], ["fill"]),
    ([click(), click(B)], ["activate", "activate"]),
    ([click(), click()], ["activate", "activate"]),
    ([click(), click(count=2)], ["activate", "activate"]),
    ([click(), typed(), click(count=3)], ["fill", "activate"]),
    ([key("Enter")], ["key"]),
    ([key("F5"), typed()], ["key", "fill"]),
    ([key("ctrl+a"), typed()], ["fill"]),
    ([key("ctrl+s")], ["key"]),
    ([click(), key("ctrl+s")], ["activate", "key"]),
    ([click(), key("Enter")], ["activate", "key"]),
    ([click(), ("observe", {}), typed()], ["neutral", "fill"]),
    (
        [click(), ("wait", {}), ("scroll", {}), typed(), ("message", {"text": "x"}), key("Tab")],
        ["neutral"] * 3 + ["fill"],
    ),
    ([("goto", {"url": "http://a.test"}), ("back", {}), ("reload", {})], ["navigate"] * 3),
    ([("select", {"target": A}), ("check", {"target": B}), ("upload", {})], ["select", "check", "upload"]),
    ([("left_click", {}), ("frobnicate", {})], ["unknown", "unknown"]),
    ([("drag", {}), typed()], ["drag", "fill"]),
    ([("reply", {"text": "yes"}), ("finish", {})], ["neutral", "neutral"]),
    ([("click", {}), ("click", {"count": 3})], ["activate", "activate"]),
    ([click(), key("A"), key("d"), key("a"), key("Tab")], ["fill"]),
    ([click(), key("A"), key("space"), key("B")], ["fill"]),
    ([click(), key("space")], ["activate", "key"]),
    ([typed("Ad"), key("a")], ["fill"]),
    ([key("j"), key("j")], ["key", "key"]),
    ([click(), key("shift+a")], ["activate", "key"]),
    ([press(1), lift(1)], ["activate"]),
    ([press(1), lift(2)], ["drag"]),
    ([press(1), ("move", {"target": {"xy": [2, 2]}}), lift(2)], ["drag", "neutral"]),
    ([press(1), lift(1), press(1), lift(1)], ["activate", "activate"]),
    ([press(1), press(2), lift(3)], ["mouse_down", "drag"]),
    ([lift(1)], ["mouse_up"]),
    ([press(1), ("shell", {"command": "ls"}), lift(1)], ["mouse_down", "shell", "mouse_up"]),
    ([press(1), lift(1), key("ctrl+a"), typed(), key("Tab")], ["fill"]),
    ([press(1), lift(2), typed()], ["drag", "fill"]),
    ([press(1), typed()], ["mouse_down", "fill"]),
    ([("script", {"text": "\n".join(["click()"] * 40)})], ["script"]),
    ([("shell", {"command": "ls"}), ("sql", {"text": "SELECT 1"}), ("tool", {"tool": "t"})], ["shell", "sql", "tool"]),
    ([fill("a"), fill("b", B), click({"css": "#save"})], ["fill", "fill", "activate"]),
    (
        [fill("ada"), fill("pw", B), click({"css": "#login"}), ("goto", {"url": "/"})],
        ["fill"] * 2 + ["activate", "navigate"],
    ),
]


@pytest.mark.parametrize(("steps", "kinds"), STEPS)
def test_actions_are_folded_into_what_a_person_calls_a_step(
    steps: list[tuple[str, dict[str, Value]]], kinds: list[str]
) -> None:
    assert sorted(intent.kind for intent in group(trail(*steps))) == sorted(kinds)


CORRECTIONS: list[tuple[list[tuple[str, dict[str, Value]]], int]] = [
    ([fill("a")], 0),
    ([fill("a"), fill("b")], 1),
    ([fill("a"), fill("a")], 0),
    ([fill("a"), fill("b", B)], 0),
    ([fill("a"), fill("b"), fill("a")], 2),
    ([click(), typed("Adda"), key("Backspace"), key("Backspace"), typed("a")], 2),
    ([click(), key("ctrl+a"), key("Delete"), typed("Ada")], 0),
    ([click(), key("Backspace")], 0),
    ([typed("a"), key("Tab"), typed("b")], 0),
    ([click(), typed("a"), click(B), typed("b"), click(), key("ctrl+a"), typed("c")], 1),
    ([click(), key("Delete"), key("Enter"), ("reload", {})], 0),
    ([click(), key("A"), key("d"), key("Backspace"), key("d")], 1),
    ([click(), typed("Adda"), key("Backspace"), key("Backspace"), typed("a"), fill("Ada")], 2),
    ([click(), typed("Bob"), key("ctrl+a"), typed("Ada"), key("Tab"), fill("Ada")], 0),
    ([click(), typed("Bob"), key("ctrl+a"), key("Delete"), typed("Ada"), key("Tab"), fill("Ada")], 1),
    ([click(), key("A"), key("d"), key("a"), key("Tab"), fill("Ada")], 0),
    ([click(), typed("Ada"), key("Tab"), click(), key("ctrl+a"), typed("Bob")], 1),
    ([fill("ada"), fill("pw", B), click({"css": "#login"})], 0),
]


@pytest.mark.parametrize(("steps", "number"), CORRECTIONS)
def test_what_was_put_right_is_counted(steps: list[tuple[str, dict[str, Value]]], number: int) -> None:
    assert corrections(trail(*steps)) == number


anything = st.tuples(
    st.sampled_from([*sorted(KINDS), "left_click"]),
    st.fixed_dictionaries(
        {},
        optional={
            "target": st.sampled_from([A, B, {}]),
            "text": st.sampled_from(["a", "b"]),
            "keys": st.sampled_from(["ctrl+a", "Enter", "Delete", "x", ["ctrl+a"]]),
            "count": st.sampled_from([1, 2, 3, "3"]),
        },
    ),
)


@given(st.lists(anything, max_size=12))
def test_every_action_is_in_just_one_step_and_in_its_order(steps: list[tuple[str, dict[str, Value]]]) -> None:
    actions = trail(*steps)
    intents = group(actions)
    assert sorted(action.seq for intent in intents for action in intent.actions) == [action.seq for action in actions]
    assert all(list(intent.actions) == sorted(intent.actions, key=lambda item: item.seq) for intent in intents)
    assert all(intent.last == intent.actions[-1].seq for intent in intents)
    assert all(intent.counts == (intent.actions[0].kind not in NEUTRAL) for intent in intents)


def kinds(steps: list[tuple[str, dict[str, Value]]]) -> list[tuple[str, int]]:
    return [(intent.kind, intent.actions[0].kind == "type") for intent in group(trail(*steps)) if intent.counts]


@given(st.lists(anything, max_size=12), st.data())
def test_looking_and_waiting_anywhere_change_no_count(
    steps: list[tuple[str, dict[str, Value]]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(steps)))
    neutral = data.draw(st.sampled_from(sorted(NEUTRAL)))
    more = [*steps[:at], (neutral, {"target": B}), *steps[at:]]
    assert kinds(more) == kinds(steps)
    assert corrections(trail(*more)) == corrections(trail(*steps))


@given(
    st.lists(anything, max_size=8), st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1), st.data()
)
def test_typing_letter_by_letter_is_the_same_step_and_puts_nothing_right(
    steps: list[tuple[str, dict[str, Value]]], text: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(steps)))
    target = data.draw(st.sampled_from([None, A]))
    whole = [*steps[:at], typed(text, target), *steps[at:]]
    split = [*steps[:at], *[typed(letter, target) for letter in text], *steps[at:]]
    assert kinds(split) == kinds(whole)
    assert corrections(trail(*split)) == corrections(trail(*whole))


@given(st.lists(anything, max_size=12))
def test_the_steps_before_the_last_stay_as_they_are_whatever_follows(steps: list[tuple[str, dict[str, Value]]]) -> None:
    for end in range(len(steps)):
        over = settled(trail(*steps[:end]))
        counting = [intent.actions for intent in group(over) if intent.counts]
        assert counting == [intent.actions for intent in group(trail(*steps)) if intent.counts][: len(counting)]
        assert corrections(over) <= corrections(settled(trail(*steps[: end + 1])))


def test_a_long_typing_is_one_step_and_folded_in_time_that_grows_with_it() -> None:
    assert len(group(trail(*[typed("a")] * 20_000))) == 1
