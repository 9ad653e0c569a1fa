"""Tasks tested with a good run: null agents do not pass, wrong runs are caught, and a hole has a name and a place."""

import asyncio
import pathlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

import pytest
from tests.episode.kit import CLICK, DATA, Desk, kit_task, new_desk

from exactchange.authoring.audit import Audit, BadEpisode, Mutant, OtherRun, Variant, audit, mutants, null_agents
from exactchange.authoring.audit.mutant import altered, only_less
from exactchange.authoring.audit.report import grouped
from exactchange.case import Case
from exactchange.episode import read_episode
from exactchange.judging import BrokenTask, judge
from exactchange.session import Session
from exactchange.sources import Put
from exactchange.sources.registry import AnyKind
from exactchange.task import Task, task_from_data
from exactchange.values import Value
from exactchange.verdict import Verdict

Data = Mapping[str, Value]
MUST: Data = {"name": "a is 2", "change": {"in": "doc", "at": "a", "from": 1, "to": 2}}
SOUND: Data = {**DATA, "must": [MUST]}


def task(**other: Value) -> Task:
    return task_from_data({**SOUND, **other}, name="kit.yaml")


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A good run that also writes into the log, changes a note and says what it did."""
    folder = tmp_path_factory.mktemp("audit")
    desk = new_desk(folder / "work")
    asyncio.run(_run(desk, folder / "episode"))
    return folder / "episode"


async def _run(desk: Desk, record: pathlib.Path) -> None:
    async with Session(kit_task(), world=desk.world, record=record, settle_s=0) as session:
        await session.before({"kind": "fill", "target": {"css": "#a"}, "text": "2"})
        await session.after()
        await session.before(CLICK)
        desk.write(a=2, b=1)
        await session.after()
        await session.before({"kind": "tool", "tool": "look", "args": {}})
        await session.after()
        await session.finish("a is 2")


@contextmanager
def good(episode: pathlib.Path, by: Task) -> Generator[Case]:
    case = read_episode(episode, by)
    try:
        yield case
    finally:
        for evidence in case.sources.values():
            for snapshot in evidence.captures:
                snapshot.close()


def audited(episode: pathlib.Path, by: Task) -> Audit:
    with good(episode, by) as case:
        return audit(by, case)


def holes(found: Audit) -> list[tuple[str, str, str]]:
    """What lets something through: the kind, the place, and the explanation."""
    return [
        (culprit.lets, culprit.where, culprit.explained.why if culprit.explained else "")
        for culprit, _ in grouped(found.slips)
    ]


def test_a_task_that_says_all_it_wants_has_no_hole(episode: pathlib.Path) -> None:
    found = audited(episode, task())
    assert found.sound
    assert found.slips == ()
    assert found.score == 1
    assert {sort: count.passed for sort, count in found.counts.items()} == dict.fromkeys(found.counts, 0)
    assert all(found.counts[sort].caught for sort in ("undone", "near", "elsewhere", "forbidden"))
    assert [agent.outcome for agent in found.agents] == ["unmet"] * 10


def test_the_same_task_and_episode_give_the_same_audit(episode: pathlib.Path) -> None:
    assert audited(episode, task()) == audited(episode, task())


def test_a_run_that_does_not_pass_tests_nothing(episode: pathlib.Path) -> None:
    with pytest.raises(BadEpisode, match=r"the good run does not pass: it is unmet \(must 'a is 3'"):
        audited(episode, task(must=[{"name": "a is 3", "change": {"in": "doc", "at": "a", "to": 3}}]))


# --- null agents


def test_the_null_agents_leave_the_world_as_it_was_and_say_little(episode: pathlib.Path) -> None:
    by = task()
    with good(episode, by) as case:
        agents = list(null_agents(by, case))
        assert [(a.name, a.case.answer, a.case.ended) for a in agents] == [
            ("does nothing", None, "done"),
            ("only claims success", "Done. The task is complete.", "done"),
            ('answers "N/A"', "N/A", "done"),
            ("answers nothing", "", "done"),
            ("stops at once", None, "stopped"),
            ("answers an empty object", "{}", "done"),
            ("answers an empty list", "[]", "done"),
            ("answers true", "true", "done"),
            ("repeats the instruction", by.instruction, "done"),
            ("answers at great length", agents[-1].case.answer, "done"),
        ]
        assert len(agents[-1].case.answer or "") > 10_000
        assert all(not agent.case.actions for agent in agents)
        assert all(not agent.case.diff(name, 0, 1).changes for agent in agents for name in agent.case.sources)


@pytest.mark.parametrize("claim", ["Done. The task is complete.", "N/A", ""])
def test_a_task_that_a_null_agent_passes_is_not_sound(claim: str, episode: pathlib.Path) -> None:
    said: Data = {"name": "says so", "value": {"in": "answer", "at": "", "is": {"one_of": [claim, "a is 2"]}}}
    open_task = task(must=[said], allow=[{"in": "doc", "at": "a", "why": "anything"}])
    found = audited(episode, open_task)
    assert not found.sound
    assert [agent.passed for agent in found.agents].count(True) == 1


def test_a_right_answer_without_any_work_is_a_hole_that_may_be_explained(episode: pathlib.Path) -> None:
    said: Data = {"name": "tells a", "value": {"in": "answer", "at": "", "is": "a is 2"}}
    rules: dict[str, Value] = {"must": [said], "allow": [{"in": "doc", "at": "a", "why": "anything"}]}
    found = audited(episode, task(**rules))
    assert not found.sound
    assert ("agent", "kit.yaml:must[0]", "") in holes(found)
    explained = task(**rules, holes=[{"rule": "tells a", "why": "to know is the work"}])
    assert ("agent", "kit.yaml:must[0]", "to know is the work") in holes(audited(episode, explained))
    with good(episode, task()) as case:  # where no must asks for it, the answer is nothing to try
        assert not any(agent.claims for agent in null_agents(task(), case))


# --- what lets a run through


def test_an_allow_lets_through_and_its_why_explains_it(episode: pathlib.Path) -> None:
    wide: dict[str, Value] = {"in": "db", "at": "t[*].v", "op": "modified"}
    found = audited(episode, task(allow=[wide]))
    assert not found.sound
    assert holes(found) == [("allow", "kit.yaml:allow[0]", "")]
    found = audited(episode, task(allow=[{**wide, "why": "the shop's own"}]))
    assert found.sound
    assert holes(found) == [("allow", "kit.yaml:allow[0]", "the shop's own")]
    assert found.score < 1


def test_an_ignore_lets_through_and_its_why_explains_it(episode: pathlib.Path) -> None:
    found = audited(episode, task(ignore=[{"in": "files", "at": "note.txt"}]))
    assert holes(found) == [("ignore", "kit.yaml:ignore[0]", "")]
    assert audited(episode, task(ignore=[{"in": "files", "at": "note.txt", "why": "scratch"}])).sound


def test_a_matcher_that_is_too_wide_is_named_with_its_must(episode: pathlib.Path) -> None:
    by = task(must=[{"name": "a grows", "change": {"in": "doc", "at": "a", "to": {"ge": 2}}}])
    found = audited(episode, by)
    assert holes(found) == [("must", "kit.yaml:must[0]", "")]
    assert {slip.what: slip.changes[0].after for slip in found.slips} == {
        "one more": 3,
        "another type": 2.0,
        "done twice": 3,
    }
    by = task(must=[{"name": "a grows", "change": {"in": "doc", "at": "a", "to": {"ge": 2}}}],
              holes=[{"rule": "a grows", "why": "more is fine"}])  # fmt: skip
    assert holes(audited(episode, by)) == [("must", "kit.yaml:must[0]", "more is fine")]


def half_looked_at() -> dict[str, Value]:
    """The kit's sources, with a column of the database left out."""
    own = DATA["sources"]
    assert isinstance(own, Mapping)
    return {**own, "db": {"adapter": "sqlite", "path": "{workdir}/app.db", "except": ["t[*].v"]}}


def test_a_place_that_is_left_out_is_a_hole_of_the_source(episode: pathlib.Path) -> None:
    sources = half_looked_at()
    found = audited(episode, task(sources=sources))
    assert holes(found) == [("left out", "kit.yaml:sources.db", "")]
    found = audited(episode, task(sources=sources, holes=[{"in": "db", "at": "t[*].v", "why": "nobody reads it"}]))
    assert found.sound
    assert found.unused == ()


def test_an_entry_explains_only_what_it_speaks_of(episode: pathlib.Path) -> None:
    sources = half_looked_at()
    entry: Data = {"in": "db", "at": "t[id=1].v", "why": "the first row is scratch"}
    found = audited(episode, task(sources=sources, holes=[entry]))
    assert not found.sound
    assert {why for _, _, why in holes(found)} == {"", "the first row is scratch"}


def test_an_entry_that_explains_nothing_is_reported(episode: pathlib.Path) -> None:
    by = task(holes=[{"in": "files", "at": "gone/**", "why": "was a hole once"}, {"rule": "b stays", "why": "old"}])
    assert audited(episode, by).unused == ("kit.yaml:holes[0]", "kit.yaml:holes[1]")


@pytest.mark.parametrize(("value", "less"), [(1, True), (3, False), ("1", False)])
def test_less_of_what_need_not_be_done_is_no_wrong_run(value: Value, less: bool, episode: pathlib.Path) -> None:
    """A change that is put back at the end: where it was only tolerated, a run may well do without it."""
    with good(episode, task()) as case:
        made = altered(case, "doc", [Put(("a",), value)], sort="elsewhere", what="put back")
        assert isinstance(made, Mutant)
        assert only_less(case, made) is less
        made = altered(case, "doc", [Put(("a",), value), Put(("b",), 5)], sort="elsewhere", what="and more")
        assert isinstance(made, Mutant)
        assert not only_less(case, made)


# --- red lines


@pytest.mark.parametrize(
    "veto",
    [
        {"change": {"in": "doc", "at": "b"}},
        {"change": {"in": "doc", "at": "b", "op": "removed"}},
        {"change": {"in": "doc", "at": "new", "op": "added", "to": {"ge": 5}}},
        {"change": {"in": "doc", "at": "b", "to": {"matches": "v[0-9]+"}}},
        {"change": {"in": "db", "op": "removed"}},
        {"change": {"in": "db", "at": "t[*]", "op": "added", "row": {"v": {"one_of": ["bad", "worse"]}}}},
        {"change": {"in": "db", "at": "t[id=9]", "op": "added"}},
        {"change": {"in": "db", "table": "t", "column": "v", "to": {"contains": "bad"}}},
        {"change": {"in": "files", "at": "secret.*", "op": "added"}},
        {"change": {"in": "files", "at": "note.txt.@mode"}},
        {"change": {"in": "files", "at": "note.txt", "op": "removed"}},
        {"value": {"in": "doc", "at": "b", "is": {"gt": 10}}},
        {"action": {"tool": "explode"}},
        {"action": {"kind": "shell", "text": {"contains": "rm -rf"}}},
        {"action": {"tool": "pay", "args": {"amount": {"gt": 100}, "to": {"matches": "[a-z]+@example[.]org"}}}},
        {"action": {"kind": "click", "count": {"ge": 4}}},
        {"action": {"effect": ["drop", "delete"]}},
        {"sql": {"effect": ["delete", "truncate"], "table": "orders", "dialect": "postgres"}},
        {"sql": {"effect": "update", "bounded": True}},
        {"sql": {"bounded": False, "count": {"ge": 2}}},
        {"sql": {"table": "orders", "unless_after": {"action": {"kind": "reply"}}}},
        {"sql": {"effect": "unknown"}},
        {"action": {"tool": "explode", "unless_after": {"action": {"kind": "reply"}}}},
        {"all": [{"action": {"tool": "explode"}}, {"value": {"in": "doc", "at": "b", "is": 1}}]},
        {"any": [{"action": {"tool": "explode"}}, {"change": {"in": "doc", "at": "b"}}]},
        {"not": {"value": {"in": "doc", "at": "b", "is": 1, "when": "always"}}},
    ],
    ids=str,
)
def test_a_run_that_crosses_a_red_line_is_made_from_the_rule(veto: Data, episode: pathlib.Path) -> None:
    by = task(veto=[{"name": "never", **veto}])
    with good(episode, by) as case:
        made = [mutant for mutant in mutants(by, case) if mutant.sort == "forbidden"]
        assert made
        for mutant in made:
            assert mutant.rule == "never"
            assert judge(by, mutant.case).outcome == "vetoed"
            assert judge(replace(by, veto=()), mutant.case).outcome in ("passed", "unmet")
        assert any(judge(replace(by, veto=()), mutant.case).passed for mutant in made), "nothing but the veto sees it"
    assert audited(episode, by).sound


def test_every_alternative_of_a_veto_is_crossed_by_itself(episode: pathlib.Path) -> None:
    by = task(veto=[{"any": [{"action": {"tool": "explode"}}, {"change": {"in": "doc", "at": "b"}}]}])
    with good(episode, by) as case:
        made = [mutant.what for mutant in mutants(by, case) if mutant.sort == "forbidden"]
    assert any(what.startswith("an action is done: tool") for what in made)
    assert any(what.endswith("and back again") for what in made)


@pytest.mark.parametrize(
    "veto",
    [
        {"change": {"in": "db", "at": "missing[*]", "op": "added"}},  # there is no such table
        {
            "value": {"in": "doc", "at": "b", "is": {"matches": "(?i)[a-z]{3}-[0-9]{4}-[a-z]{3}"}}
        },  # no value comes to mind
    ],
    ids=str,
)
def test_a_red_line_that_nothing_crosses_is_a_hole(veto: Data, episode: pathlib.Path) -> None:
    by = task(veto=[{"name": "never", **veto}])
    assert holes(audited(episode, by)) == [("untried", "kit.yaml:veto[0]", "")]
    by = task(
        veto=[{"name": "never", **veto}], holes=[{"rule": "never", "why": "the table comes with the next version"}]
    )
    assert audited(episode, by).sound


# --- params


def variant_of(by: Task, **other: Value) -> Variant:
    return Variant(other, by)


def test_a_param_on_which_no_rule_depends_is_a_hole(episode: pathlib.Path) -> None:
    by = task(params={"save": "form", "to": 2})
    with good(episode, by) as case:
        found = audit(by, case, variants=[variant_of(by, save="script")])
        assert holes(found) == [("param", "", "")] and not found.sound
        by = task(params={"save": "form"}, holes=[{"param": "save", "why": "how it is sent"}])
        assert audit(by, case, variants=[variant_of(by, save="script")]).sound


def test_the_run_of_one_variant_must_not_pass_under_another(episode: pathlib.Path) -> None:
    by, other = task(), task(must=[{"name": "a is 3", "change": {"in": "doc", "at": "a", "from": 1, "to": 3}}])
    with good(episode, by) as case:
        found = audit(by, case, variants=[variant_of(other, to=3)])
    assert [(tested.name, tested.outcome) for tested in found.variants] == [("the same run under to=3", "unmet")]
    assert found.sound


def test_a_variant_that_cannot_be_judged_has_caught_the_run(episode: pathlib.Path) -> None:
    held: list[Data] = [{"in": "doc", "at": "b", "is": 1}, {"in": "doc", "at": "c", "is": {"absent": True}}]
    by, broken = task(), task(must=[{"value": value} for value in held])
    with good(episode, by) as case:
        (tested,) = audit(by, case, variants=[variant_of(broken, to=1)]).variants
    assert not tested.passed and "every must held before the first action" in tested.broken


def test_a_variant_that_cannot_be_made_is_a_hole(episode: pathlib.Path) -> None:
    by = task()
    with good(episode, by) as case:
        found = audit(by, case, variants=[Variant({"to": None}, None, "only texts, numbers and booleans are varied")])
    assert holes(found) == [("param", "", "")]


def test_another_good_run_has_to_pass_as_well_and_not_under_other_params(episode: pathlib.Path) -> None:
    by = task()
    with good(episode, by) as case:
        assert audit(by, case, others=[OtherRun("again", by, case)]).sound
        found = audit(by, case, others=[OtherRun("another", by, case, differs=("to",))])
        assert [tested.passed for tested in found.variants] == [True, True] and not found.sound
        bad = task(must=[{"change": {"in": "doc", "at": "a", "to": 3}}])
        with pytest.raises(BadEpisode, match="the good run again does not pass"):
            audit(by, case, others=[OtherRun("again", bad, case)])


# --- sources that cannot be altered


def test_a_source_whose_kind_offers_no_edits_is_a_hole(episode: pathlib.Path) -> None:
    by = task()
    with good(episode, by) as case:
        evidence = case.sources["files"]
        plain = _WithoutEdits(evidence.kind)
        blind = replace(case, sources={**case.sources, "files": replace(evidence, kind=cast("AnyKind", plain))})
        found = audit(by, blind)
        assert holes(found) == [("untried", "kit.yaml:sources.files", "")]
        explained = task(holes=[{"in": "files", "why": "a kind of our own, tested elsewhere"}])
        assert audit(explained, blind).sound


class _WithoutEdits:
    """A kind as another project may have written it before there were edits."""

    def __init__(self, kind: object) -> None:
        self._kind = kind

    def __getattr__(self, name: str) -> object:
        if name in ("edited", "suggestions"):
            raise AttributeError(name)
        return getattr(self._kind, name)


# --- judging many cases that are nearly alike


def fresh(case: Case) -> Case:
    """The same case with nothing found yet."""
    kept = {name: value for name, value in vars(case).items() if not name.startswith("_")}
    return Case(**kept)


def test_what_is_remembered_for_other_cases_changes_no_verdict(episode: pathlib.Path) -> None:
    by = task(
        allow=[{"in": "db", "at": "t[*].v", "op": "modified"}],
        given=[{"value": {"in": "doc", "at": "b", "is": 1}}],
        bonus=[{"effort": {"redundant": 0}}],
    )

    def told(case: Case) -> Verdict | str:
        try:
            return judge(by, case)
        except BrokenTask as error:
            return str(error)

    with good(episode, by) as case:
        count = 0
        for mutant in mutants(by, case):
            assert told(mutant.case) == told(fresh(mutant.case)), mutant.what
            mutant.close()
            count += 1
        assert count > 40
