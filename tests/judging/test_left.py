"""What musts, `allow` and `ignore` say of documents that came or left, on pages made by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from pydantic import BaseModel
from tests.judging.kit import Data, allow, change, finding, judged, left, value
from tests.language.worlds import done

from exactchange.case import Case, Evidence
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.snapshot import Mark, Unread
from exactchange.sources import Match
from exactchange.values import Value
from exactchange.verdict import Outcome, Verdict
from exactchange_adapters.browser.kind import BrowserKind
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack

Shown = tuple[str, Mapping[str, Value]]
"""Which document a page shows, and its fields."""
ANSWER = value("", "done", source="answer")
WANTED = change("#a.value", source="page", to="x")
SECRET = "hmac:" + "0" * 64


def page(shown: Shown, step: int) -> PageSnapshot:
    name, fields = shown
    elements = {f"#{field}": {"value": held} for field, held in fields.items()}
    tree: Mapping[str, Value] = {"@url": f"http://127.0.0.1/{name}", "@cookies": {}, "@text": [name], **elements}
    return PageSnapshot("browser", tree, Mark(step), documents=(StoredDocument((), pack("[]"), 1, name),))


def verdict(
    *shown: Shown,
    must: Sequence[Data] = (ANSWER,),
    allowed: Data | None = None,
    ignored: Data | None = None,
    kind: BrowserKind | None = None,
) -> Verdict:
    """The verdict where a page showed this one after another."""
    captures = [page(item, step) for step, item in enumerate(shown)]
    return of_captures(captures, must=must, allowed=allowed, ignored=ignored, kind=kind)


def of_captures(
    captures: Sequence[PageSnapshot],
    *,
    must: Sequence[Data] = (ANSWER,),
    allowed: Data | None = None,
    ignored: Data | None = None,
    kind: BrowserKind | None = None,
    closed: tuple[str, ...] = ("controls",),
    actions: int | None = None,
) -> Verdict:
    """The verdict on these captures, of a task that closes the controls."""
    evidence = Evidence("page", kind or BrowserKind(), BrowserParams(closed=closed), tuple(captures))
    steps = len(captures) - 1 if actions is None else actions
    case = Case({"page": evidence}, done([{"kind": "click"}] * steps), answer="done")
    return judged(case, *must, allow=_few(allowed), ignore=_few(ignored))


def _few(rule: Data | None) -> Sequence[Data]:
    return [] if rule is None else [rule]


EMPTY: Mapping[str, Value] = {"a": ""}
FULL: Mapping[str, Value] = {"a": "x"}
OTHER: Mapping[str, Value] = {"a": "y"}
NONE: Mapping[str, Value] = {}
MUSTS: list[tuple[Data, list[Shown], list[str]]] = [
    (WANTED, [("1", EMPTY), ("1", FULL), ("2", EMPTY), ("2", FULL)], []),  # it was asked for there as well
    (WANTED, [("1", EMPTY), ("1", OTHER), ("2", EMPTY), ("2", FULL)], ["#a.value"]),
    (WANTED, [("1", NONE), ("2", EMPTY), ("2", FULL)], []),  # added from start to end, modified in its document
    (change("#a.value", source="page", op="added", to="x"), [("1", NONE), ("2", EMPTY), ("2", FULL)], []),
    (change("#a.value", source="page", to={"not": "y"}), [("1", EMPTY), ("1", NONE), ("2", FULL)], ["#a.value"]),
    (change("#a.value", source="page", to="x", count=0), [("1", EMPTY), ("1", FULL), ("2", EMPTY)], ["#a.value"]),
    ({"not": WANTED}, [("1", EMPTY), ("1", FULL), ("2", EMPTY)], ["#a.value"]),
    (change("#a.value", source="page", to="x", when="ever"), [("1", EMPTY), ("1", FULL), ("2", EMPTY)], ["#a.value"]),
    (ANSWER, [("1", EMPTY), ("2", FULL)], []), (ANSWER, [("1", EMPTY), ("2", NONE)], []),
    (ANSWER, [("1", EMPTY), ("1", FULL), ("2", FULL)], ["#a.value"]),
]  # fmt: skip


@pytest.mark.parametrize(("must", "shown", "rest"), MUSTS)
def test_what_a_must_asks_for_is_explained_in_every_document(must: Data, shown: list[Shown], rest: list[str]) -> None:
    assert left(verdict(*shown, must=[must, ANSWER])) == rest


def test_a_must_is_met_by_the_end_alone() -> None:
    failed = verdict(("1", EMPTY), ("1", FULL), ("2", EMPTY), must=[WANTED, ANSWER])
    assert (failed.outcome, finding(failed, "must").holds, left(failed)) == ("unmet", False, [])


def test_of_any_only_the_alternative_that_is_taken_speaks() -> None:
    other = change("#b.value", source="page", to="x")
    fields = ({"a": "", "b": ""}, {"a": "x", "b": ""}, {"a": "", "b": ""}, {"a": "", "b": "x"})
    both: list[Shown] = list(zip("1122", fields, strict=True))
    assert left(verdict(*both, must=[{"any": [WANTED, other]}])) == ["#a.value"]
    assert left(verdict(*both, must=[{"any": [WANTED, other]}], allowed=allow("#a.*", source="page"))) == []


DOUBTFUL: list[tuple[Data | None, Data | None, Outcome]] = [
    (None, None, "unmet"), (None, allow("#a.value", source="page", to={"contains": "7"}), "undecided"),
    (change("#a.value", source="page", to={"contains": "7"}), None, "unmet"),
    (None, allow("#a.value", source="page", to={"contains": "7"}, max=0), "undecided"),
    (None, allow("#a.value", source="page", to={"same": "n"}), "undecided"),
    (None, allow("#a.value", source="page"), "passed"),
]  # fmt: skip


@pytest.mark.parametrize(("must", "allowed", "outcome"), DOUBTFUL)
def test_a_change_that_may_be_allowed_is_undecided(must: Data | None, allowed: Data | None, outcome: Outcome) -> None:
    shown: list[Shown] = [("1", EMPTY), ("1", {"a": SECRET}), ("2", NONE)]
    musts = [ANSWER] if must is None else [ANSWER, must]
    assert verdict(*shown, must=musts, allowed=allowed).outcome == outcome


def test_what_is_ignored_in_a_document_that_left_is_said() -> None:
    shown: list[Shown] = [("1", EMPTY), ("1", FULL), ("2", NONE)]
    found = verdict(*shown, ignored=allow("#a.value", source="page", to="x"))
    assert (found.outcome, [item.change.at["step"] for item in found.ignored]) == ("passed", [1])
    assert verdict(*shown, ignored=allow("#a.value", source="page", to="y")).outcome == "unmet"


class _Bounded(BrowserKind):
    """Looks through no page of which it is told to look at one document only."""

    def select(self, snapshot: PageSnapshot, selector: BaseModel, *, budget: Budget) -> Sequence[Match]:
        if "@cookies" not in _tree(snapshot):
            raise OverBudget("more than is looked through")
        return ()


def _tree(snapshot: PageSnapshot) -> Mapping[str, Value]:
    return snapshot.tree if isinstance(snapshot.tree, Mapping) else {}


def test_a_value_that_nobody_can_look_through_in_a_document_that_left_is_undecided() -> None:
    rule: Data = {"value": {"in": "page", "css": "#a", "is": "x"}}
    found = finding(verdict(("1", EMPTY), ("1", FULL), ("2", NONE), must=[rule, ANSWER], kind=_Bounded()), "must")
    assert (found.holds, "too much to look through" in found.why) == (None, True)


def test_what_is_judged_from_start_to_end_is_allowed_once_whatever_document_showed_it() -> None:
    shown: list[Shown] = [("1", EMPTY), ("1", FULL), ("2", NONE)]
    captures = [page(item, step) for step, item in enumerate(shown)]
    captures[1] = replace(captures[1], tree={**_tree(captures[1]), "@text": ["other"]})
    found = of_captures(captures, allowed=allow("@text[*]", source="page"))
    assert [(item.change.before, item.change.after) for item in found.allowed] == [("1", "2")]


def test_a_list_that_fills_what_was_empty_is_its_items_in_every_document() -> None:
    filled: list[Shown] = [("1", {"a": None}), ("1", {"a": ["x", "y"]})]
    for shown in (filled, [*filled, ("2", NONE)]):
        assert left(verdict(*shown)) == ["#a.value[0]", "#a.value[1]"]


@pytest.mark.parametrize("rule", ["must", "allow", "ignore"])
def test_what_nobody_can_look_through_in_a_document_is_undecided(rule: str) -> None:
    shown: list[Shown] = [("1", EMPTY), ("1", FULL), ("2", NONE)]
    css: Data = {"in": "page", "css": "#a"}
    musts: list[Data] = [ANSWER, {"change": {**css, "count": {"ge": 0, "le": 9}}}] if rule == "must" else [ANSWER]
    patterns = {name: css for part, name in (("allow", "allowed"), ("ignore", "ignored")) if part == rule}
    found = verdict(*shown, must=musts, kind=_Bounded(), **patterns)
    assert (found.outcome, left(found)) == ("undecided", ["#a.value"])


CUT = Unread(("#a", "value"), "#a.value", "it is too long to read")
AT_TOP = Unread((), "", "the page did not answer")


def stepped(*shown: tuple[int, Shown]) -> list[PageSnapshot]:
    return [page(item, step) for step, item in shown]


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_what_is_unread_of_a_closed_document_as_it_first_or_last_was_is_undecided(number: int, closed: bool) -> None:
    captures = [page(item, step) for step, item in enumerate([("1", EMPTY), ("1", EMPTY), ("2", EMPTY), ("2", EMPTY)])]
    captures[number] = replace(captures[number], unread=(CUT,))
    found = of_captures(captures, closed=("controls",) if closed else ())
    assert (found.outcome, len(found.unread)) == (("undecided", 1) if closed else ("passed", 0))


@pytest.mark.parametrize("closed", [True, False])
def test_a_document_that_may_have_stood_where_nothing_was_read_is_undecided(closed: bool) -> None:
    captures = [page(item, step) for step, item in enumerate([("1", EMPTY), ("1", EMPTY), ("2", EMPTY)])]
    captures[1] = PageSnapshot("browser", {}, Mark(1), unread=(AT_TOP,))
    found = of_captures(captures, closed=("controls",) if closed else ())
    reasons = [item.reason for _, item in found.unread]
    assert found.outcome == ("undecided" if closed else "passed")
    assert [reason.partition(":")[0] for reason in reasons] == (["http"] * 2 if closed else [])
    assert ["how it last was" in reason for reason in reasons] == ([True, False] if closed else [])


def test_steps_between_the_last_reading_of_a_document_and_its_leaving_are_said() -> None:
    late = of_captures(stepped((0, ("1", EMPTY)), (1, ("1", EMPTY)), (4, ("2", NONE))), actions=4)
    assert any("http://127.0.0.1/1, last read after step 1, gone at step 4" in item.message for item in late.warnings)
    assert [item.kind for item in late.warnings if "after it was last read" in item.message] == ["between captures"]
    early = of_captures(stepped((0, ("1", EMPTY)), (3, ("1", EMPTY)), (4, ("2", NONE))), actions=4)
    assert not any("gone at step" in item.message for item in early.warnings)


@pytest.mark.parametrize(("documents", "more"), [(1, ""), (5, ""), (6, "; and 1 more"), (8, "; and 3 more")])
def test_of_many_documents_that_left_unseen_five_are_named(documents: int, more: str) -> None:
    shown = [(2 * number, (str(number), EMPTY)) for number in range(documents + 1)]
    found = of_captures(stepped(*shown), actions=2 * documents)
    (said,) = (item.message for item in found.warnings if "after it was last read" in item.message)
    named = [
        f"http://127.0.0.1/{n}, last read after step {2 * n}, gone at step {2 * n + 2}"
        for n in range(min(5, documents))
    ]
    assert said.endswith(f"is not excluded: {'; '.join(named)}{more}")


def test_what_is_left_over_in_a_document_says_where_it_was_last_read() -> None:
    found = of_captures(stepped((0, ("1", EMPTY)), (2, ("1", FULL)), (3, ("1", OTHER)), (4, ("2", NONE))), actions=4)
    (rest,) = found.unexplained
    assert (rest.before, rest.after, rest.at["document"], rest.at["step"]) == ("", "y", "http://127.0.0.1/1", 3)


def test_of_what_changed_with_a_document_only_its_own_closed_part_is_judged_in_it() -> None:
    """Its text is open, and so is its address."""
    captures = stepped((0, ("1", EMPTY)), (1, ("1", FULL)), (2, ("2", NONE)))
    captures[1] = replace(captures[1], tree={**_tree(captures[1]), "@text": ["other"], "@title": "other"})
    assert left(of_captures(captures)) == ["#a.value"]
    found = of_captures(captures, allowed=allow("**", source="page", max=1))
    assert (found.outcome, left(found)) == ("passed", [])
