"""Rules 26 and 27: what of a page is closed, and what a login leaves behind, on stored snapshots of pages."""

import pathlib
from collections.abc import Mapping, Sequence

import pytest
from tests.authoring.kit import TABLES, Tree, calibrated, lines, noise, some_task, toured
from tests.language.worlds import STARTED, done, left, must, refused

from exactchange.case import Case, Evidence
from exactchange.judging import judge
from exactchange.snapshot import Mark
from exactchange.task import load_task
from exactchange.values import Value
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot

Page = dict[str, Value]
FORM: Page = {
    "@url": "http://127.0.0.1:81/register",
    "@title": "Register",
    "@text": ["Register", "E-mail"],
    "#email": {"value": ""},
    "#agree": {"checked": False},
    "@cookies": {"theme": {"value": "dark", "path": "/"}},
    "@storage": {"local": {"http://127.0.0.1:81": {"draft": "no"}}},
    "@downloads": {},
}
DONE = "must: [{change: {in: page, at: '#email.value', to: ada@example.org}}]"


def judged(folder: pathlib.Path, rules: str, *pages: Page, closed: Sequence[str] = (), use: str = "") -> Verdict:
    """The verdict of rules on the pages that a browser showed one after another."""
    page = f'{{adapter: browser, start: "http://127.0.0.1:{{port}}/", closed: [{", ".join(closed)}]}}'
    file = folder / "task.yaml"
    head = "id: t\ninstruction: Do it.\n" + (use or f"sources: {{page: {page}}}")
    file.write_text(f"{head}\n{rules}\n", encoding="utf-8")
    task = load_task(file)
    captures = tuple(PageSnapshot("browser", page, Mark(step)) for step, page in enumerate(pages))
    evidence = Evidence("page", KIND, BrowserParams(closed=tuple(closed)), captures)
    actions = done([{"kind": "click"}] * (len(pages) - 1))
    return judge(task, Case({"page": evidence}, actions, started_ns=STARTED, ended_ns=STARTED + 1))


def filled(**other: Value) -> Page:
    """The form with an e-mail address, and with other things that changed."""
    return {
        **FORM,
        "#email": {"value": "ada@example.org"},
        **{NAMES.get(key, key): item for key, item in other.items()},
    }


NAMES = {name.strip("#@"): name for name in FORM}
NEW_COOKIE: Mapping[str, Value] = {"theme": {"value": "light", "path": "/"}}
FACETS: list[tuple[Page, list[str], list[str]]] = [
    (filled(), [], []),
    (filled(cookies=NEW_COOKIE), [], ["@cookies.theme.value"]),
    (filled(storage={"local": {"http://127.0.0.1:81": {"draft": "yes"}}}), [],
     ['@storage.local["http://127.0.0.1:81"].draft']),
    (filled(downloads={"name=a.csv": {"state": "done"}}), [], ["@downloads[name=a.csv].state"]),
    (filled(agree={"checked": True}), [], []), (filled(agree={"checked": True}), ["controls"], ["#agree.checked"]),
    (filled(url="http://127.0.0.1:81/done"), [], []), (filled(url="http://127.0.0.1:81/done"), ["controls"], []),
    (filled(url="http://127.0.0.1:81/done"), ["url"], ["@url"]), (filled(title="Done"), ["url", "controls"], []),
    (filled(title="Done"), ["title"], ["@title"]), (filled(text=["Register", "Thanks"]), [], []),
    (filled(text=["Register", "Thanks"]), ["text"], ["@text[1]"]),
    (filled(text=["Register", "Thanks"], agree={"checked": True}), ["text", "controls"],
     ["#agree.checked", "@text[1]"]),
]  # fmt: skip


@pytest.mark.parametrize(("page", "closed", "rest"), FACETS)
def test_rule_26_cookies_storage_and_downloads_are_closed_and_the_rest_where_the_task_says_so(
    page: Page, closed: list[str], rest: list[str], tmp_path: pathlib.Path
) -> None:
    verdict = judged(tmp_path, DONE, FORM, page, closed=closed)
    assert (must(verdict).holds, sorted(left(verdict))) == (True, rest)
    assert verdict.outcome == ("passed" if not rest else "unmet")


def test_rule_26_a_veto_sees_what_is_not_closed(tmp_path: pathlib.Path) -> None:
    rules = DONE + "\nveto: [{change: {in: page, at: '#agree.checked', to: true}}]"
    ticked, clear = filled(agree={"checked": True}), filled()
    assert judged(tmp_path, rules, FORM, ticked).outcome == "vetoed"
    assert judged(tmp_path, rules, FORM, ticked, clear).outcome == "vetoed"
    assert judged(tmp_path, rules, FORM, clear).outcome == "passed"


def test_rule_26_the_verdict_says_what_is_closed_and_an_unknown_facet_is_refused(tmp_path: pathlib.Path) -> None:
    assert judged(tmp_path, DONE, FORM, filled()).scope == ("page (cookies, storage, downloads)",)
    scope = judged(tmp_path, DONE, FORM, filled(), closed=["controls"]).scope
    assert scope == ("page (cookies, storage, downloads, controls)",)
    said = refused(tmp_path, DONE, {}, also={})
    assert "page" in said


FRAGMENT = """sources: {page: {adapter: browser, start: "http://127.0.0.1:{port}/"}}
ignore: [{in: page, at: "@cookies.sid*"}]
"""


def test_rule_27_what_a_login_leaves_is_ignored_by_a_fragment_that_tasks_share(tmp_path: pathlib.Path) -> None:
    (tmp_path / "login.yaml").write_text(FRAGMENT, encoding="utf-8")
    theme = FORM["@cookies"]
    assert isinstance(theme, Mapping)
    signed_in = filled(cookies={**theme, "sid_8f": {"value": "x", "path": "/"}})
    tracked = filled(cookies={**theme, "sid_8f": {"value": "x", "path": "/"}, "admin": {"value": "1"}})
    use = "use: [login.yaml]"
    assert judged(tmp_path, DONE, FORM, signed_in, use=use).outcome == "passed"
    assert [item.change.address for item in judged(tmp_path, DONE, FORM, signed_in, use=use).ignored] != []
    assert left(judged(tmp_path, DONE, FORM, tracked, use=use)) == ["@cookies.admin.value"]
    assert judged(tmp_path, DONE, FORM, signed_in).outcome == "unmet"


def login(cookie: str) -> Tree:
    """What a database holds after somebody signed in."""
    row: Value = {"cookie": cookie, "name": "ada", "ip": "127.0.0.1"}
    return {"auth": {f'cookie={cookie},name=ada,ip="127.0.0.1"': row}, "visits": {"id=1": {"id": 1, "n": 1}}}


def test_rule_27_a_tour_that_signs_in_finds_the_noise_that_idling_does_not(tmp_path: pathlib.Path) -> None:
    before: Tree = {"auth": {}, "visits": {"id=1": {"id": 1, "n": 1}}}
    assert lines(noise(before, before, before, kind=TABLES)) == []
    found = noise(before, login("a8f1"), login("c03d"), kind=TABLES)
    assert lines(found) == ['added auth[name=ada,ip="127.0.0.1"] (2)']
    quiet = calibrated(some_task(), toured(some_task(), before, [login("a8f1"), login("c03d")], kind=TABLES))
    assert lines(quiet) == lines(found)
