"""The pure half: scope, addresses, records."""

import dataclasses
import pathlib
import subprocess
import sys
from collections.abc import Mapping

import pytest
from pydantic import ValidationError
from tests.adapters.browser.stage import Blobs, Site, Stage, World, at, changes

from exactchange.address import format_path, parse_pattern
from exactchange.errors import InfrastructureError, UsageError
from exactchange.limits import CountedBudget
from exactchange.sources import kind_named
from exactchange.values import ABSENT, Path, Value
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

SCOPE: list[tuple[Path, list[str], bool]] = [
    ((), [], True),
    (("@cookies", "a", "value"), [], True),
    (("@cookies", "@@odd", "value"), [], True),
    (("@storage", "local", "http://h", "theme"), [], True),
    (("@tabs", "n=2", "@storage", "session", "http://h", "x"), [], True),
    (("@contexts", "n=2", "@cookies", "a"), [], True),
    (("@downloads", "name=a.csv"), [], True),
    (("#email", "value"), [], False),
    (("#email", "value"), ["controls"], True),
    (("#email", "value", "@secret"), ["controls"], True),
    (("select", "name=langs", "value", 1), ["controls"], True),
    (("#email", "@name"), ["controls"], False),
    (("#email", "@name"), ["text", "controls"], False),
    (("@tabs", "n=2"), [], True),
    (("@frames", "iframe", "name=card"), [], True),
    (("@frames", "#card"), [], True),
    (("x-card", "n=1"), [], False),
    (("x-card", "n=1"), ["controls"], True),
    (("@text", 3), ["controls"], False),
    (("@text", 3), ["text"], True),
    (("@frames", "#card", "#number", "value"), ["controls"], True),
    (("@frames", "iframe", "name=card", "#number", "value"), ["controls"], True),
    (("@frames", "#card", "@text", 0), ["controls"], False),
    (("@url",), ["url"], True),
    (("@frames", "#card", "@url"), ["url"], True),
    (("@tabs", "n=2", "@url"), ["url"], False),
    (("@tabs", "n=2", "@url"), ["tabs"], True),
    (("@tabs", "n=2", "#x", "value"), ["tabs"], False),
    (("@tabs", "n=2", "#x", "value"), ["controls"], True),
    (("@title",), ["title"], True),
    (("@requests", 4), [], False),
    (("@requests", 4, "status"), ["requests"], True),
]


@pytest.mark.parametrize(("path", "closed", "inside"), SCOPE)
def test_what_the_closed_world_covers(path: Path, closed: list[str], inside: bool) -> None:
    assert KIND.in_scope(path, BrowserParams.model_validate({"closed": closed})) is inside


def test_the_scope_is_said_in_words() -> None:
    assert KIND.scope(BrowserParams()) == "cookies, storage, downloads"
    assert KIND.scope(BrowserParams(closed=("tabs", "controls"))) == "cookies, storage, downloads, controls, tabs"


def test_an_unknown_facet_is_refused() -> None:
    with pytest.raises(ValidationError, match="no facet of a page is called 'control'"):
        BrowserParams(closed=("control",))


AT: list[tuple[Path, str, Mapping[str, Value]]] = [
    (("#email", "value"), "#email.value", {"frame": "", "selector": "#email", "field": "value"}),
    (
        ("input", "name=agree", "checked"),
        "input[name=agree].checked",
        {"frame": "", "selector": "input[name=agree]", "field": "checked"},
    ),
    (
        ("@frames", "iframe", "name=card", "#number", "value"),
        "@frames.iframe[name=card].#number.value",
        {"frame": "@frames.iframe[name=card]", "selector": "#number", "field": "value"},
    ),
    (("@cookies", "sid", "value"), "@cookies.sid.value", {"frame": "", "selector": "", "field": "@cookies.sid.value"}),
]


@pytest.mark.parametrize(("path", "address", "place"), AT)
def test_places_are_said_for_people_and_for_programs(path: Path, address: str, place: Mapping[str, Value]) -> None:
    nothing = PageSnapshot("browser", {})
    assert KIND.describe(path, before=nothing, after=nothing) == (address, place)
    assert parse_pattern(address).matches(path)


def test_the_printed_address_of_every_node_finds_it(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<input name='a"b]'><input id='x.y'><input aria-label='two words'><input id="1 2">
        <input id=':r1:'><input name=é><input name='#h'><input name='@at'><input name='k=v'><input name=''>
        <input data-testid='t,u'>
        <script>localStorage['k.e y"'] = '1'; localStorage['@a=b'] = '2'; document.cookie = 'c.d=1'</script>"""

    async def act() -> PageSnapshot:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            return await reading.take()

    snapshot = stage.run(act())
    every = KIND.find(snapshot, parse_pattern("**"), budget=CountedBudget())
    assert len(every) > 30
    for match in every:
        if match.path:
            found = KIND.find(snapshot, parse_pattern(match.address), budget=CountedBudget())
            assert match.path in [other.path for other in found], match.address


def test_a_page_is_no_file() -> None:
    world = World(pathlib.Path("/nowhere"), None)
    snapshot = KIND.from_path(None, BrowserParams(), world=world, budget=CountedBudget())
    assert snapshot.tree is ABSENT
    assert [(item.path, item.cause) for item in snapshot.unread] == [((), "infrastructure")]


def test_without_a_browser_there_is_nothing_to_open() -> None:
    with pytest.raises(InfrastructureError, match="no browser"):
        KIND.open(BrowserParams(), world=World(pathlib.Path("/nowhere"), None))


def test_the_installed_kind_is_this_one() -> None:
    assert kind_named("browser") is KIND


def test_a_saved_snapshot_loads_as_the_same_one_alone_and_on_a_base(stage: Stage, site: Site) -> None:
    site.pages["/"] = """<input id=a value=\U0001f600><iframe srcdoc='<input id=b>'></iframe>
        <script>a.value += '\\ud800'</script>"""

    async def act() -> tuple[PageSnapshot, PageSnapshot]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            first = await reading.take()
            await stage.page.fill("#a", "new")
            return first, await reading.take()

    first, second = stage.run(act())
    assert at(first, "#a.value") == ["\U0001f600\ud800"]
    store, budget = Blobs(), CountedBudget()
    whole = KIND.save(first, base=None, store=store)
    delta = KIND.save(second, base=first, store=store)
    loaded = KIND.load(whole, base=None, store=store, budget=budget)
    again = KIND.load(delta, base=loaded, store=store, budget=budget)
    for mine, saved in ((loaded, first), (again, second)):
        assert mine == saved
        assert (mine.digest, mine.mark, mine.documents) == (saved.digest, saved.mark, saved.documents)
    assert [change.address for change in changes(loaded, again)] == ["#a.value"]


HOSTILE: list[dict[str, Value]] = [
    {"documents": "x"},
    {"documents": [[[], "0" * 64, 1]]},
    {"documents": [[[], 7, 1]]},
    {"documents": [[["@frames"], "BLOB", 1]]},
    {"documents": [["../../etc/passwd", "BLOB"]]},
    {"whole": "00"},
    {"tree": "0" * 64},
    {"kind": "file"},
    {"digest": "00"},
]


@pytest.mark.parametrize("change", HOSTILE)
def test_a_record_that_was_tampered_with_is_refused(change: dict[str, Value]) -> None:
    store = Blobs()
    snapshot = PageSnapshot("browser", {"@url": "about:blank"})
    record = dict(KIND.save(snapshot, base=None, store=store))
    text = change.get("documents")
    blob = store.put(b"not compressed")
    change = {n: _with_blob(v, blob) if n == "documents" else v for n, v in change.items()}
    assert text is None or change["documents"] != []
    with pytest.raises(UsageError):
        KIND.load(record | change, base=None, store=store, budget=CountedBudget())


def _with_blob(value: Value, blob: str) -> Value:
    if isinstance(value, list):
        return [_with_blob(item, blob) for item in value]
    return blob if value == "BLOB" else value


def test_the_digest_covers_the_documents_but_not_the_mark() -> None:
    plain = PageSnapshot("browser", {"a": "1"})
    assert plain.digest == dataclasses.replace(plain, mark=dataclasses.replace(plain.mark, step=4)).digest
    from exactchange_adapters.browser.snapshot import StoredDocument, pack

    other = dataclasses.replace(plain, documents=(StoredDocument((), pack("[]")),))
    assert other.digest != plain.digest
    assert format_path(()) == ""


def test_naming_the_kind_loads_no_browser_library() -> None:
    code = (
        "import sys, exactchange_adapters.browser; print([m for m in ('playwright', 'selectolax') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
