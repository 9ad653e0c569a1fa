"""`action` and what a source saw itself: each act counts once, and is more than the agent's word."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.conditions.test_actions import found
from tests.judging.kit import Data, act, action, case, judged

from exactchange.actions import Action
from exactchange.case import Case, Evidence
from exactchange.case.hearing import Hearing
from exactchange.conditions import Evaluation
from exactchange.conditions.unannounced import unannounced
from exactchange.judging.witness import disagreements
from exactchange.snapshot import Mark
from exactchange.sources.witnessing import Act
from exactchange.values import Value
from exactchange.verdict import Truth
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.element import Told, element_of
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.secrets import Secrecy
from exactchange_adapters.browser.snapshot import PageSnapshot

SECRECY = Secrecy()


def seen(kind: str, *, sure: bool = True, on: str = "save", text: Value = None, **args: Value) -> Act:
    """An act on a control in `<form id=f class=wide>`: a button `#save` called Save, or a field by its id."""
    button = on in ("save", "pay")
    control: list[object] = [2, "button" if button else "input", {"id": on}, 3, {"t": "text"}]
    if button:
        control[4] = {}
    nodes: list[object] = [[-1, "html", {}, 3], [0, "body", {}, 3], [1, "form", {"id": "f", "class": "wide"}, 3]]
    nodes += [control, [3, on.capitalize()]] if button else [control]
    told = element_of(json.dumps(nodes), Told(3, 3), secrecy=SECRECY)
    given = {"target": dict(told.target), **({} if text is None else {"text": text}), **args}
    return Act(kind, given, sure, told.known)


def click(on: str = "save", *, count: int = 1, xy: list[Value] | None = None) -> Act:
    made = seen("click", on=on, button="left", count=count)
    return made if xy is None else replace(made, args={**made.args, "xy": xy})


def during(step: int, *acts: Act, since: int | None = None, outside: bool = False) -> Hearing:
    return Hearing("page", step if since is None else since, step, outside, acts)


def run(actions: list[Action], *heard: Hearing) -> Case:
    captures = tuple(PageSnapshot("browser", {}, Mark(step)) for step in range(len(actions) + 1))
    made = case(actions=actions)
    page = Evidence("page", KIND, BrowserParams(), captures)
    return replace(made, sources={"page": page}, heard=(Hearing("page", 0, 0), *heard))


HIDDEN: Value = {"@secret": "ab" * 32}
SAVE: Mapping[str, Value] = {"css": "#save"}
WAIT, AGENT, RUNNER = act("wait", 1), act("click", 1, "agent", target=SAVE), act("click", 1, target=SAVE)
XY = act("click", 1, target={"xy": [10, 20]})
FORM = act("click", 1, target={"css": "form.wide"})
REF = act("click", 1, target={"ref": "e12"})
COUNTED: list[tuple[list[Action], list[Hearing], Data, Truth]] = [
    # What only the witness saw is there.
    ([WAIT], [during(1, click())], action("click"), True),
    ([WAIT], [during(1, click())], action("click", target={"css": "#save"}), True),
    ([WAIT], [during(1, click())], action("click", target={"css": "form.wide > button"}), True),
    ([WAIT], [during(1, click())], action("click", target={"role": "button", "name": "Save"}), True),
    ([WAIT], [during(1, click())], action("click", target={"css": "#pay"}), False),
    ([WAIT], [during(1, click())], action("fill"), False),
    ([WAIT], [during(1, click())], action("click", count=2), False),
    ([WAIT], [during(1, click(), click())], action("click", count=2), True),
    # What it was done to cannot be told: it may be such an act, unless it is the one that was reported.
    ([WAIT], [during(1, click())], action("click", target={"css": "button:first-child"}), None),
    ([WAIT], [during(1, click())], action("fill", target={"css": "button:first-child"}), False),
    ([XY], [during(1, click(xy=[10, 20]), click("pay"))], action("click", target={"css": "b:first-child"}), None),
    ([WAIT], [during(1, replace(click(), element=None))], action("click", target={"css": "#pay"}), None),
    ([WAIT], [during(1, replace(click(), element=None))], action("click", target={"css": "#save"}), True),
    ([act("wait", 1)], [during(1, Act("goto", {"url": "http://a/"}))], {"action": {"target": {"css": "#pay"}}}, False),
    ([WAIT], [during(1, seen("fill", on="mail", text="a"))], action("fill", target={"css": "input + input"}), None),
    ([act("fill", 1, "agent", text="a")], [during(1, seen("fill", on="mail", text="a"))],
     action("fill", target={"css": "input + input"}), None),
    # A script of the page's own may have done it.
    ([WAIT], [during(1, replace(click(), sure=False))], action("click"), None),
    ([RUNNER], [during(1, replace(click(), sure=False))], action("click", count=1), True),
    # Each once, whoever tells of it.
    ([RUNNER], [during(1, click())], action("click", count=1), True),
    ([AGENT], [], action("click"), None),
    ([AGENT], [during(1, click())], action("click", count=1), True),
    ([AGENT], [during(1, click("pay"))], action("click", target={"css": "#save"}), None),
    ([RUNNER], [during(1, click(), click())], action("click", count={"le": 1}), False),
    ([RUNNER], [during(1, click(), click(count=0))], action("click", count=1), True),
    ([act("key", 1, keys="Tab")], [during(1, seen("key", keys="Tab"), seen("key", keys="Tab"))],
     action("key", count=1), True),
    ([act("type", 1, text="ada")], [during(1, seen("fill", on="mail", text="ada"))], action("fill"), True),
    ([act("type", 1, text="ada")], [during(1, seen("fill", on="mail", text="ada"))], action("type", count=1), True),
    # Texts that were not kept.
    ([WAIT], [during(1, seen("fill", on="mail", text="ada"))], action("fill", text="ada"), True),
    ([WAIT], [during(1, seen("fill", on="mail", text="ada"))], action("fill", text="eve"), False),
    ([WAIT], [during(1, seen("fill", on="pw"))], action("fill", text="eve"), None),
    ([act("fill", 1, text="ada")], [during(1, seen("fill", on="pw"))], action("fill", text="eve"), False),
    ([act("fill", 1, "agent", text="ada")], [during(1, seen("fill", on="pw"))], action("fill", text="eve"), None),
    ([act("fill", 1, "agent", text=HIDDEN)], [during(1, seen("fill", on="pw", text=HIDDEN))],
     action("fill", text="eve"), None),
    # Where a click by coordinates went.
    ([XY], [], action("click", target={"css": "#save"}), None),
    ([XY], [during(1, click(xy=[10, 20]))], action("click", target={"css": "#save"}, count=1), True),
    ([XY], [during(1, click(xy=[10, 20]))], action("click", target={"css": "#pay"}), False),
    ([XY], [during(1, click(xy=[10, 99]))], action("click", target={"css": "#pay"}), None),
    ([XY], [during(1, click(xy=[10, 20]))], action("click", target={"css": "button:first-child"}), None),
    # In words of a runner's own.
    ([REF], [], action("click", target={"css": "#pay"}), None),
    ([REF], [during(1, click())], action("click", target={"css": "#pay"}), False),
    ([REF], [during(1, click())], action("click", target={"css": "#save"}, count=1), True),
    ([REF], [during(1, click(), click("pay"))], action("click", target={"css": "#save"}), True),
    ([REF], [during(1, replace(click(), sure=False))], action("click", target={"css": "#pay"}), None),
    ([REF], [during(1, seen("fill"))], action("click", target={"css": "#pay"}), None),
    ([REF], [replace(during(1, click()), unheard=("more",))], action("click", target={"css": "#pay"}), None),
    ([FORM], [during(1, click())], action("click", target={"css": "#pay"}), False),
    ([RUNNER], [], action("click", target={"css": "#pay"}), None),
    ([RUNNER], [during(1, click())], action("click", target={"css": "#pay"}), False),
    ([RUNNER], [during(1, seen("fill"))], action("click", target={"css": "#pay"}), None),
    ([XY], [during(1, replace(click(xy=[10, 20]), sure=False))], action("click", target={"css": "#pay"}), None),
]  # fmt: skip


@pytest.mark.parametrize(("actions", "heard", "rule", "truth"), COUNTED)
def test_what_is_done_counts_once_whoever_tells_of_it(
    actions: list[Action], heard: list[Hearing], rule: Data, truth: Truth
) -> None:
    assert found(run(actions, *heard), rule).truth is truth


def test_evidence_of_what_was_only_seen_names_the_witness() -> None:
    [item] = found(run([AGENT], during(1, click())), action("click")).evidence
    assert (item["reported_by"], item["step"], item["source"]) == ("witness", 1, "page")


def test_what_was_seen_outside_of_every_step_licenses_what_follows_only() -> None:
    rule = action("click", target={"css": "#pay"}, unless_after=action("click", target={"css": "#save"}))
    pay = act("click", 2, target={"css": "#pay"})
    assert found(run([WAIT, pay], during(1, click()), during(2, click("pay"))), rule).truth is False
    assert found(run([WAIT, pay], during(1, click(), outside=True), during(2, click("pay"))), rule).truth is True


OUTSIDE: list[tuple[list[Hearing], tuple[str, ...]]] = [
    ([during(1, click())], ()),
    ([during(1, click(), outside=True)], ("page: click on #save after action 1",)),
    ([during(0, click(), outside=True)], ("page: click on #save before any action",)),
    ([during(1, replace(click(), sure=False), outside=True)], ()),
    ([during(1, click(count=0), outside=True)], ()),
]


@pytest.mark.parametrize(("heard", "said"), OUTSIDE)
def test_what_somebody_did_outside_of_every_step_is_unannounced(heard: list[Hearing], said: tuple[str, ...]) -> None:
    assert unannounced(Evaluation(run([WAIT], *heard))) == said


SCRIPT = act("script", 1, code="…")


def test_effort_is_not_known_where_more_was_done_than_was_announced() -> None:
    rule: Data = {"effort": {"steps": 1}}
    assert found(run([RUNNER], during(1, click())), rule).truth is True
    assert found(run([RUNNER], during(1, click()), during(1, click("pay"), outside=True)), rule).truth is None
    assert found(run([RUNNER], during(1, click(), click("pay"))), rule).truth is None
    assert found(run([WAIT], during(1, click())), rule).truth is None
    assert found(run([WAIT], during(1, replace(click(), sure=False))), rule).truth is True
    assert found(run([SCRIPT], during(1, click(), click("pay"))), rule).truth is True
    assert found(run([RUNNER, act("click", 2, target=SAVE)], during(1, click())), rule).truth is False


DIFFERENT: list[tuple[list[Action], list[Hearing], list[str]]] = [
    ([RUNNER], [during(1, click())], []),
    ([SCRIPT], [during(1, click(), seen("fill", on="mail", text="x"))], []),
    ([act("click", 1, target={"css": "form"})], [during(1, click())], []),
    ([act("fill", 1, target={"css": "#mail"}, text="x")],
     [during(1, click("mail"), seen("fill", on="mail", text="x"), seen("key", on="mail", keys="Enter"))], []),
    ([act("fill", 1, target={"css": "#mail"}, text="x")],
     [during(1, seen("fill", on="mail", text="x"), seen("fill", on="name", text="y"), click())],
     ["seen to be done, but not in the log: fill on #name in step 1; click on #save in step 1"]),
    ([act("type", 1, text="x")], [during(1, click("mail"), seen("fill", on="mail", text="x"))], []),
    ([act("type", 1, text="x")], [during(1, seen("fill", on="mail", text="x"), click())],
     ["seen to be done, but not in the log: click on #save in step 1"]),
    ([act("select", 1, values=["x"])], [during(1, click("mail"), click())], []),
    ([act("select", 1, values=["x"])], [during(1, click("mail"), click(), click("pay"))],
     ["seen to be done, but not in the log: click on #pay in step 1"]),
    ([act("type", 1, text="x"), SCRIPT], [during(2, click("mail"), click(), click("pay"), since=1)], []),
    ([RUNNER], [during(1, click("pay"))], ["seen to be done, but not in the log: click on #pay in step 1"]),
    ([RUNNER], [during(1, click(), click())], ["seen to be done, but not in the log: click on #save in step 1"]),
    ([WAIT], [during(1, click())], ["seen to be done, but not in the log: click on #save in step 1"]),
    ([WAIT], [during(1, seen("goto", url="http://a/"))], ["seen to be done, but not in the log: goto"]),
    ([WAIT], [during(1, replace(click(), sure=False), seen("submit"))], []),
    ([RUNNER], [], ["in the log, but not seen in any page: click on #save in step 1 (it may have missed"]),
    ([XY], [], ["in the log, but not seen in any page: click in step 1 (given by coordinates"]),
    ([act("key", 1, keys="Tab")], [], ["in the log, but not seen in any page: key in step 1 (nothing may have had"]),
    ([replace(RUNNER, error="no such element")], [], []),
    ([SCRIPT], [], []),
    ([WAIT, act("click", 2, target=SAVE)], [during(2, click(), since=0)], []),
    ([RUNNER], [during(1, click()), Hearing("page", 1, 1, unheard=("too much",))],
     ["what was done may not all have been seen: page: too much"]),
]  # fmt: skip


@pytest.mark.parametrize(("actions", "heard", "said"), DIFFERENT)
def test_log_and_witness_are_compared(actions: list[Action], heard: list[Hearing], said: list[str]) -> None:
    warned = [item.message for item in disagreements(Evaluation(run(actions, *heard)))]
    assert len(warned) == len(said) and all(
        message.startswith(text) for message, text in zip(warned, said, strict=True)
    )


def test_an_action_that_was_stopped_before_it_was_done_is_not_missed() -> None:
    assert list(disagreements(Evaluation(replace(run([RUNNER]), stopped_at=1)))) == []


def test_without_a_witness_nothing_is_compared() -> None:
    assert list(disagreements(Evaluation(replace(run([RUNNER]), heard=())))) == []


def test_a_red_line_that_only_the_witness_saw_crossed_is_crossed() -> None:
    pay = action("click", target={"css": "#pay"})
    rule = action("click", target={"css": "#save"})
    honest = judged(run([RUNNER], during(1, click())), rule, veto=[pay])
    silent = judged(run([RUNNER], during(1, click(), click("pay"))), rule, veto=[pay])
    assert (honest.outcome, silent.outcome) == ("passed", "vetoed")
    assert [item.message for item in silent.warnings if item.kind == "witness"]


def test_what_two_sources_of_one_browser_saw_is_one_act() -> None:
    again = replace(during(1, click(), click()), source="other")
    assert found(run([WAIT], during(1, click(), click()), again), action("click", count=2)).truth is True
    assert found(run([WAIT], during(1, click()), again), action("click", count=2)).truth is True
