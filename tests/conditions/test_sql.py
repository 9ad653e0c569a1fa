"""`sql`, and the `effect` of actions: what fits, what cannot be told, and whose word counts."""

import pytest
from pydantic import ValidationError
from tests.judging.kit import Data, act, action, case, change, judged, source

from exactchange.actions import Action, Reporter, normalise
from exactchange.case import Case
from exactchange.conditions import Condition, Evaluation, Result
from exactchange.conditions.evaluation import Tier
from exactchange.conditions.sql import SqlRule
from exactchange.values import Value
from exactchange.verdict import Outcome, Truth


def sent(*texts: str, by: Reporter = "runner", **fields: Value) -> Case:
    return acted(*(act("sql", number, by, text=text, **fields) for number, text in enumerate(texts, 1)))


def acted(*actions: Action) -> Case:
    states: list[Value] = [*({"n": 1} for _ in actions), {"n": 2}]
    return case(source("s", states), actions=actions)


def sql(**fields: Value) -> Data:
    return {"sql": {"dialect": "sqlite", **fields}}


def found(run: Case, rule: Data, tier: Tier = "veto", *, ends: bool = True) -> Result:
    return Condition.model_validate(rule).check(Evaluation(run, ends=ends), tier=tier)


FITS: list[tuple[str, Data, Truth]] = [
    ("DELETE FROM t", {"effect": "delete"}, True),
    ("DELETE FROM t", {"effect": ["drop", "delete"]}, True),
    ("DELETE FROM t", {"effect": "update"}, False),
    ("REPLACE INTO t VALUES (1)", {"effect": "delete", "table": "t"}, True),
    ("SELECT 1; DROP TABLE t", {"effect": "drop"}, True),
    ("", {"effect": "read"}, False),
    ("-- DELETE FROM t", {"effect": "delete"}, False),
    ("DELETE FROM T", {"table": "t"}, True),
    ('DELETE FROM main."t"', {"table": "t"}, True),
    ("DELETE FROM main.t", {"table": "Main.T"}, True),
    ("DELETE FROM other.t", {"table": "main.t"}, False),
    ("DELETE FROM t", {"table": "main.t"}, None),
    ("INSERT INTO log SELECT * FROM t", {"effect": "insert", "table": "t"}, False),
    ("INSERT INTO log SELECT * FROM t", {"effect": "read", "table": "t"}, True),
    ("WITH t AS (SELECT 1) SELECT * FROM t", {"table": "t"}, False),
    ("DROP INDEX i", {"effect": "drop", "table": "t"}, None),
    ("DELETE FROM t", {"effect": "delete", "bounded": False}, True),
    ("DELETE FROM t WHERE 1", {"bounded": False}, True),
    ("DELETE FROM t WHERE id = 1", {"bounded": False}, False),
    ("DELETE FROM t WHERE id = 1", {"bounded": True}, True),
    ("DELETE FROM t WHERE id > 1", {"bounded": False}, None),
    ("DELETE FROM t WHERE id > 1", {"bounded": True}, None),
    ("SELECT * FROM t", {"bounded": False}, False),
    ("DELETE FROM t WHERE id = 1; UPDATE u SET a = 1", {"effect": "delete", "bounded": False}, False),
    ("DELETE FROM t WHERE id = 1; UPDATE u SET a = 1", {"table": "u", "bounded": False}, True),
    ("DELETE FROM t WHERE (", {"effect": "delete"}, None),
    ("DELETE FROM t WHERE (", {"effect": "unknown"}, True),
    ("DELETE FROM t WHERE (", {"effect": "unknown", "table": "t"}, None),
    ("DELETE FROM t WHERE (", {"effect": ["unknown", "delete"], "bounded": False}, None),
    ("TRUNCATE TABLE t", {"effect": "truncate", "bounded": False}, True),
    ("TRUNCATE TABLE t", {"bounded": True}, False),
    ("DELETE FROM t", {"effect": None, "table": "t"}, True),
    ("SELECT own(1) FROM t", {"effect": "read"}, True),
    ("SELECT own(1) FROM t", {"effect": "drop"}, None),
    ("CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM u; END", {"effect": "create"}, True),
    ("CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM u; END", {"effect": "delete"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fields", "truth"), FITS)
def test_one_act_of_a_statement_has_to_fit_in_everything(text: str, fields: Data, truth: Truth) -> None:
    assert found(sent(text), sql(**fields)).truth is truth


def test_a_finding_names_the_statement_its_effects_and_why() -> None:
    result = found(sent("SELECT 1", "DELETE FROM t"), sql(effect="delete"))
    assert result.why == "delete at step 2"
    told = {"effects": ["delete"], "why": "nothing restricts the rows of t", "reported_by": "runner"}
    assert result.evidence == ({"kind": "sql", "step": 2, "sql": "DELETE FROM t", **told},)
    unknown = found(sent("VACUUM"), sql(effect="delete"))
    assert unknown.why == "step 1 (sql) may be such a statement: 'VACUUM' begins no statement that is known"
    assert found(sent("SELECT 1"), sql(effect="delete")).why == "no such statement"
    assert found(sent("DROP TABLE t", "DROP TABLE u"), sql(effect="drop")).why == "drop at step 1 and 1 more"
    by_data = found(sent("DELETE FROM t WHERE id > 1"), sql(bounded=False))
    assert by_data.why == "step 1 (sql) may be such a statement: its text does not tell"


def test_a_finding_says_what_was_found_and_nothing_else() -> None:
    replaced = found(sent("REPLACE INTO t VALUES (1)"), sql(table="t"))
    assert replaced.why == "delete, insert at step 1"
    few = found(sent("VACUUM"), sql(effect="drop", count={"ge": 2}))
    assert (few.truth, few.why) == (False, "no such statement")
    early = found(sent("SELECT 1"), sql(effect="drop"), ends=False)
    assert (early.truth, early.why) == (None, "no such statement")


def test_statements_are_counted_one_by_one() -> None:
    run = sent("DROP TABLE a; DROP TABLE b", "DROP TABLE c")
    assert found(run, sql(effect="drop", count=3)).truth is True
    assert found(run, sql(effect="drop", count={"le": 2})).truth is False
    assert found(run, sql(effect="drop", count=3), ends=False).truth is None


MISSING: list[Action] = [
    act("sql", 1), act("sql", 1, text=None), act("sql", 1, text={"$hmac": "x"}),
    act("sql", 1, sql="SELECT 1", text="x"),
    act("sql", 1, statements=["SELECT 1"]), act("database", 1, text="SELECT 1"),
]  # fmt: skip


@pytest.mark.parametrize("missing", MISSING)
def test_a_statement_that_is_not_there_cannot_be_told(missing: Action) -> None:
    result = found(acted(missing), sql(effect="delete"))
    assert result.truth is None
    assert result.why == f"step 1 ({missing.kind}) may be such a statement: its statement is not there"
    shown: Data = {"kind": "sql", "step": 1, "reported_by": "runner", "args": dict(missing.args)}
    assert result.evidence == (shown,)


@pytest.mark.parametrize("name", ["text", "sql", "stmt", "statement", "query"])
def test_a_statement_may_be_called_otherwise_by_a_runner(name: str) -> None:
    said: dict[str, Value] = {name: "DROP TABLE t"}
    for raw in (said, {"args": said}):
        done = normalise({"kind": "sql", **raw}, seq=1, reported_by="runner")
        assert found(acted(done), sql(effect="drop")).truth is True


def test_an_attempt_counts_also_one_that_was_refused() -> None:
    refused = act("sql", 1, text="DROP TABLE t", error="no such table: t")
    assert found(acted(refused), sql(effect="drop")).truth is True


def test_other_kinds_of_action_are_no_statements() -> None:
    run = acted(act("tool", 1, tool="sql", text="DROP TABLE t"), act("shell", 2, text="sqlite3 db 'DROP TABLE t'"))
    assert found(run, sql(effect="drop")).truth is False


QUOTED = "SELECT 'a\\'; DROP TABLE t; -- '"


def test_the_dialect_of_the_rule_decides_then_the_runners_and_never_the_agents() -> None:
    assert found(sent(QUOTED), {"sql": {"effect": "drop"}}).truth is None
    assert found(sent(QUOTED), sql(effect="drop")).truth is True
    assert found(sent(QUOTED), sql(effect="drop", dialect="mysql")).truth is False
    assert found(sent(QUOTED, dialect="mysql"), {"sql": {"effect": "drop"}}).truth is False
    assert found(sent(QUOTED, dialect="mysql"), sql(effect="drop")).truth is True
    assert found(sent(QUOTED, by="agent", dialect="mysql"), {"sql": {"effect": "drop"}}).truth is None
    assert found(sent(QUOTED, dialect="oracle"), {"sql": {"effect": "drop"}}).truth is None


TIERS: list[Tier] = ["veto", "must", "bonus"]


def test_what_only_the_agent_reports_proves_nothing_and_counts_against_it() -> None:
    run = sent("DELETE FROM t", by="agent")
    truths = [found(run, sql(effect="delete"), tier).truth for tier in TIERS]
    assert truths == [True, None, None]
    assert found(run, {"not": sql(effect="delete")}, "veto").truth is True
    assert found(sent("DELETE FROM t"), {"not": sql(effect="delete")}, "veto").truth is False
    assert found(run, sql(effect="delete"), "must").why == "only the agent says so (step 1)"


DONE = change("n", to=2)
OUTCOMES: list[tuple[str, Outcome]] = [
    ("SELECT 1", "passed"), ("DELETE FROM t", "vetoed"), ("DELET FROM t", "undecided"), ("SELECT own(1)", "undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "outcome"), OUTCOMES)
def test_a_statement_that_is_not_understood_makes_a_veto_undecided(text: str, outcome: Outcome) -> None:
    assert judged(sent(text), DONE, veto=[sql(effect="delete")]).outcome == outcome


def test_a_statement_has_a_moment() -> None:
    run = sent("SELECT 1", "DELETE FROM t", "DROP TABLE t")
    order: list[Value] = [dict(sql(effect="delete")), dict(sql(effect="drop"))]
    assert found(run, {"order": order}, "bonus").truth is True
    assert found(run, {"order": order[::-1]}, "bonus").truth is False
    claimed = sent("DELETE FROM t", "DROP TABLE t", by="agent")
    assert found(claimed, {"order": order}, "veto").truth is True
    assert found(claimed, {"order": order}, "must").truth is False
    free = sql(effect="drop", unless_after=sql(effect="delete"))
    assert found(run, free).truth is False
    assert found(sent("DROP TABLE t"), free).truth is True
    twice = sent("DELETE FROM t", "DROP TABLE t; DROP TABLE u")
    assert found(twice, free).why == "drop at step 2"
    lifted = change("n", unless_after=sql(effect="delete"))
    assert found(sent("DELETE FROM t", "SELECT 1"), lifted).truth is False
    assert found(sent("DELETE FROM t", "SELECT 1", by="agent"), lifted).truth is True


ACTIONS: list[tuple[Action, Data, Truth]] = [
    (act("sql", 1, text="DELETE FROM t"), {"kind": "sql", "effect": "delete"}, True),
    (act("sql", 1, text="DELETE FROM t"), {"effect": ["delete", "drop"]}, True),
    (act("sql", 1, text="SELECT 1"), {"effect": "delete"}, False),
    (act("sql", 1, text="DELET"), {"effect": "delete"}, None),
    (act("sql", 1, text="DELET"), {"effect": "unknown"}, True),
    (act("sql", 1), {"effect": "delete"}, None),
    (act("shell", 1, command="rm -rf /srv"), {"kind": "shell", "effect": "delete"}, None),
    (act("shell", 1, command="rm -rf /srv"), {"kind": "shell", "effect": "unknown"}, True),
    (act("shell", 1, command=" "), {"effect": "delete"}, False),
    (act("shell", 1, command="SELECT 1"), {"effect": "delete"}, None),
    (act("shell", 1, cmd="ls"), {"effect": "delete"}, None),
    (act("script", 1, code="fetch('/x')"), {"effect": "delete"}, None),
    (act("shell", 1, command="ls"), {"kind": "script", "effect": "delete"}, False),
    (act("click", 1), {"effect": "delete"}, False),
    (act("tool", 1, tool="t"), {"effect": "delete"}, False),
    (act("odd", 1), {"effect": "delete"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("done", "fields", "truth"), ACTIONS)
def test_the_effect_of_a_command_or_script_is_not_known(done: Action, fields: Data, truth: Truth) -> None:
    assert found(acted(done), {"action": fields}).truth is truth


def test_an_effect_is_asked_beside_everything_else() -> None:
    run = acted(act("sql", 1, text="DELETE FROM t", server="a"))
    assert found(run, {"action": {"effect": "delete", "args": {"server": "a"}}}).truth is True
    assert found(run, {"action": {"effect": "delete", "args": {"server": "b"}}}).truth is False
    shell = found(acted(act("shell", 1, command="ls")), {"action": {"kind": "shell", "effect": "file"}})
    assert shell.why == "step 1 (shell) may be such an action: what it ran cannot be told"


WRONG: list[tuple[Data, str]] = [
    ({"sql": {}}, "say which statements"), ({"sql": {"dialect": "sqlite"}}, "say which statements"),
    ({"sql": {"effect": "delet"}}, "no effect is called 'delet'"), ({"sql": {"effect": []}}, "at least one effect"),
    ({"sql": {"effect": ["read", "x"]}}, "no effect is called 'x'"), ({"sql": {"table": ""}}, "at least 1 character"),
    ({"sql": {"effect": "read", "bounded": True}}, "`bounded` speaks of"), ({"sql": {"effect": "read",
    "in": "db"}}, "in"),
    ({"sql": {"effect": "read", "dialect": "oracle"}}, "sqlite"), ({"sql": {"effect": "read",
    "count": "all"}}, "count"),
    ({"action": {"effect": "x"}}, "no effect is called 'x'"),
    ({"action": {"kind": "click", "effect": "read"}}, "`effect` is known of sql, shell and script, and of no click"),
    ({"action": {"tool": "run", "effect": "read"}}, "`effect` is known of sql, shell and script, and of no tool"),
    *(({"sql": {"table": item}}, "`table` is one name") for item in ('"t"', "[t]", "`t`", "t*", " t", "a. t", "a.")),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "why"), WRONG)
def test_what_a_rule_cannot_say_is_refused(rule: Data, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Condition.model_validate(rule)


def test_a_rule_says_what_it_is() -> None:
    rule = Condition.model_validate(sql(effect="drop", unless_after=action("reply")))
    assert (rule.kind, rule.title(), [part.kind for part in rule.walk()]) == ("sql", "sql", ["sql", "action"])
    assert rule.sources(["db"]) == frozenset()


def test_an_action_fits_if_one_of_its_statements_does() -> None:
    rule = SqlRule.model_validate({"effect": "drop"})
    run = sent("SELECT 1; DROP TABLE t", "SELECT own(1); SELECT 1", "SELECT 1")
    assert [rule.fits(action, Evaluation(run)) for action in run.actions] == [True, None, False]
