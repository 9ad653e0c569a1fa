from collections.abc import Mapping
from typing import cast

import pytest
from tests.adapters.browser.stage import Site, Stage

from exactchange_adapters.browser.saying import Said, asking, understood
from exactchange_adapters.browser.snapshot import PageSnapshot

ROWS = "".join(f"<li id=row-{n}>row {n}<input name=f{n} value={n}></li>" for n in range(600))
STEPS = [
    "document.querySelector('#row-300 input').value = 'typed'",
    "document.querySelector('#row-0').prepend('head')",
    "document.querySelector('#row-599').append('tail')",
    "list.prepend(document.createElement('li'))",
    "list.lastElementChild.remove()",
    "document.querySelector('#row-7').textContent = '\U0001f600 grin'",
    "document.querySelector('#row-8').textContent = 'after it'",
    "document.querySelector('#row-7').textContent = '\u00fc'",
    "list.hidden = true",
    "0",
    "list.replaceChildren()",
    "list.append('aaaa'); list.append('aa')",
    "document.title = 'aaaa'",
    "document.open(); document.write('<p id=list>anew'); document.close()",
]


def state(snapshot: PageSnapshot) -> object:
    assert not snapshot.unread
    assert isinstance(snapshot.tree, Mapping)
    tree = {name: value for name, value in snapshot.tree.items() if name != "@requests"}  # of one reader each
    return tree, [document.text() for document in snapshot.documents]


def test_what_is_put_together_is_what_the_whole_text_says(stage: Stage, site: Site) -> None:
    site.pages["/"] = f"<ul id=list>{ROWS}</ul><iframe src=/in></iframe>"
    site.pages["/in"] = "<p>inside<input name=in>"

    async def act() -> None:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = state(await reading.take())
            for step in STEPS:
                await stage.page.evaluate(step)
                here = state(await reading.take())
                async with stage.reading() as fresh:
                    assert here == state(await fresh.take()), step
                assert (here == before) == (step == "0"), step
                before = here
            await stage.page.reload()
            async with stage.reading() as fresh:
                assert state(await reading.take()) == state(await fresh.take())

    stage.run(act(), limit_s=150)


def test_a_world_says_again_only_what_differs_and_all_of_it_to_whoever_heard_nothing(stage: Stage, site: Site) -> None:
    site.pages["/"] = f"<ul id=list>{ROWS}</ul>"

    async def act() -> None:
        await stage.page.goto(site.at())
        session = await stage.agent.contexts[0].new_cdp_session(stage.page)

        async def ask(last: Said | None) -> str:
            asked: dict[str, object] = {"expression": asking(last), "returnByValue": True}
            told = cast("Mapping[str, Mapping[str, object]]", await session.send("Runtime.evaluate", asked))
            return str(told["result"]["value"])

        _, first = understood(await ask(None), None)
        assert len(first.text) > 10_000
        await stage.page.evaluate(STEPS[0])
        short = await ask(first)
        _, second = understood(short, first)
        assert len(short) < 100
        assert second.text == first.text.replace('"v":"300"', '"v":"typed"')
        for stranger in (None, first, Said("0", "x")):
            long = await ask(stranger)
            assert understood(long, stranger)[1].text == second.text
            assert len(long) > 10_000

    stage.run(act())


LAST = Said("1", "abcdef")


@pytest.mark.parametrize(
    ("answer", "last", "count", "text"),
    [
        ("0 2\nwhole", None, 0, "whole"),
        ("3 2\nwhole\nof it", LAST, 3, "whole\nof it"),
        ("0 2 6 0\n", LAST, 0, "abcdef"),
        ("0 2 3 3\n", LAST, 0, "abcdef"),
        ("0 2 2 2\n", LAST, 0, "abef"),
        ("0 2 2 2\nxyz\n", LAST, 0, "abxyz\nef"),
        ("0 2 6 0\nmore", LAST, 0, "abcdefmore"),
    ],
)
def test_an_answer_is_understood(answer: str, last: Said | None, count: int, text: str) -> None:
    assert understood(answer, last) == (count, Said("2", text))


@pytest.mark.parametrize(
    ("answer", "last"),
    [
        ("", None),
        ("0\nx", None),
        ("x 2\nx", None),
        ("0 2 1 1\nx", None),
        ("0 2 1\nx", LAST),
        ("0 2 1 1 1\nx", LAST),
        ("0 2 7 0\n", LAST),
        ("0 2 4 3\n", LAST),
        ("0 2 -1 0\n", LAST),
        ("0 2 0 -1\n", LAST),
        ("0 2 a b\n", LAST),
    ],
)
def test_an_answer_that_makes_no_sense_is_none(answer: str, last: Said | None) -> None:
    with pytest.raises(ValueError):
        understood(answer, last)
