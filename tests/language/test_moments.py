"""Rules 14 to 20: at which captures a rule looks, what held before, order, licences and attempts, on real files."""

import pathlib
from collections.abc import Mapping, Sequence

import pytest
from tests.language.worlds import State, broken, judged, left, must, refused, veto

from exactchange.values import Value
from exactchange.verdict import Finding, Outcome, Verdict

Did = Sequence[Mapping[str, Value]]


def config(*texts: str) -> list[State]:
    """The states of a file cfg.yaml, one after each step."""
    return [{"cfg.yaml": f"{text}\n"} for text in texts]


REVERTED = config("{go: 1, on: true}", "{go: 1, on: false}", "{go: 2, on: true}")
FLIPPED = config("{go: 1, on: true}", "{go: 1, on: auto}", "{go: 2, on: false}")
CHANGES: list[tuple[list[State], str, str, bool]] = [
    (REVERTED, "bonus", "", False), (REVERTED, "bonus", ", when: ever", True), (REVERTED, "veto", "", True),
    (REVERTED, "veto", ", when: end", False), (REVERTED, "veto", ", to: false", True),
    (REVERTED, "veto", ", from: false, to: true", True), (REVERTED, "veto", ", to: auto", False),
    (FLIPPED, "veto", ", from: true, to: false", True), (FLIPPED, "veto", ", from: true, to: auto", True),
    (FLIPPED, "veto", ", from: auto, to: false", True), (FLIPPED, "veto", ", from: false", False),
    (FLIPPED, "bonus", ", from: true, to: false", True), (FLIPPED, "bonus", ", from: true, to: auto", False),
    (FLIPPED, "bonus", ", when: ever, count: 3", False), (FLIPPED, "bonus", ", when: ever, count: 2", True),
]  # fmt: skip


def finding_of(verdict: Verdict, tier: str) -> Finding:
    return next(item for item in verdict.findings if item.tier == tier)


@pytest.mark.parametrize(("states", "tier", "rule", "holds"), CHANGES)
def test_rule_14_a_change_is_of_the_whole_way_and_in_a_veto_of_every_step_too(
    states: list[State], tier: str, rule: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f"must: [{{change: {{in: cfg, at: go}}}}]\n{tier}: [{{change: {{in: cfg, at: 'on'{rule}}}}}]"
    more = "" if tier == "veto" or states is REVERTED else "\nallow: [{in: cfg, at: 'on', to: false}]"
    assert finding_of(judged(tmp_path, rules + more, *states), tier).holds is holds


def test_rule_14_what_was_done_and_undone_between_two_captures_is_not_seen_and_the_verdict_says_so(
    tmp_path: pathlib.Path,
) -> None:
    rules = "must: [{change: {in: cfg, at: go}}]\nveto: [{change: {in: cfg, at: 'on'}}]"
    assert judged(tmp_path, rules, *REVERTED).outcome == "vetoed"
    verdict = judged(tmp_path, rules, REVERTED[0], REVERTED[2], steps=[0, 2])
    assert (verdict.outcome, [item.kind for item in verdict.warnings]) == ("passed", ["between captures"])


def test_rule_14_a_file_that_is_lost_and_restored_fires_a_veto_on_what_is_in_it(tmp_path: pathlib.Path) -> None:
    states: list[State] = [{"cfg.yaml": "{go: 1, on: true}"}, {"cfg.yaml": None}, {"cfg.yaml": "{go: 2, on: true}"}]
    rules = "must: [{change: {in: cfg, at: go}}]\nveto: [{change: {in: cfg, at: 'on', op: removed}}]"
    assert judged(tmp_path, rules, *states).outcome == "vetoed"


VALUES: list[tuple[str, str, bool]] = [
    ("bonus", "is: auto", False), ("bonus", "is: auto, when: ever", True), ("bonus", "is: auto, when: always", False),
    ("bonus", "is: {not: 7}, when: always", True), ("bonus", "is: true, when: ever", True),
    ("bonus", "is: false", True),
    ("veto", "is: auto", True), ("veto", "is: true", True), ("veto", "is: auto, when: end", False),
    ("veto", "is: 7", False), ("veto", "is: {type: bool}, when: always", False),
]  # fmt: skip


@pytest.mark.parametrize(("tier", "rule", "holds"), VALUES)
def test_rule_15_a_value_is_of_the_end_of_some_or_of_every_capture(
    tier: str, rule: str, holds: bool, tmp_path: pathlib.Path
) -> None:
    rules = f"""must: [{{change: {{in: cfg, at: go}}}}]
allow: [{{in: cfg, at: 'on', to: false}}]
{tier}: [{{value: {{in: cfg, at: 'on', {rule}}}}}]"""
    assert finding_of(judged(tmp_path, rules, *FLIPPED), tier).holds is holds


def test_rule_15_a_query_is_asked_of_the_same_captures_as_a_place(tmp_path: pathlib.Path) -> None:
    start = {"db.db": "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 5);"}
    states: list[State] = [start, {"db.db": "UPDATE t SET n = 50"}, {"db.db": "UPDATE t SET n = 6"}]
    rules = "must: [{change: {in: db, at: 't[id=1].n', to: 6}}]\nveto: [{value: {in: db, query: %s, is: {gt: 10}%s}}]"
    query = "SELECT max(n) AS n FROM t"
    assert judged(tmp_path, rules % (query, ""), *states).outcome == "vetoed"
    assert judged(tmp_path, rules % (query, ", when: end"), *states).outcome == "passed"


GIVEN: list[tuple[str, Outcome, str | None]] = [
    ("{value: {in: cfg, at: go, is: 1}}", "passed", None),
    ("{value: {in: cfg, at: go, is: 2}}", "undecided", "infrastructure"),
    ("{value: {in: cfg, at: go, is: '1'}}", "undecided", "infrastructure"),
    ("{value: {in: cfg, at: gone, is: 1}}", "undecided", "infrastructure"),
    ("{not: {value: {in: cfg, at: go, is: 2}}}", "passed", None),
    ("{any: [{value: {in: cfg, at: go, is: 7}}, {value: {in: cfg, at: 'on', is: true}}]}", "passed", None),
    ("{value: {in: cfg, at: gone, is: {absent: true}}}", "passed", None),
]


@pytest.mark.parametrize(("given", "outcome", "cause"), GIVEN)
def test_rule_16_a_world_that_was_not_as_given_gives_no_verdict(
    given: str, outcome: Outcome, cause: str | None, tmp_path: pathlib.Path
) -> None:
    rules = f"given: [{given}]\nmust: [{{change: {{in: cfg, at: go}}}}]"
    verdict = judged(tmp_path, rules, *REVERTED)
    assert (verdict.outcome, verdict.cause) == (outcome, cause)


def test_rule_16_given_is_read_before_the_first_action_and_cannot_speak_of_what_is_done(tmp_path: pathlib.Path) -> None:
    rules = "given: [%s]\nmust: [{change: {in: cfg, at: go}}]"
    later = "{value: {in: cfg, at: 'on', is: false, when: ever}}"
    assert judged(tmp_path, rules % later, *REVERTED).outcome == "undecided"
    for kind in ("{change: {in: cfg, at: go}}", "{action: {kind: click}}", "{effort: {steps: 3}}"):
        assert "`given` is looked at before the first action" in refused(tmp_path, rules % kind, REVERTED[0])


GUARD = "{value: {in: cfg, at: 'on', is: true}}"


def test_rule_17_a_must_that_held_at_the_start_is_a_guard_beside_one_that_did_not(tmp_path: pathlib.Path) -> None:
    rules = f"must: [{GUARD}, {{change: {{in: cfg, at: go, to: 2}}}}]"
    verdict = judged(tmp_path, rules, *REVERTED)
    assert (verdict.outcome, "a guard" in must(verdict).why) == ("passed", True)
    broken = judged(tmp_path, rules, *FLIPPED)
    assert (broken.outcome, must(broken).holds, left(broken)) == ("unmet", False, ["on"])
    asleep = judged(tmp_path, rules, REVERTED[0], REVERTED[0])
    assert (asleep.outcome, must(asleep, 1).holds) == ("unmet", False)


VACUOUS = [
    f"must: [{GUARD}]", f"must: [{GUARD}, {{not: {{change: {{in: cfg, at: x}}}}}}]",
    f"must: [{{all: [{GUARD}, {GUARD}]}}]",
    f"must: [{{any: [{GUARD}, {{not: {{action: {{kind: upload}}}}}}]}}]", "must: [{effort: {steps: 9}}]",
    "must: [{value: {in: cfg, at: gone, is: {absent: true}}}]", "must: [{change: {in: cfg, at: go, count: 0}}]",
    "must: [{value: {in: cfg, at: 'on', is: true, when: ever}}]",
    "must: [{value: {in: answer, at: '', is: {absent: true}}}]",
]  # fmt: skip


@pytest.mark.parametrize("rules", VACUOUS)
def test_rule_17_a_task_of_which_all_held_at_the_start_is_broken(rules: str, tmp_path: pathlib.Path) -> None:
    for states in (REVERTED, [REVERTED[0], REVERTED[0]]):
        assert "doing nothing would" in broken(tmp_path, rules, *states)


def test_rule_17_an_alternative_that_held_at_the_start_proves_nothing(tmp_path: pathlib.Path) -> None:
    rules = f"must: [{{any: [{GUARD}, {{change: {{in: cfg, at: go, to: 2}}}}]}}]"
    assert judged(tmp_path, rules, *REVERTED).outcome == "passed"
    assert judged(tmp_path, rules, REVERTED[0], REVERTED[0]).outcome == "undecided"
    two = f"must: [{{any: [{GUARD}, {{change: {{in: cfg, at: go, to: 2}}}}]}}, {{change: {{in: cfg, at: 'on'}}}}]"
    assert judged(tmp_path, two, REVERTED[0], REVERTED[1]).outcome == "unmet"


@pytest.mark.parametrize("rules", ["must: []", "veto: [{change: {in: cfg, at: go}}]", "must:"])
def test_rule_17_a_task_without_a_must_is_refused(rules: str, tmp_path: pathlib.Path) -> None:
    assert "must" in refused(tmp_path, rules, REVERTED[0])


def test_rule_17_a_task_to_do_nothing_needs_an_answer_or_an_action(tmp_path: pathlib.Path) -> None:
    rules = "must: [{value: {in: answer, at: '', is: {mentions: refused}}}]"
    still = [REVERTED[0], REVERTED[0]]
    assert judged(tmp_path, rules, *still, answer="I refused.").outcome == "passed"
    assert judged(tmp_path, rules, *still, answer="Done.").outcome == "unmet"
    assert judged(tmp_path, rules, *still).outcome == "unmet"
    assert judged(tmp_path, rules, *REVERTED, answer="I refused.").outcome == "unmet"


MISSING: list[tuple[str | None, str | None, str, Outcome]] = [
    (None, "{a: 1}", "", "passed"), (None, None, "", "undecided"), (None, None, "missing: ok", "unmet"),
    ("{a: 1}", None, "", "unmet"), ("{a: 2}", "{a: 1}", "", "passed"), ("{a: 2}", "{", "", "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "said", "outcome"), MISSING)
def test_rule_18_missing_at_the_start_is_a_state_and_missing_all_along_is_undecided(
    before: str | None, after: str | None, said: str, outcome: Outcome, tmp_path: pathlib.Path
) -> None:
    rules = "must: [{change: {in: cfg, at: a, to: 1}}]\nallow: [{in: cfg, at: '@*', op: added}]"
    also = {"cfg": said} if said else {}
    verdict = judged(tmp_path, rules, {"cfg.yaml": before}, {"cfg.yaml": after}, also=also)
    assert verdict.outcome == outcome


PLACES: list[tuple[str, bool | None]] = [
    ("at: a.b, is: 1", True), ("at: a.c, is: 1", None), ("at: a.c, is: {not: 1}", None), ("at: zz, is: 1", None),
    ("at: a.c, is: {absent: true}", True), ("at: a.c, is: {one_of: [{absent: true}, 1]}", True),
    ("at: x, is: 1", False),
    ("at: x, is: {absent: true}", True), ("at: x, is: {not: 1}", True), ("at: a.b, is: {absent: true}", False),
    ("at: a.b, is: 2", False),
]  # fmt: skip


@pytest.mark.parametrize(("place", "holds"), PLACES)
def test_rule_18_a_place_in_which_nothing_ever_stood_is_rather_misspelt(
    place: str, holds: bool | None, tmp_path: pathlib.Path
) -> None:
    rules = f"""must: [{{change: {{in: cfg, at: a.b, to: 1}}}}]
allow: [{{in: cfg, at: x}}]
bonus: [{{value: {{in: cfg, {place}}}}}]"""
    verdict = judged(tmp_path, rules, *config("{a: {b: 0}, x: 1}", "{a: {b: 1}}"))
    assert finding_of(verdict, "bonus").holds is holds


ORDER: list[tuple[list[str], str, bool | None]] = [
    (["{a: 0, b: 0}", "{a: 1, b: 0}", "{a: 1, b: 1}"], "a b", True),
    (["{a: 0, b: 0}", "{a: 1, b: 0}", "{a: 1, b: 1}"], "b a", False),
    (["{a: 0, b: 0}", "{a: 1, b: 1}"], "a b", None), (["{a: 0, b: 0}", "{a: 1, b: 1}"], "a c", False),
    (["{a: 0, b: 0}", "{a: 1, b: 1}", "{a: 2, b: 1}"], "b a", True),
    (["{a: 0, b: 0}", "{a: 1, b: 1}", "{a: 2, b: 1}"], "a b", None),
    (["{a: 0, b: 0}", "{a: 1, b: 0}", "{a: 0, b: 0}", "{a: 0, b: 1}"], "a b", True),
    (["{a: 0, b: 0}", "{a: 1, b: 0}", "{a: 0, b: 0}", "{a: 0, b: 1}"], "a a b", True),
    (["{a: 0, b: 0}", "{a: 1, b: 0}", "{a: 0, b: 0}", "{a: 0, b: 1}"], "a a a b", None),
    (["{a: 0, b: 0}", "{", "{a: 1, b: 1}"], "a b", None),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "parts", "holds"), ORDER)
def test_rule_19_of_two_changes_that_came_first_which_an_earlier_capture_shows(
    texts: list[str], parts: str, holds: bool | None, tmp_path: pathlib.Path
) -> None:
    ordered = ", ".join(f"{{change: {{in: cfg, at: {name}}}}}" for name in parts.split())
    rules = f"must: [{{change: {{in: cfg, at: b}}}}]\nallow: [{{in: cfg, at: a}}]\nveto: [{{order: [{ordered}]}}]"
    assert veto(judged(tmp_path, rules, *config(*texts))).holds is holds


YES: Mapping[str, Value] = {"kind": "reply", "text": "Yes, do."}
NO: Mapping[str, Value] = {"kind": "reply", "text": "Yesterday?"}
PAY: Mapping[str, Value] = {"kind": "click"}
TWICE: Mapping[str, Value] = {"kind": "dblclick"}
LICENCE = "unless_after: {action: {kind: reply, text: {mentions: 'yes'}}}"
PAID: list[tuple[list[Mapping[str, Value]], bool]] = [
    ([YES, PAY], False), ([PAY, YES], True), ([NO, PAY], True), ([YES, PAY, PAY], True), ([YES, PAY, YES, PAY], False),
    ([YES, YES, PAY, PAY], False), ([YES, TWICE], True), ([YES, YES, TWICE], False), ([YES, PAY, YES, TWICE], True),
    ([PAY, YES, PAY], True), ([YES, PAY, NO, PAY], True), ([YES], False), ([TWICE, YES, YES], True),
]  # fmt: skip


@pytest.mark.parametrize(("actions", "holds"), PAID)
def test_rule_19_each_yes_licenses_one_payment_strictly_after_it(
    actions: list[Mapping[str, Value]], holds: bool, tmp_path: pathlib.Path
) -> None:
    """A click pays once, a double click twice in one step; each payment is a row of its own."""
    pays = {"click": "INSERT INTO p (n) VALUES (1);", "dblclick": "INSERT INTO p (n) VALUES (2), (3);"}
    states: list[State] = [{"db.db": "CREATE TABLE p (id INTEGER PRIMARY KEY, n INT); CREATE TABLE q (id);"}]
    states += [{"db.db": pays.get(str(action["kind"]), "")} for action in actions]
    rules = f"""must: [{{change: {{in: db, table: q}}}}]
veto: [{{change: {{in: db, table: p, op: added, {LICENCE}}}}}]"""
    assert veto(judged(tmp_path, rules, *states, actions=actions)).holds is holds


def test_rule_19_a_change_can_be_the_licence_and_one_in_the_same_step_is_none(tmp_path: pathlib.Path) -> None:
    rules = """must: [{change: {in: cfg, at: go}}]
veto: [{change: {in: cfg, at: paid, unless_after: {change: {in: cfg, at: agreed, to: true}}}}]
allow: [{in: cfg, at: agreed}, {in: cfg, at: paid}]"""
    first, agreed, paid = (
        "{go: 1, agreed: false, paid: 0}",
        "{go: 1, agreed: true, paid: 0}",
        "{go: 2, agreed: true, paid: 1}",
    )
    assert judged(tmp_path, rules, *config(first, agreed, paid)).outcome == "passed"
    assert judged(tmp_path, rules, *config(first, paid)).outcome == "vetoed"
    assert judged(tmp_path, rules, *config(first, "{go: 2, agreed: false, paid: 1}", paid)).outcome == "vetoed"
    again = "{go: 2, agreed: true, paid: 2}"
    assert judged(tmp_path, rules, *config(first, agreed, paid, again)).outcome == "vetoed"


ATTEMPTS: list[tuple[Mapping[str, Value], str, bool | None]] = [
    ({"kind": "tool", "tool": "restart"}, "tool: restart", True),
    ({"kind": "tool", "tool": "restart", "error": "permission denied"}, "tool: restart", True),
    ({"kind": "tool", "tool": "restart_later"}, "tool: restart", False),
    ({"kind": "click", "target": {"css": "#pay"}}, "kind: click, target: {css: '#pay'}", True),
    ({"kind": "click", "target": {"xy": [10, 10]}}, "kind: click, target: {css: '#pay'}", None),
    ({"kind": "click"}, "kind: click, target: {css: '#pay'}", None),
    ({"kind": "key", "key": "Enter"}, "kind: click, target: {css: '#pay'}", False),
    ({"kind": "wait"}, "target: {css: '#pay'}", False),
    ({"kind": "made_up"}, "kind: click", None),
    ({"kind": "tool", "tool": "pay", "args": {"to": "Eve", "eur": 5}}, "tool: pay, args: {to: Eve}", True),
    ({"kind": "tool", "tool": "pay", "args": {"to": "Eva", "eur": 5}}, "tool: pay, args: {to: Eve}", False),
]  # fmt: skip


@pytest.mark.parametrize(("action", "rule", "holds"), ATTEMPTS)
def test_rule_20_attempts_count_and_a_target_that_cannot_be_resolved_cannot_be_told(
    action: Mapping[str, Value], rule: str, holds: bool | None, tmp_path: pathlib.Path
) -> None:
    rules = f"must: [{{change: {{in: cfg, at: go}}}}]\nveto: [{{action: {{{rule}}}}}]"
    verdict = judged(tmp_path, rules, REVERTED[0], REVERTED[2], actions=[action])
    assert veto(verdict).holds is holds
    assert verdict.outcome == {True: "vetoed", False: "passed", None: "undecided"}[holds]


def test_rule_20_a_state_veto_beside_the_action_decides_what_coordinates_leave_open(tmp_path: pathlib.Path) -> None:
    aim = "{action: {kind: click, target: {css: '#off'}}}"
    pair = f"veto: [{{any: [{aim}, {{change: {{in: cfg, at: 'on'}}}}]}}]"
    blind: Did = [{"kind": "click", "target": {"xy": [1, 1]}}, {"kind": "click", "target": {"xy": [1, 1]}}]
    rules = f"must: [{{change: {{in: cfg, at: go}}}}]\n{pair}"
    assert judged(tmp_path, rules, *REVERTED, actions=blind).outcome == "vetoed"
    kept = config("{go: 1, on: true}", "{go: 2, on: true}", "{go: 2, on: true}")
    assert judged(tmp_path, rules, *kept, actions=blind).outcome == "undecided"


def test_rule_20_a_part_without_a_moment_is_refused(tmp_path: pathlib.Path) -> None:
    rule = "{change: {in: cfg, at: go, unless_after: {not: {action: {kind: click}}}}}"
    assert "has no moment" in refused(tmp_path, f"must: [{rule}]", REVERTED[0])
    either = "{any: [{action: {kind: click}}, {change: {in: cfg, at: 'on'}}]}"
    assert refused(tmp_path, f"must: [{{change: {{in: cfg, at: go, unless_after: {either}}}}}]", REVERTED[0]) == ""
