"""Pages of real applications: still where nothing is done, and a change for what is done."""

import asyncio
import time
from collections.abc import Iterable, Sequence

import pytest
from tests.adapters.browser.stage import changes
from tests.apps.applications import APPLICATIONS
from tests.apps.screens import EDITS, SCREENS, Edit, Screen
from tests.apps.visiting import Visit

from exactchange.address import parse_pattern
from exactchange.diff import Change
from exactchange_adapters.browser.snapshot import PageSnapshot

EVERYTHING = ["controls", "text", "url", "title", "tabs", "requests"]
IDLE_S = 10.0
SETTLED_S = 4.0
"""A page that rests needs no more than two looks, also where others keep the machine busy."""
POLLED = "@requests[*]"
"""Of a page that asks its server by itself, a request may come between two captures; nothing else may."""


def of(application: str, value: object, *, core: bool = False) -> object:
    """A parameter set for one application; that of a heavy one is run by `make apps-test` alone, or of its core."""
    heavy = APPLICATIONS[application].heavy and not core
    marks = [pytest.mark.xdist_group(application), *([pytest.mark.apps] if heavy else [])]
    return pytest.param(application, value, id=str(value), marks=marks)


def on_screens(screens: Iterable[Screen], *, core: bool = False) -> pytest.MarkDecorator:
    parameters = [of(screen.application, screen, core=core and screen.core) for screen in screens]
    return pytest.mark.parametrize(("visit", "screen"), parameters, indirect=["visit"])


def outside(found: Sequence[Change], patterns: Iterable[str]) -> list[Change]:
    """The changes that are neither at nor below a place of these patterns."""
    parsed = [parse_pattern(pattern).with_all_below for pattern in patterns]
    return [change for change in found if not any(pattern.matches(change.path) for pattern in parsed)]


@on_screens(SCREENS.values(), core=True)
def test_two_captures_of_an_idle_page_are_equal(visit: Visit, screen: Screen) -> None:
    async def act() -> tuple[PageSnapshot, PageSnapshot, float]:
        await visit.open(screen)
        async with visit.stage.reading() as reading:
            first = await reading.take()
            started = time.monotonic()
            return first, await reading.take(), time.monotonic() - started

    first, second, took = visit.stage.run(act(), limit_s=120)
    assert (first.unread, first.notes, second.notes) == ((), (), ())
    found = changes(first, second, closed=EVERYTHING)
    assert outside(found, [pattern for pattern in screen.stirs if pattern == POLLED]) == []
    assert (first.digest == second.digest) == (found == [])
    assert took < SETTLED_S


@pytest.mark.apps
@on_screens(SCREENS.values())
def test_nothing_changes_in_ten_seconds_but_what_moves_by_itself(visit: Visit, screen: Screen) -> None:
    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await visit.open(screen)
        async with visit.stage.reading() as reading:
            first = await reading.take()
            await asyncio.sleep(IDLE_S)  # that time goes by is what is tested
            return first, await reading.take()

    first, later = visit.stage.run(act(), limit_s=120)
    found = changes(first, later, closed=EVERYTHING)
    assert outside(found, screen.stirs) == []
    assert (first.digest == later.digest) == (found == [])


@on_screens(screen for screen in SCREENS.values() if screen.reloads)
def test_a_page_that_is_opened_again_differs_by_nothing_but_its_noise(visit: Visit, screen: Screen) -> None:
    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await visit.open(screen)
        async with visit.stage.reading() as reading:
            first = await reading.take()
            await visit.reload(screen)
            return first, await reading.take()

    first, again = visit.stage.run(act(), limit_s=120)
    assert again.unread == ()
    found = outside(changes(first, again, closed=EVERYTHING), ["@requests[*]"])
    assert outside(found, [*screen.renewed, *screen.may_renew]) == []
    assert [pattern for pattern in screen.renewed if outside(found, [pattern]) == found] == []


@pytest.mark.parametrize(
    ("visit", "edit"), [of(SCREENS[edit.screen].application, edit) for edit in EDITS], indirect=["visit"]
)
def test_what_a_person_does_is_a_few_changes_at_addresses_that_say_what(visit: Visit, edit: Edit) -> None:
    screen = SCREENS[edit.screen]

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await visit.open(screen)
        async with visit.stage.reading() as reading:
            if edit.begin is not None:
                await edit.begin(visit.stage.page)
            before = await reading.take()
            await edit.act(visit.stage.page)
            return before, await reading.take()

    before, after = visit.stage.run(act(), limit_s=120)
    found = changes(before, after, closed=EVERYTHING)
    found = outside(found, ["@requests[*]", *(echo for echo in edit.echoes if echo not in edit.changes)])
    for pattern, value in edit.changes.items():
        (change,) = [change for change in found if not outside([change], [pattern])]
        assert change.after == value, pattern
    assert outside(found, edit.changes) == []
