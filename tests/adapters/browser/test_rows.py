"""What is in a row goes by what the row is called: a row more is one change, and another order is none."""

from collections.abc import Sequence

from tests.adapters.browser.stage import Site, Stage, at, changed, leaves
from tests.adapters.browser.test_stable_addresses import difference

from exactchange.limits import CountedBudget
from exactchange_adapters.browser.controls import Controls
from exactchange_adapters.browser.document import parse_document
from exactchange_adapters.browser.wording import stem

NAMES = ["Ada", "Babbage", "Byron"]
BUTTONS = "<button>Edit</button><input name=note><input type=checkbox><button>Delete</button>"
TABLE = "<tr><td>{}</td><td>new</td><td>" + BUTTONS + "</td></tr>"
HEADED = "<tr><td><input type=radio></td><th scope=row>{}</th><td>" + BUTTONS + "</td></tr>"
CARD = "<div class=card><h3>{}</h3><p>new</p><div>" + BUTTONS + "</div></div>"
ITEM = "<li>{} " + BUTTONS + "</li>"
PLAIN = "<div class=todo><span>{}</span> " + BUTTONS + "</div>"
GRID = "<div role=row><span role=gridcell>{}</span><span role=gridcell>" + BUTTONS + "</span></div>"
NAMED = "<div aria-label={}><i>new</i>" + BUTTONS + "</div>"
LINKED = "<li><a href=/orders/{}><img></a>" + BUTTONS + "</li>"
OWNED = "<li data-id={}>new " + BUTTONS + "</li>"
TESTED = "<div data-testid=row><b>{}</b>" + BUTTONS + "</div>"
SHAPES = [
    ("<table><tbody id=list>", TABLE, "tr[label=New]"),
    ("<table><tbody id=list>", HEADED, "tr[label=New]"),
    ("<div id=list>", CARD, "div[label=New]"),
    ("<ul id=list>", ITEM, "li[label=New]"),
    ("<div id=list>", PLAIN, "div[label=New]"),
    ("<div role=grid id=list>", GRID, "div[label=New]"),
    ("<div id=list>", NAMED, "div[label=New]"),
    ("<ul id=list>", LINKED, 'li[href="/orders/New"]'),
    ("<ul id=list>", OWNED, "li[id=New]"),
    ("<div id=list>", TESTED, "div[label=New]"),
]


def rows(shape: str, names: Sequence[str]) -> str:
    return "".join(shape.format(name) for name in names)


EDITS: list[tuple[str, str]] = [
    ("list.insertAdjacentHTML('afterbegin', more)", "New"),
    ("list.firstElementChild.remove()", "New"),
    ("list.insertAdjacentHTML('beforeend', more)", "New"),
    ("list.children[1].remove()", "Babbage"),
    ("list.append(list.firstElementChild)", ""),
]


def test_a_row_more_or_one_less_is_one_change_and_another_order_is_none(stage: Stage, site: Site) -> None:
    lists = [f"{top.replace('id=list', f'id=l{n}')}{rows(shape, NAMES)}" for n, (top, shape, _) in enumerate(SHAPES)]
    site.pages["/"] = "".join(f"{text}</ul></table></div>" for text in lists)
    more = [shape.format("New") for _, shape, _ in SHAPES]

    async def act() -> list[list[str]]:
        await stage.page.goto(site.at())
        out: list[list[str]] = []
        async with stage.reading() as reading:
            before = await reading.take()
            for edit, _ in EDITS:
                call = f"(all) => all.forEach((more, n) => {{ const list = document.querySelector('#l' + n); {edit} }})"
                await stage.page.evaluate(call, more)
                after = await reading.take()
                out.append([name for name in changed(before, after) if not name.startswith("@text")])
                before = after
        return out

    for (edit, name), found in zip(EDITS, stage.run(act()), strict=True):
        wanted = [f"#l{n}.{address.replace('New', name)}" for n, (_, _, address) in enumerate(SHAPES) if name]
        assert sorted(found) == sorted(wanted), edit


def controls(stage: Stage, site: Site, pages: Sequence[str]) -> list[list[str]]:
    """What the controls of each page are called. Each is a frame of one page: a document of its own."""
    frames = "".join(f'<iframe srcdoc="{html}"></iframe>' for html in pages)
    site.pages["/"] = frames

    async def act() -> list[list[str]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            snapshot = await reading.take()
        documents = [parse_document(stored.text(), budget=CountedBudget()) for stored in snapshot.documents[1:]]
        return [[".".join(map(str, control.path)) for control in Controls(one).all] for one in documents]

    return stage.run(act())


def button_in(*names: str) -> str:
    return "<ul id=list>" + "".join(f"<li>{name} <button>Go</button></li>" for name in names) + "</ul>"


CALLED: list[tuple[str, list[str]]] = [
    (button_in("x", "x", "Byron"), ["button.label=Go,n=1", "button.label=Go,n=2", "li.label=Byron.button.label=Go"]),
    (button_in("Saved 5 minutes ago", "Saved 6 minutes ago"), ["button.label=Go,n=1", "button.label=Go,n=2"]),
    (button_in("Inbox (3)", "Drafts (1)"), ["li.label=Inbox.button.label=Go", "li.label=Drafts.button.label=Go"]),
    (button_in("Inbox (3)", "Inbox (1)"), ["button.label=Go,n=1", "button.label=Go,n=2"]),
    (button_in("Ada"), ["button.label=Go"]),
    (
        button_in("Wi-Fi <b>on</b>", "Radio <b>off</b>"),
        ["li.label=Wi-Fi.button.label=Go", "li.label=Radio.button.label=Go"],
    ),
    (
        button_in("To <b>Ada</b>", "To <b>Byron</b>"),
        ["li.label=To Ada.button.label=Go", "li.label=To Byron.button.label=Go"],
    ),
    (
        button_in("<button>x</button>Ada", "<button>x</button>Byron"),
        [f"li.label={name}.button.label={it}" for name in ("Ada", "Byron") for it in ("x", "Go")],
    ),
    (button_in("[1]:", "[2]:"), ["button.label=Go,n=1", "button.label=Go,n=2"]),
    (
        "<table><tr><td>7<td>new<td><button>Go</button><tr><td>8<td>paid<td><button>Go</button></table>",
        ["tr.label=7.button.label=Go", "tr.label=8.button.label=Go"],
    ),
    (
        "<table><tr><td>3 minutes ago<td>Ada<td><button>Go</button>"
        "<tr><td>just now<td>Byron<td><button>Go</button></table>",
        ["tr.label=Ada.button.label=Go", "tr.label=Byron.button.label=Go"],
    ),
    (
        "<div id=a><ul><li>x <button>Go</button></ul></div><div id=b><ul><li>x <button>Go</button></ul></div>",
        ["#a.button.label=Go", "#b.button.label=Go"],
    ),
    (
        "<ul><li>x <button>Go</button></ul><ul><li>x <button>Go</button></ul>",
        ["li.label=x.button.label=Go,n=1", "li.label=x.button.label=Go,n=2"],
    ),
    (
        "<ul><li>x <button>Go</button><button>Go</button></ul>",
        ["li.label=x.button.label=Go,n=1", "li.label=x.button.label=Go,n=2"],
    ),
    ("<p><button>Go</button><button>Go</button></p>", ["button.label=Go,n=1", "button.label=Go,n=2"]),
    (
        "<form><h2>Ship to</h2><input name=city></form><form><h2>Bill to</h2><input name=city></form>",
        ["form.label=Ship to.input.name=city", "form.label=Bill to.input.name=city"],
    ),
    (
        "<ul><li><open><button>Go</button></open><li><open><button>Go</button></open></ul>",
        ["button.label=Go,n=1", "button.label=Go,n=2"],
    ),
    ("<ul><li><a href=?id=1>a</a><button>Go</button><li><a href=#>a</a><button>Go</button></ul>",
     ["button.label=Go,n=1", "button.label=Go,n=2"]),
]  # fmt: skip


def test_a_row_is_called_by_what_tells_it_from_the_others_and_by_nothing_that_passes(stage: Stage, site: Site) -> None:
    for (page, wanted), found in zip(CALLED, controls(stage, site, [page for page, _ in CALLED]), strict=True):
        assert [name.replace('"', "").removeprefix("#list.") for name in found] == wanted, page


COUNTING: list[tuple[str, str]] = [
    ("Inbox (3)", "Inbox (4)"),
    ("Archive (99+)", "Archive"),
    ("(1) Messages", "(2) Messages"),
    ("Notifications 12", "Notifications 13"),
    ("3 unread messages", "12 unread messages"),
    ("Cart: 2", "Cart: 3"),
    ("Comments [7]", "Comments [8]"),
    ("Stars 1.2k", "Stars 1.3k"),
]


def test_a_count_in_a_name_moves_no_address(stage: Stage, site: Site) -> None:
    page = "".join(f"<button>{before}</button>" for before, _ in COUNTING)
    names = [after for _, after in COUNTING]
    found = difference(
        stage, site, page, f"document.querySelectorAll('button').forEach((b, n) => b.textContent = {names!r}[n])"
    )
    places = {address: change for address, change in found.items() if not address.startswith("@text")}
    assert all(address.startswith("button[label=") and address.endswith(".@name") for address in places)
    assert sorted(places.values(), key=str) == sorted(COUNTING, key=str)


KEPT = [
    "Room 3",
    "Order 17",
    "Delete order 17",
    "Chapter 2.1",
    "3",
    "2026",
    "Ratio 16 to 9",
    "v1.2.3",
    "5 m tall",
    "(3)",
]


def test_what_counts_nothing_is_the_whole_name() -> None:
    assert [name for name in KEPT if stem(name) != name] == []


NUMBERED = "<button>Room 3</button><button>Room 4</button><button>Seat (3)</button><button>Seat (4)</button>"


def test_names_that_differ_by_a_number_alone_are_two_addresses(stage: Stage, site: Site) -> None:
    site.pages["/"] = NUMBERED

    async def act() -> tuple[dict[str, object], list[object]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate("document.body.prepend(document.body.lastElementChild)")
            after = await reading.take()
            return dict(leaves(before)), [at(after, address) for address in leaves(before) if address[0] == "b"]

    before, after = stage.run(act())
    wanted = [f'button[label="{name}"].@name' for name in ("Room 3", "Room 4", "Seat (3)", "Seat (4)")]
    assert [address for address in before if address[0] == "b"] == wanted
    assert after == [["Room 3"], ["Room 4"], ["Seat (3)"], ["Seat (4)"]]
