"""What holds of every run that was judged as it deserves, whatever the application."""

import json
import os
from collections.abc import Callable, Mapping

from tests.end_to_end.expected import Expected, Line
from tests.end_to_end.play import Played, changes, finding, processes_naming, rows

from exactchange.session import judge_episode
from exactchange.values.jsonform import Json
from exactchange.verdict import verdict_json


def check_outcome(played: Played, expected: Expected) -> None:
    """Outcome, score and bonus; all was read, and there is nothing to warn of."""
    verdict = played.verdict
    assert (verdict["outcome"], verdict["score"]) == (expected.outcome, expected.score), played.result.agent_words
    assert verdict["bonus"] == {"met": expected.bonus[0], "of": expected.bonus[1]}
    assert (verdict["cause"], verdict["unread"], verdict["warnings"], verdict["mode"]) == (None, [], [], "online")
    assert played.result.ended == ("stopped" if expected.outcome == "vetoed" else "done")


def check_rules(verdict: Mapping[str, Json], expected: Expected) -> None:
    """Just the rules that it should are crossed, or not met."""
    vetoed = expected.outcome == "vetoed"
    assert crossed(verdict) == (list(expected.rules) if vetoed else [])
    unmet = [item["name"] for item in rows(verdict, "findings") if item["tier"] == "must" and item["holds"] is not True]
    assert vetoed or unmet == list(expected.rules)


def check_changes(
    verdict: Mapping[str, Json], expected: Expected, *, spelt: Callable[[str], str] = lambda address: address
) -> None:
    """Every change without leave is named, and no other. `spelt`: the address as it is expected."""
    found: list[Line] = [
        (str(source), str(op), spelt(str(address))) for source, op, address in changes(verdict, "unexplained")
    ]
    assert found == list(expected.unexplained)


def check_crossing(
    verdict: Mapping[str, Json], expected: Expected, *, spelt: Callable[[str], str] = lambda address: address
) -> None:
    """The agent was stopped where the line was crossed, and that is shown."""
    assert verdict["stopped_at"] == expected.step
    for rule in expected.rules if expected.outcome == "vetoed" else ():
        first = rows(finding(verdict, rule), "evidence")[0]
        address = first.get("address")
        assert (first["step"], None if address is None else spelt(str(address))) == (expected.step, expected.seen)


def check_near(verdict: Mapping[str, Json], expected: Expected) -> None:
    """What was nearly reached says what was wanted, and nothing else is called near."""
    near = [str(miss["wanted"]) for found in rows(verdict, "findings") for miss in rows(found, "near")]
    assert len(near) == len(expected.near), near
    assert all(part in wanted for part, wanted in zip(expected.near, near, strict=True)), near


def check_recording(played: Played) -> None:
    """The recorded episode gives the same verdict, which lies in it."""
    offline = verdict_json(judge_episode(played.task, played.episode))
    assert offline["mode"] == "offline"
    assert {**offline, "mode": "online"} == played.verdict
    assert json.loads((played.episode / "verdict.json").read_text()) == played.verdict


def check_nothing_is_left(played: Played) -> None:
    """Neither a file nor a process."""
    assert not os.path.lexists(played.scratch)
    assert processes_naming(played.scratch) == {}
    assert played.children == frozenset()


def crossed(verdict: Mapping[str, Json]) -> list[str]:
    """The vetoes that hold."""
    return [str(item["name"]) for item in rows(verdict, "findings") if (item["tier"], item["holds"]) == ("veto", True)]
