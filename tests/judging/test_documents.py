"""Laws of documents that come and leave, on generated pages: what is left over is what each of them tells by itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.judging.kit import allow, judged, value
from tests.language.worlds import done

from exactchange.case import Case, Evidence
from exactchange.snapshot import Mark
from exactchange.values import ABSENT, State, Value
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack

Controls = Mapping[str, bool]
Tab = tuple[str, Controls]
"""Which document a tab shows, and its boxes."""

BOXES = st.dictionaries(st.sampled_from("abc"), st.booleans(), max_size=3)
ONE = st.lists(BOXES, min_size=2, max_size=6)


@st.composite
def shows(draw: st.DrawFn) -> list[tuple[Tab, ...]]:
    """What one or two tabs show, capture by capture. A document stands in one tab at a time; it may come back."""
    out: list[tuple[Tab, ...]] = []
    for _ in range(draw(st.integers(2, 6))):
        names = draw(st.lists(st.sampled_from("1234"), min_size=1, max_size=2, unique=True))
        out.append(tuple((name, draw(BOXES)) for name in names))
    return out


def page(tabs: Sequence[Tab], step: int) -> PageSnapshot:
    """The capture in which the first tab stands at the top, the second one has a place of its own."""
    tops = [_elements(boxes) for _, boxes in tabs]
    tree: dict[str, Value] = {**tops[0], "@tabs": {"n=2": tops[1]} if len(tabs) > 1 else {}}
    places = ((), ("@tabs", "n=2"))
    documents = (
        StoredDocument(place, pack("[]"), number, name)
        for number, (place, (name, _)) in enumerate(zip(places, tabs, strict=False), 1)
    )
    return PageSnapshot("browser", tree, Mark(step), documents=tuple(documents))


def _elements(boxes: Controls) -> dict[str, Value]:
    return {"@url": "http://127.0.0.1/", **{f"#{name}": {"checked": ticked} for name, ticked in boxes.items()}}


def verdict(captures: Sequence[PageSnapshot], *, allowed: Sequence[Mapping[str, Value]] = ()) -> Verdict:
    """The verdict on these captures, of a task that asks for an answer and that nothing else changes."""
    evidence = Evidence("page", KIND, BrowserParams(closed=("controls",)), tuple(captures))
    case = Case({"page": evidence}, done([{"kind": "click"}] * (len(captures) - 1)), answer="done")
    return judged(case, value("", "done", source="answer"), allow=allowed)


Left = Counter[tuple[str, State, State]]


def left(found: Verdict) -> Left:
    """What changed without leave: box, before, after."""
    return Counter((str(c.path[-2])[1:], c.before, c.after) for c in found.unexplained)


def told(seen: Sequence[Sequence[Tab]]) -> Left:
    """What each document tells by itself: its boxes when it was last seen, against those when it came."""
    first: dict[str, Controls] = {}
    last: dict[str, Controls] = {}
    for tabs in seen:
        for name, boxes in tabs:
            first.setdefault(name, boxes)
            last[name] = boxes
    changed = (
        (box, first[name].get(box, ABSENT), last[name].get(box, ABSENT))
        for name in first
        for box in sorted(first[name].keys() | last[name].keys())
    )
    return Counter(item for item in changed if item[1] is not item[2])


@given(ONE)
def test_with_one_document_nothing_is_judged_otherwise_than_from_start_to_end(boxes: list[Controls]) -> None:
    captures = [page([("1", item)], step) for step, item in enumerate(boxes)]
    untold = [replace(item, documents=()) for item in captures]
    assert verdict(captures) == verdict(untold)
    some = [allow("#a.checked", source="page", max=1), allow("#b.*", source="page", to=True)]
    assert verdict(captures, allowed=some) == verdict(untold, allowed=some)


@given(shows())
def test_what_is_left_over_is_what_each_document_tells_by_itself(seen: list[tuple[Tab, ...]]) -> None:
    captures = [page(tabs, step) for step, tabs in enumerate(seen)]
    found = verdict(captures)
    assert left(found) == told(seen)
    assert (found.outcome == "passed") is not bool(told(seen))
    everything = [allow("**", source="page")]
    assert verdict(captures, allowed=everything).outcome == "passed"


@given(shows(), st.integers(0, 4))
def test_max_bounds_what_is_allowed_in_all_documents_together(seen: list[tuple[Tab, ...]], most: int) -> None:
    found = verdict(
        [page(tabs, step) for step, tabs in enumerate(seen)], allowed=[allow("**.checked", source="page", max=most)]
    )
    changed = told(seen).total()
    assert (len(found.allowed), len(found.unexplained)) == (min(most, changed), max(changed - most, 0))
