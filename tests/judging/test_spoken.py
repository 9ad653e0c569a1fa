"""What a must says of a document that came and left: what fits is explained, what may fit is in doubt."""

from collections.abc import Mapping
from typing import cast

import pytest
from tests.judging.kit import Data, change, judged
from tests.judging.test_documents import Controls, page
from tests.language.worlds import done

from exactchange.case import Case, Evidence
from exactchange.conditions import Condition, Evaluation
from exactchange.judging.assign import Demand
from exactchange.judging.spoken import Spoken, spoken
from exactchange.values import Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams


def evaluation(before: Mapping[str, Value], after: Mapping[str, Value], *, back: bool = True) -> Evaluation:
    """A page on which another document stood for two captures, between those of the first one if it came `back`."""
    boxes = cast(
        "list[Controls]", [{}, before, after, *([{}] if back else [])]
    )  # or a secret: how a box stands is hidden
    captures = tuple(page([(name, tab)], step) for step, (name, tab) in enumerate(zip("1221", boxes, strict=False)))
    evidence = Evidence("s", KIND, BrowserParams(closed=("controls",)), captures)
    return Evaluation(Case({"s": evidence}, done([{"kind": "click"}] * (len(captures) - 1)), answer="done"))


def said(rule: Data, found: Evaluation) -> Spoken:
    asked = Condition.model_validate(rule).change
    assert asked is not None
    return spoken(Demand(asked, "here", (), 1, 1), (), found)


def boxes(found: frozenset[tuple[str, tuple[str | int, ...], bool]]) -> list[str]:
    return sorted(".".join(map(str, path)) for _, path, _ in found)


SECRET: Value = {"@secret": "s"}
SPOKEN: list[tuple[Mapping[str, Value], Mapping[str, Value], Data, list[str], list[str]]] = [
    ({"a": False, "b": False}, {"a": True, "b": True}, change("#a.checked", to=True), ["#a.checked"], []),
    ({"a": False}, {"a": True}, change("#a.checked", to=False), [], []),
    ({"a": False}, {"a": True}, change("#b.checked"), [], []),
    ({"a": False}, {"a": SECRET}, change("#a.checked", to="x"), [], ["#a.checked"]),
    ({"a": True, "b": True}, {"b": True}, change("#a.checked", op="removed"), ["#a.checked"], []),
    ({"a": True, "b": True}, {"b": True}, change("#a.checked"), ["#a.checked"], []),
    ({"a": True, "b": True}, {"b": True}, change("#a.checked", to={"not": False}), [], []),  # it stands nowhere
    ({"a": True, "b": True}, {"b": True}, change("#a.checked", to={"absent": True}), ["#a.checked"], []),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "rule", "explained", "doubtful"), SPOKEN)
@pytest.mark.parametrize("back", [True, False])
def test_a_must_explains_what_fits_it_in_any_document_and_doubts_what_may(
    before: Mapping[str, Value],
    after: Mapping[str, Value],
    rule: Data,
    explained: list[str],
    doubtful: list[str],
    back: bool,
) -> None:
    found = said(rule, evaluation(before, after, back=back))
    assert (boxes(found.explained), boxes(found.doubtful)) == (explained, doubtful)
    assert (found.freed, found.untold) == ((), False)


def test_what_a_must_frees_in_a_document_is_told() -> None:
    rule = change("#a", op="added", to={"has": {"checked": True}}, rest="any")
    found = said(rule, evaluation({}, {"a": True}))
    assert (boxes(found.explained), found.freed, boxes(found.doubtful)) == (["#a.checked"], (), [])
    free = said(
        change("#a", op="added", to={"has": {"text": {"absent": True}}}, rest="any"), evaluation({}, {"a": True})
    )
    assert ([item.address for item in free.freed], boxes(free.doubtful)) == (["s:#a.checked"], [])


def test_a_verdict_tells_what_was_freed_in_every_document() -> None:
    shown: list[tuple[str, Controls]] = [("1", {}), ("2", {}), ("2", {"a": True}), ("1", {}), ("1", {"a": True})]
    captures = tuple(page([tab], step) for step, tab in enumerate(shown))
    evidence = Evidence("s", KIND, BrowserParams(closed=("controls",)), captures)
    run = Case({"s": evidence}, done([{"kind": "click"}] * 4), answer="done")
    rule = change("#a", op="added", to={"has": {"text": {"absent": True}}}, rest="any")
    verdict = judged(run, rule)
    assert (verdict.outcome, verdict.unexplained) == ("passed", ())
    assert [item.address for item in verdict.freed] == ["s:#a.checked", "s:#a.checked"]
