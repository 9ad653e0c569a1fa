"""What a reload changes on the pages of real applications by itself is taken by the rules that are there for it."""

import pytest
from tests.adapters.browser.test_noise_pages import rules
from tests.apps.screens import SCREENS, Screen
from tests.apps.test_idle_pages import of
from tests.apps.visiting import Visit

from exactchange_adapters.browser.snapshot import PageSnapshot

TOOK = "Powered by Datasette \u00b7 Queries took <number>ms"
RULES = {"wagtail-login": "csrf-token", "wagtail-list": "csrf-token", "jupyterlab-login": "csrf-token"}
NAMES = ("input[name=csrfmiddlewaretoken", "input[name=_xsrf")


def on(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("visit", "screen"), [of(SCREENS[name].application, SCREENS[name]) for name in names], indirect=["visit"]
    )


def reloaded(visit: Visit, screen: Screen) -> tuple[PageSnapshot, PageSnapshot]:
    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await visit.open(screen)
        async with visit.stage.reading() as reading:
            first = await reading.take()
            await visit.reload(screen)
            return first, await reading.take()

    return visit.stage.run(act(), limit_s=120)


@on(*RULES)
def test_a_new_token_in_a_form_is_noise(visit: Visit, screen: Screen) -> None:
    found = rules(*reloaded(visit, screen))
    tokens = {address: rule for address, rule in found.items() if any(name in address for name in NAMES)}
    assert tokens and set(tokens.values()) == {RULES[str(screen)]}


@on("datasette-table")
def test_how_long_a_query_took_is_noise_by_a_rule_of_the_tasks_own(visit: Visit, screen: Screen) -> None:
    pages = reloaded(visit, screen)
    lines, without = (
        {address: rule for address, rule in rules(*pages, add=own).items() if address.startswith("@text")}
        for own in ([{"at": "@text", "like": TOOK}], [])
    )
    assert lines == dict.fromkeys(without, f'"{TOOK}"')
    assert set(without.values()) <= {None}
