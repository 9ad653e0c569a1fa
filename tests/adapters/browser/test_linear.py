"""What is worked out of a page, and which of its changes are noise, takes steps that grow with it, not its square."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
from tests.adapters.browser.stage import Site, Stage
from tests.adapters.browser.test_names_bounded import Nodes, document, page, radio
from tests.adapters.browser.test_noise_rules import AGES, CLOCKS, COUNTERS, taken
from tests.adapters.browser.test_noise_rules import page as capture
from tests.adapters.browser.work import growth

from exactchange.diff import Change
from exactchange.limits import CountedBudget
from exactchange.sources import diff_snapshots
from exactchange.values import ABSENT, Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.noise_texts import WORDS
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.saying import MOST_ATTRIBUTES
from exactchange_adapters.browser.snapshot import PageSnapshot

MOST = 13
"""Of eight times the size: what is linear takes 8 times as many steps, what is square 64 times."""


def radios(count: int, *, chosen: int = 0) -> Nodes:
    nodes = page(*(radio(1, -1) for _ in range(count)))
    nodes[2 + chosen][4] = {"t": "radio", "v": "1", "c": True, "g": -1}
    return nodes


def groups(count: int, *, chosen: bool = False) -> Nodes:
    state = {"t": "radio", "v": "1", "c": chosen, "g": -1}
    radios: Nodes = [[1, "input", {"name": f"a{number}", "type": "radio"}, 3, state] for number in range(count)]
    return page(*radios)


def test_a_group_of_radio_buttons_is_told_in_steps_that_grow_with_it() -> None:
    def work(size: int) -> Callable[[], object]:
        controls = Controls(document(radios(size)))
        return lambda: (controls.all, controls.tree)

    assert growth(work) < MOST


def test_controls_that_all_change_are_told_in_steps_that_grow_with_them() -> None:
    def work(size: int) -> Callable[[], object]:
        before, after = Controls(document(groups(size))), document(groups(size, chosen=True))
        assert before.tree
        return lambda: before.after(after, range(2, 2 + size)).tree

    assert growth(work) < MOST


class Walked(tuple[int, ...]):
    """Numbers that count how often somebody goes through them."""

    times = 0

    def __iter__(self) -> Iterator[int]:
        self.times += 1
        return super().__iter__()


def test_what_changed_is_gone_through_once_and_not_for_every_group() -> None:
    before, changed = Controls(document(groups(99))), Walked(range(2, 101))
    assert before.tree
    before.after(document(groups(99, chosen=True)), changed)
    assert changed.times <= 3


def test_controls_that_all_change_are_told_as_those_of_a_page_that_is_new() -> None:
    before, after = Controls(document(groups(9))), document(groups(9, chosen=True))
    kept = dict(before.tree)
    assert before.after(after, range(2, 11)).tree == Controls(after).tree != before.tree == kept


def field(number: int, name: str) -> dict[str, Value]:
    return {f"name=:r{number}:": {"value": str(number), "@name": name}}


def fields(numbers: Sequence[int], called: Callable[[int], str]) -> Mapping[str, Value]:
    return {"input": {key: item for number in numbers for key, item in field(number, called(number)).items()}}


def lines(texts: Sequence[str]) -> Mapping[str, Value]:
    return {"@text": list(texts)}


def leaves_of(change: Change) -> Iterator[Change]:
    """What came or went as a whole, leaf by leaf, as it is judged."""
    sides: list[Mapping[str, Value]] = [
        side if isinstance(side, Mapping) else {} for side in (change.before, change.after)
    ]
    if not any(sides):
        yield change
    for name in sides[0] or sides[1]:
        before, after = (side.get(name, ABSENT) for side in sides)
        yield replace(change, path=(*change.path, name), before=before, after=after)


def noise(before: Mapping[str, Value], after: Mapping[str, Value], **said: object) -> Callable[[], object]:
    params = BrowserParams.model_validate({"closed": ("controls", "text"), "noise": said})
    sides = capture(before), capture(after, after_s=60, step=1)
    found = diff_snapshots(KIND, "page", *sides, params=params, budget=CountedBudget()).changes
    changes = [leaf for change in found for leaf in leaves_of(change)]
    return lambda: KIND.noise(changes, before=sides[0], after=sides[1], params=params)


def interleaved(count: int, said: Callable[[int], str]) -> list[str]:
    return [text for number in range(count) for text in (said(number), f"kept {number}")]


NOISE: dict[str, Callable[[int], Callable[[], object]]] = {
    "fields with names of their own": lambda size: noise(
        fields(range(size), lambda n: f"Field {n}"), fields(range(size, 2 * size), lambda n: f"Field {n - size}")
    ),
    "fields that are all called alike": lambda size: noise(
        fields(range(size), lambda _: "Field"), fields(range(size, 2 * size), lambda _: "Field")
    ),
    "lines of which none is another's": lambda size: noise(
        lines([f"{n}a" for n in range(size)]), lines(interleaved(size, lambda n: f"{n}b")), on=["counter", "clock"]
    ),
    "ages that went back": lambda size: noise(
        lines([*(f"kept {n}" for n in range(size)), *("9 hours ago" for _ in range(size))]),
        lines([*("1 hour ago" for _ in range(size)), *(f"kept {n}" for n in range(size))]),
    ),
    "ages that went on": lambda size: noise(
        lines([*(f"kept {n}" for n in range(size)), *(f"{n}: 5 minutes ago" for n in range(size))]),
        lines([*(f"{n}: 6 minutes ago" for n in range(size)), *(f"kept {n}" for n in range(size))]),
    ),
    "shapes of the task's own": lambda size: noise(
        lines([*(f"kept {n}" for n in range(size)), *(f"Build {n}" for n in range(size))]),
        lines([*(f"Build {n}" for n in range(size, 2 * size)), *(f"kept {n}" for n in range(size))]),
        add=[{"at": "@text", "like": "Build <digits>"}],
    ),
}


@pytest.mark.parametrize("work", NOISE.values(), ids=NOISE.keys())
def test_noise_is_recognised_in_steps_that_grow_with_what_changed(work: Callable[[int], Callable[[], object]]) -> None:
    assert growth(work) < MOST


def test_of_many_lines_that_moved_on_each_has_its_own() -> None:
    before = [*(f"kept {n}" for n in range(300)), *(f"{n}: 5 minutes ago" for n in range(300))]
    after = [*(f"{n}: 6 minutes ago" for n in range(300)), *(f"kept {n}" for n in range(300))]
    found = taken(lines(before), lines(after))
    assert len(found) == 600 and set(found.values()) == {"relative-time"}


def test_lines_of_which_a_rule_takes_one_for_the_other_are_looked_for_by_the_same_words() -> None:
    rows = [("relative-time", *row) for row in AGES] + [("clock", *row) for row in CLOCKS]
    rows += [("counter", before, after, 60, noise) for before, after, noise in COUNTERS]
    assert {rule for rule, *_ in rows} == WORDS.keys()
    for rule, before, after, _, noise in rows:
        words = [WORDS[rule](text) for text in (before, after)]
        assert not noise or (words[0] == words[1] is not None), (rule, before, after)


def test_an_element_with_more_attributes_than_anybody_writes_leaves_its_document_unread(
    stage: Stage, site: Site
) -> None:
    """The browser looks for each of them among all, so that many would hold it up longer than a capture may take."""
    site.pages["/"] = """<p id=p><script>
        function more(count) { for (let n = 0; n < count; n++) p.setAttribute('a' + n, '') }</script>"""

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            await stage.page.evaluate("count => more(count)", MOST_ATTRIBUTES - 1)
            many = await reading.take()
            await stage.page.evaluate("count => more(count)", MOST_ATTRIBUTES)
            return many, await reading.take()

    many, beyond = stage.run(act())
    assert not many.unread
    assert [item.reason for item in beyond.unread] == ["the document is too large to read"]
