"""Intents: what a person would call one step, and what was put right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactchange.actions import Action, Reporter, corrections, group, normalise
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


def test_a_long_typing_is_one_step_and_folded_in_time_that_grows_with_it() -> None:
    assert len(group(trail(*[typed("a")] * 20_000))) == 1
