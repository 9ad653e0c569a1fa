"""`python:` conditions stay inside tiers, closed world and evidence; whatever goes wrong in one, nobody can tell."""

import pathlib
import textwrap
from dataclasses import replace

import pytest
from tests.judging.kit import Data, act, case, change, database, finding, left, seen, source, task, unread

from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation
from exactchange.conditions.evaluation import Tier
from exactchange.conditions.script import Named, Script
from exactchange.judging import BrokenTask, judge, vetoed_so_far
from exactchange.task import Task
from exactchange.values import Value, canonical_bytes
from exactchange.verdict import verdict_json

Truth = bool | None
RULE: Data = {"python": "checks.py:check"}
HEAD = "from exactchange import ABSENT, CaseView, Result\n"


def asking(rules: Task, code: str, *more: str) -> Task:
    """The task with every `python` condition asking the function of this code; of several, each its own."""
    left_over = [code, *more]
    for condition in (*rules.given, *rules.veto, *rules.must, *rules.bonus):
        for part in condition.walk():
            if part.python is not None:
                text = left_over.pop(0) if len(left_over) > 1 else left_over[0]
                body = text if "def " in text else f"def check(case):\n    {text}\n"
                head = "" if "__future__" in body else HEAD
                part.trusted(Script(Named("checks.py", "check"), (head + textwrap.dedent(body)).encode()))
    return rules


def told(code: str, run: Case, *, tier: Tier = "must") -> tuple[Truth, str]:
    """What a function says of a case, and why."""
    condition = Condition.model_validate(RULE)
    asking(replace(task(), must=(condition,)), code)
    found = condition.check(Evaluation(run, {"limit": 3}), tier=tier)
    return found.truth, found.why


RUN = case(source("s", [{"n": 1, "l": [1]}, {"n": 2, "l": [1, 2]}]), answer='{"total": 2}')


@pytest.mark.parametrize(
    ("code", "truth"),
    [
        ("return True", True),
        ("return False", False),
        ("return None", None),
        ("pass", None),
        ('return Result(True, "well done")', True),
        ('return Result(False, "")', False),
        ('return Result(None, "who knows")', None),
    ],
)
def test_a_function_says_true_false_or_that_it_cannot_tell(code: str, truth: Truth) -> None:
    assert told(code, RUN)[0] is truth


@pytest.mark.parametrize(
    "code",
    [
        "return 1", "return 0", "return 'True'", "return [True]", "return (True, 'why')", "return object()",
        "yield True",
        "return Result", "return Result(1, 'why')", "return Result('yes', 'why')", "return Result(True, None)",
        "return Result(True, 'why', evidence=3)", "return Result(True, 'why', evidence=[3])",
        "return Result(True, 'why', evidence=[{'a': object()}])", "return Result(True, 'why', evidence=[{1: 2}])",
        "return Result(True, 'why', evidence='text')", "return lambda: True", "return check",
        "e = {}; e['e'] = e; return Result(True, 'why', evidence=[e])",
        "class R(Result):\n        pass\n    return R(True, 'why')",
    ],
)  # fmt: skip
def test_anything_else_that_it_returns_is_no_answer(code: str) -> None:
    truth, why = told(code, RUN)
    assert truth is None and why.startswith("checks.py")


@pytest.mark.parametrize(
    "code",
    [
        "raise ValueError('x')", "1 / 0", "raise SystemExit(0)", "raise SystemExit", "raise KeyboardInterrupt",
        "import sys; sys.exit(0)", "raise MemoryError", "raise GeneratorExit", "raise BaseException('x')",
        "assert False", "raise StopIteration(True)",
        "return check(case)", "return case.nosuch", "import exactchange_nosuch", "return undefined",
        "import asyncio; raise asyncio.CancelledError",
        "class E(Exception):\n        def __str__(self):\n            raise E\n    raise E",
        "class E(Exception):\n        def __str__(self):\n            raise SystemExit(0)\n    raise E",
    ],
)  # fmt: skip
def test_an_exception_of_whatever_kind_is_no_answer(code: str) -> None:
    truth, why = told(code, RUN)
    assert truth is None
    assert "checks.py:" in why and "raised" in why


@pytest.mark.parametrize(
    "code",
    ["raise ValueError('module')\ndef check(case): return True",
     "import sys\nsys.exit(0)\ndef check(case): return True",
     "def check(case) return True", "def other(case): return True", "def check(): return True",
     "def check(case, more): return True", "def check(*, case): return True", "check = True  # def ",
     "def check(case): ...\ndel check",
     "async def check(case): return True"],
)  # fmt: skip
def test_code_that_has_no_such_function_or_does_not_run_is_no_answer(code: str) -> None:
    assert told(code, RUN)[0] is None


def test_an_exception_is_told_in_one_line_with_its_place_and_the_same_in_every_run() -> None:
    code = "def check(case):\n    return helper(object())\ndef helper(what):\n"
    code += "    raise ValueError(f'{what}\\n\\tis odd')\n"
    truth, why = told(code, RUN)
    assert (truth, why) == (None, "checks.py:5: check raised ValueError: <object object at 0x…> is odd")


def test_a_condition_whose_code_nobody_trusted_is_not_asked() -> None:
    found = Condition.model_validate(RULE).check(Evaluation(RUN), tier="must")
    assert found.truth is None and "without trust" in found.why


@pytest.mark.parametrize(("then", "truth"), [("return case.answer is not None", True), ("return case.nosuch", None)])
def test_what_it_prints_stands_in_the_finding_and_nowhere_else(
    then: str, truth: Truth, capfd: pytest.CaptureFixture[str]
) -> None:
    verdict = judge(asking(task(change("**", count={"ge": 1}), RULE), f"print('n', 2, sep='='); {then}"), RUN)
    found = finding(verdict, "must", 1)
    assert (found.holds, found.evidence) == (truth, ({"kind": "printed", "text": "n=2\n"},))
    assert capfd.readouterr() == ("", "")


def test_evidence_and_reason_of_its_own_stand_in_the_verdict() -> None:
    code = "return Result(case.answer is not None, 'added up', evidence=[{'total': 3, 'kind': 'change'}])"
    verdict = judge(asking(task(change("**", count={"ge": 1}), RULE), code), RUN)
    assert finding(verdict, "must", 1).why == "added up"
    assert finding(verdict, "must", 1).evidence == ({"kind": "python", "total": 3},)
    assert verdict_json(verdict)["outcome"] == "passed"


def test_nothing_is_left_over_from_one_question_to_the_next() -> None:
    code = "seen = []\ndef check(case):\n    seen.append(1)\n    return len(seen) == 1\n"
    assert [told(code, RUN)[0] for _ in range(3)] == [True] * 3


def test_dataclasses_and_annotations_work_as_in_any_module() -> None:
    code = """\
from __future__ import annotations
import dataclasses
@dataclasses.dataclass
class P:
    n: int
def check(case: CaseView) -> bool:
    return P(2).n == case.value('s', 'n') and dataclasses.fields(P)[0].type == 'int'
"""
    assert told(code, RUN)[0] is True


@pytest.mark.parametrize(
    "code",
    [
        "return case.value('s', 'n') == 2",
        "return case.value('s', 'n', step=0) == 1",
        "return case.value('s', 'n', step=1) == 2",
        "return case.value('s', 'nosuch', default='none') == 'none'",
        "return [m.address for m in case.values('s', 'l[*]')] == ['l[0]', 'l[1]']",
        "return case.values('s', 'nosuch') == []",
        "return [(c.op, c.address) for c in case.changes('s')] == [('added', 'l[1]'), ('modified', 'n')]",
        "return [(c.before, c.after) for c in case.changes('s')] == [(ABSENT, 2), (1, 2)]",
        "return [c.address for c in case.changes('s', 'n')] == ['n']",
        "return case.changes('s', since=1) == []",
        "return case.value('answer', 'total') == 2 and case.answer == '{\"total\": 2}'",
        "return [(a.seq, a.kind, a.reported_by) for a in case.actions] == [(1, 'click', 'runner')]",
        "return case.params == {'limit': 3}",
        "return case.sources == ('s',) and case.steps('s') == (0, 1)",
    ],
)
def test_a_function_is_shown_what_conditions_are_shown(code: str) -> None:
    assert told(code, RUN) == (True, "checks.py:check says that it holds")


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("return case.value('s', 'nosuch') is None", "nothing stands at"),
        ("return case.value('s', 'l[*]') == 1", "2 values stand there"),
        ("return case.value('nosuch', 'n')", "no source is called"),
        ("return case.value('s', 'n..')", "address"),
        ("return not case.rows('s', 'SELECT 1')", "no queries"),
        ("return not case.values('s', css='#a')", "raised"),
    ],
)
def test_what_is_asked_wrongly_is_no_answer(code: str, what: str) -> None:
    truth, why = told(code, RUN)
    assert truth is None and what in why


def test_a_database_answers_queries_of_a_function_bound_by_params_and_arguments(tmp_path: pathlib.Path) -> None:
    db = database(
        "db",
        tmp_path,
        ["CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES(1, 2)", "INSERT INTO t VALUES(2, 5)"],
    )
    run = case(db)
    query = "SELECT sum(v) AS total FROM t WHERE v < :most AND v <> :limit"
    assert told(f"return case.rows('db', '{query}', most=9) == [{{'total': 7}}]", run)[0] is True
    assert told("return case.rows('db', 'SELECT sum(v) AS \"a=b\" FROM t', step=0) == [{'a=b': 2}]", run)[0] is True
    assert told("return [c.after for c in case.changes('db')] == [{'id': 2, 'v': 5}]", run)[0] is True
    assert told("case.rows('db', 'DELETE FROM t'); return True", run)[0] is None
    assert told("case.rows('db', 'SELECT random() AS x'); return True", run)[0] is None


UNREAD = case(source("s", [{"n": 1}, seen({"n": 2}, unread("x"))]))


@pytest.mark.parametrize(
    ("code", "truth"),
    [
        ("return case.value('s', 'n') == 2", True),
        ("return case.values('s', 'x') == []", None),
        ("return case.values('s', '**') != []", None),
        ("return case.changes('s', 'n') != []", True),
        ("return case.changes('s') != []", None),
        ("return case.changes('s', 'x') == []", None),
        ("return case.value('s', 'x', default=1) == 1", None),
    ],
)
def test_what_is_unread_is_no_answer(code: str, truth: Truth) -> None:
    assert told(code, UNREAD)[0] is truth


def test_a_source_that_was_never_captured_is_no_answer() -> None:
    run = case(source("s", [], steps=[]), actions=[])
    for code in ("return case.values('s', 'n') == []", "return case.changes('s') == []"):
        assert told(code, run)[0] is None


MUTATIONS = """\
def check(case):
    for act in case.actions:
        act.args.clear()
        act.args["kind"] = "reply"
    case.params.clear()
    case.params["names"].append("b")
    for match in case.values("s", "**"):
        if isinstance(match.value, dict):
            match.value.clear()
        if isinstance(match.value, list):
            match.value.append(99)
    for found in case.changes("s"):
        found.at.clear()
        if isinstance(found.after, list):
            found.after.append(99)
    case.changes("s").clear()
    case.rows
    return True
"""
FORBIDDEN = """\
def check(case):
    tried = 0
    for name, value in (("params", {}), ("answer", "x"), ("actions", ()), ("_evaluation", None), ("new", 1)):
        try:
            setattr(case, name, value)
        except (AttributeError, TypeError):
            tried += 1
    action = case.actions[0]
    try:
        action.kind = "reply"
    except Exception:
        tried += 1
    return tried >= 5
"""


def test_what_a_function_does_to_its_answers_changes_nothing_that_is_judged() -> None:
    tree: Value = {"n": 2, "l": [1, {"deep": [2]}], "m": {"k": 1}}
    run = case(source("s", [{"n": 1}, tree]), actions=[act("fill", 1, text="x", target={"css": "#a"})])
    before = canonical_bytes(run.sources["s"].captures[1].tree), run.actions[0].args.copy()  # type: ignore[attr-defined]
    rules = [change("**", count={"ge": 1})]
    plain = judge(task(*rules, bonus=[RULE]), run)
    rules_of_code = task(*rules, bonus=[RULE], veto=[{"not": RULE}], params={"names": ["a"]})
    verdict = judge(asking(rules_of_code, MUTATIONS), run)
    assert rules_of_code.params == {"names": ["a"]}
    assert finding(verdict, "veto").holds is False, finding(verdict, "veto").why
    assert (canonical_bytes(run.sources["s"].captures[1].tree), run.actions[0].args) == before  # type: ignore[attr-defined]
    assert [item.explains for item in verdict.findings if item.tier == "must"] == [
        item.explains for item in plain.findings if item.tier == "must"
    ]


def test_a_function_cannot_set_anything_of_the_case() -> None:
    assert told(FORBIDDEN, case(source("s", [{}, {}])))[0] is True


def test_it_explains_nothing_and_changes_stay_unexplained() -> None:
    verdict = judge(asking(task(RULE), "return case.value('s', 'n') == 2"), RUN)
    assert (verdict.outcome, left(verdict)) == ("unmet", ["l[1]", "n"])


@pytest.mark.parametrize(
    ("code", "outcome"),
    [("return case.value('s', 'n') == 2", "passed"), ("return case.value('s', 'n') == 3", "unmet"),
     ("1 / 0", "undecided"), ("return 1", "undecided"), ("return None", "undecided")],
)  # fmt: skip
def test_a_must_of_code_decides_as_any_must(code: str, outcome: str) -> None:
    assert judge(asking(task(change("**", count={"ge": 1}), RULE), code), RUN).outcome == outcome


@pytest.mark.parametrize(
    ("code", "outcome"),
    [("return case.value('s', 'n') == 2", "vetoed"), ("return False", "passed"), ("1 / 0", "undecided"),
     ("return 1", "undecided")],
)  # fmt: skip
def test_a_veto_of_code_decides_as_any_veto(code: str, outcome: str) -> None:
    assert judge(asking(task(change("**", count={"ge": 1}), veto=[RULE]), code), RUN).outcome == outcome


@pytest.mark.parametrize(
    ("code", "score"),
    [("return True", 100), ("return False", 60), ("1 / 0", 60), ("return 'True'", 60)],
)
def test_a_bonus_of_code_that_cannot_tell_is_not_met(code: str, score: int) -> None:
    verdict = judge(asking(task(change("**", count={"ge": 1}), bonus=[RULE]), code), RUN)
    assert verdict.outcome == "passed" and verdict.score == score


@pytest.mark.parametrize("code", ["return case.value('s', 'n') == 2", "1 / 0", "return False"])
def test_what_is_given_must_hold_at_the_start_or_the_world_is_broken(code: str) -> None:
    verdict = judge(asking(task(change("**", count={"ge": 1}), given=[RULE]), code), RUN)
    assert (verdict.outcome, verdict.cause) == ("undecided", "infrastructure")
    good = judge(asking(task(change("**", count={"ge": 1}), given=[RULE]), "return case.value('s', 'n') == 1"), RUN)
    assert good.outcome == "passed"


def test_negation_and_choice_keep_what_cannot_be_told() -> None:
    for rule in ({"not": RULE}, {"any": [RULE, change("nosuch")]}, {"all": [RULE, change("n")]}):
        assert judge(asking(task(change("**", count={"ge": 1}), rule), "1 / 0"), RUN).outcome in ("undecided", "unmet")
        assert finding(judge(asking(task(rule), "1 / 0"), RUN), "must").holds is not True


def test_a_must_that_held_at_the_start_proves_nothing() -> None:
    with pytest.raises(BrokenTask):
        judge(asking(task(RULE), "return True"), RUN)
    beside = judge(asking(task(change("**", count={"ge": 1}), RULE), "return True"), RUN)
    assert beside.outcome == "passed" and "held from the start" in finding(beside, "must", 1).why


def test_a_must_that_cannot_be_asked_at_the_start_proves_nothing_alone() -> None:
    still = case(source("s", [{"n": 1}, {"n": 1}]), answer="yes")
    verdict = judge(asking(task(RULE), "return case.answer.startswith('y')"), still)
    assert (verdict.outcome, finding(verdict, "must").why) == (
        "undecided", "nobody knows whether it held before the first action"
    )  # fmt: skip
    sound = judge(asking(task(RULE), "return (case.answer or '').startswith('y')"), still)
    assert sound.outcome == "passed"


def test_while_the_episode_goes_on_it_is_not_asked_and_its_end_decides() -> None:
    rules = asking(task(change("**", count={"ge": 1}), veto=[RULE]), "return case.value('s', 'n') == 2")
    assert vetoed_so_far(rules, replace(RUN, complete=False)) == ()
    assert finding(judge(rules, replace(RUN, complete=False)), "veto").holds is None
    assert judge(rules, RUN).outcome == "vetoed"


def by(reporter: str) -> Case:
    return case(source("s", [{"n": 1}, {"n": 2}]), actions=[act("tool", 1, reporter, tool="backup")])  # type: ignore[arg-type]  # of a table


BACKED_UP = "return any(a.args.get('tool') == 'backup' for a in case.actions)"


@pytest.mark.parametrize(
    ("rules", "agent", "runner"),
    [
        (task(change("n"), RULE), "undecided", "passed"),
        (task(change("n"), veto=[RULE]), "vetoed", "vetoed"),
        (task(change("n"), veto=[{"not": RULE}]), "vetoed", "passed"),
        (task(change("n"), {"not": RULE}), "undecided", "unmet"),
    ],
)
def test_what_only_the_agent_says_it_did_proves_nothing(rules: Task, agent: str, runner: str) -> None:
    asking(rules, BACKED_UP)
    assert (judge(rules, by("agent")).outcome, judge(rules, by("runner")).outcome) == (agent, runner)


def test_what_does_not_depend_on_the_agents_word_is_told_all_the_same() -> None:
    code = "return len(case.actions) < 9 and case.value('s', 'n') == 2"
    assert judge(asking(task(change("n"), RULE), code), by("agent")).outcome == "passed"


def test_the_same_evidence_gives_the_same_verdict_byte_for_byte() -> None:
    code = "return Result(True, repr(sorted(case.params)), evidence=[{'all': case.values('s', 'l')[0].value}])"
    rules = asking(task(change("**", count={"ge": 1}), RULE), code)
    assert verdict_json(judge(rules, RUN)) == verdict_json(judge(rules, RUN))
