"""Real faults of others in reading pages, as small pages, each with the right answer that it states."""

import json
import pathlib
import re

import pytest
import yaml
from tests.adapters.browser.cases import folder_of, live, loaded, pair, stated, told
from tests.adapters.browser.stage import Site, Stage, at, changed, changes, pick, serve
from tests.adapters.browser.test_secrets import stored_bytes
from tests.language.pages import case_of, judged
from tests.language.worlds import left

from exactchange.diff import Diff
from exactchange.judging import judge
from exactchange.limits import CountedBudget
from exactchange.reports import diff_json, render_diff, render_verdict
from exactchange.snapshot import Mark
from exactchange.sources import diff_snapshots
from exactchange.task import load_task
from exactchange.values import ABSENT, Value
from exactchange.verdict import verdict_json
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams, ElementSelector
from exactchange_adapters.browser.secrets import MARK
from exactchange_adapters.browser.snapshot import PageSnapshot


def test_case_d_01_typed_text_is_state_though_the_markup_is_the_same(stage: Stage, site: Site) -> None:
    before, after = stage.run(live(stage, site, "d-01"))
    for item in stated("d-01"):
        assert told(before, after, item) == ([item.before], [item.after])
    assert changed(before, after) == {"#city.value": ("Rome", "Oslo"), "#note.value": ("hi", "bye")}


def places(page: PageSnapshot, css: str) -> dict[str, Value]:
    found = KIND.select(page, ElementSelector(css=css, field="text"), budget=CountedBudget())
    return {match.address: match.value for match in found}


def test_case_d_03_what_is_in_closed_shadow_trees_is_seen_as_in_open_ones(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    """The case lets "nothing else changed" be affirmed where closed trees are read by CDP, and so they are here."""
    before, after = stage.run(live(stage, site, "d-03"))
    (item,) = stated("d-03")
    assert [item.before, item.after] == [places(side, "b")["x-o[n=1].b[n=1].@text"] for side in (before, after)]
    assert places(after, "b") == {"x-o[n=1].b[n=1].@text": "on", "x-c[n=1].b[n=1].@text": "on"}
    verdict = judged(
        tmp_path, "must: [value: {in: page, css: b, pick: every, is: 'on'}]", [before.at(Mark(0)), after.at(Mark(1))],
        closed=["text"],
    )  # fmt: skip
    assert (verdict.outcome, left(verdict)) == ("unmet", ["@text[0]"])


MANY = """<img name=documentElement><style>div { height: 1px } </style><script>
for (let i = 0; i < 450; i++) document.body.append(document.createElement('div'))
const host = document.body.appendChild(document.createElement('div')), root = host.attachShadow({mode: 'closed'})
root.innerHTML = '<b>off</b><div></div>'
const inner = root.lastChild.attachShadow({mode: 'closed'}); inner.innerHTML = '<i>deep</i>'
window.flip = () => { root.firstChild.textContent = 'on'; inner.firstChild.textContent = 'deeper' }</script>"""


def test_case_d_03_a_closed_tree_behind_many_elements_that_might_have_one_is_seen(stage: Stage, site: Site) -> None:
    site.pages["/"] = f"<!doctype html><body>{MANY}"

    async def act() -> dict[str, tuple[object, object]]:
        await stage.page.goto(site.at())
        async with stage.reading() as reading:
            before = await reading.take()
            await stage.page.evaluate("flip()")
            return changed(before, await reading.take())

    assert stage.run(act()) == {"@text[0]": ("off", "on"), "@text[1]": ("deep", "deeper")}


def test_case_d_04_classes_and_ids_that_were_made_up_anew_are_no_change(stage: Stage, site: Site) -> None:
    before, after = stage.run(pair(stage, site, "d-04"))
    assert changes(before, after) == []
    assert pick(before, css="p", field="@id") != pick(after, css="p", field="@id"), "what was made up is kept"


REFERENCES: list[tuple[str, str, dict[str, tuple[object, object]]]] = [
    (
        '<p id=":r2:">One</p><p id=":r3:">Two</p><input id=q aria-labelledby=":r2:">',
        '<p id=":r6:">One</p><p id=":r7:">Two</p><input id=q aria-labelledby=":r7:">',
        {"#q.@name": ("One", "Two")},
    ),
    (
        '<p id=":r2:">One</p><p id=":r3:">Two</p><input id=q aria-labelledby=":r2:">',
        '<p id=":r6:">One</p><p id=":r7:">Two</p><input id=q aria-labelledby=":r6:">',
        {},
    ),
    (
        "<label for=a>Name</label><input id=a><input id=b>",
        "<label for=b>Name</label><input id=a><input id=b>",
        {"#a.@name": ("Name", ABSENT), "#b.@name": (ABSENT, "Name")},
    ),
]


@pytest.mark.parametrize(("one", "other", "wanted"), REFERENCES)
def test_case_d_04_a_name_that_comes_from_elsewhere_is_a_change_whatever_the_ids_are(
    one: str, other: str, wanted: dict[str, tuple[object, object]], stage: Stage, site: Site
) -> None:
    assert changed(*stage.run(loaded(stage, site, one, other))) == wanted


def test_case_d_06_white_space_counts_in_pre_and_in_values_and_not_in_other_text(stage: Stage, site: Site) -> None:
    before, after = stage.run(pair(stage, site, "d-06"))
    for item in stated("d-06"):
        wanted = [(side or "").replace("\\u00a0", "\u00a0") for side in (item.before, item.after)]
        assert told(before, after, item) == ([wanted[0]], [wanted[1]])
    assert changed(before, after) == {"@text[2]": ("a  b", "a b"), "#i.value": ("1 000", "1\u00a0000")}


def test_case_d_07_a_message_that_nobody_can_see_is_no_success(stage: Stage, site: Site) -> None:
    before, after = stage.run(pair(stage, site, "d-07"))
    (change,) = changes(before, after)
    (stated_,) = stated("d-07")
    assert (change.op, change.address, change.after) == (stated_.op, "@text[0]", stated_.text)
    assert pick(after, css=stated_.selector) == [stated_.text]
    task = load_task(folder_of("d-07") / "task.yaml")
    verdict = judge(task, case_of([before, after.at(Mark(1))], closed=["text"]))
    assert (verdict.outcome, left(verdict)) == ("unmet", ["@text[0]"])


HIDDEN: list[tuple[str, bool]] = [
    ("<div style='display:none'>{}</div>", False),
    ("<div style='visibility:hidden'>{}</div>", False),
    ("<div hidden>{}</div>", False),
    ("<details>{}</details>", False),
    ("<details open>{}</details>", True),
    ("<div aria-hidden=true>{}</div>", False),
    ("<div style='opacity:0'>{}</div>", False),
    ("<div style='height:0'>{}</div>", True),
    ("<div style='height:0'><p>{}</p></div>", True),
    ("<div style='overflow:hidden'><p>{}</p></div>", True),
    ("<span style='overflow:hidden'>{}</span>", True),
    ("<div style='display:contents;overflow:hidden'>{}</div>", True),
]


@pytest.mark.parametrize(("html", "seen"), HIDDEN)
def test_case_d_07_only_what_a_person_can_see_is_text(html: str, seen: bool, stage: Stage, site: Site) -> None:
    text = "Order confirmed"
    page, _ = stage.run(loaded(stage, site, *[f"<!doctype html><p>Shop</p>{html.format(text)}"] * 2))
    assert (text in str(at(page, "@text"))) is seen
    assert text in page.documents[0].text(), "what is hidden is kept"


def test_case_d_09_rows_that_left_the_view_are_not_gone(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    before, after = stage.run(pair(stage, site, "d-09"))
    diff = diff_snapshots(KIND, "page", before, after, params=BrowserParams(), budget=CountedBudget())
    assert (diff.changes, diff.complete) == ((), False)
    assert [(item.address, item.reason) for item in diff.unread] == [
        ("@rows.div[n=1]", f"2 of 1000 rows observed, from {which}") for which in ("1 to 2", "501 to 502")
    ]
    assert at(before, "@rows.div[n=1].*") == ["r1", "r2"]
    assert (at(before, "@text"), at(after, "@text")) == ([[]], [[]])
    captures = [before.at(Mark(0)), after.at(Mark(1))]
    for rule in (
        'css: "[aria-rowindex=\'3\']", is: r3', 'css: "[aria-rowindex=\'3\']", is: {absent: true}',
        'at: "@rows.**", pick: any, is: r3', 'at: "@rows.div[n=1].row=3", is: r3',
    ):  # fmt: skip
        verdict = judged(tmp_path, f"must: [value: {{in: page, {rule}}}]", captures, closed=())
        assert (verdict.outcome, verdict.cause) == ("undecided", "content"), rule


def rows(*numbers: int, role: str = "row", index: str = "aria-rowindex", more: str = "") -> str:
    return "".join(f"<div role={role} {index}={n} {more}>r{n}</div>" for n in numbers)


WINDOWS: list[tuple[str, str | None, list[str]]] = [
    (f"<div role=grid aria-rowcount=2>{rows(1, 2)}</div>", None, ["r1", "r2"]),
    (f"<div role=grid aria-rowcount=-1>{rows(1, 2)}</div>", "2 of an unknown number of rows observed, from 1 to 2", []),
    (f"<div role=grid aria-rowcount=many>{rows(1, 2)}</div>", None, ["r1", "r2"]),
    (f"<div role=grid>{rows(1, 2)}</div>", None, ["r1", "r2"]),
    ("<p>a<table aria-rowcount=9><tr><td>x<tr><td>y</table><p>b", "2 of 9 rows observed", ["a", "b"]),
    ("<table aria-rowcount=2><tr><td><table><tr><td>x</table><tr><td>y</table>", None, ["x", "y"]),
    (
        f"<div role=listbox>{rows(4, 5, role='option', index='aria-posinset', more='aria-setsize=50')}</div><p>c",
        "2 of 50 rows observed, from 4 to 5",
        ["c"],
    ),
    (
        f"<ul role=list>{rows(1, 2, role='listitem', index='aria-posinset', more='aria-setsize=2')}</ul>",
        None,
        ["r1", "r2"],
    ),
]


@pytest.mark.parametrize(("html", "reason", "text"), WINDOWS)
def test_case_d_09_a_list_is_partial_where_it_says_that_it_has_more(
    html: str, reason: str | None, text: list[str], stage: Stage, site: Site
) -> None:
    page, _ = stage.run(loaded(stage, site, html, html))
    assert [item.reason for item in page.unread] == ([] if reason is None else [reason])
    assert at(page, "@text") == [text]


def test_case_d_10_a_secret_that_a_page_shows_is_seen_to_change_and_its_text_is_nowhere(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    before, after = stage.run(live(stage, site, "d-10"))
    found = changed(before, after)
    assert set(found) == {f"{item.selector}.{'@' * (item.field == 'type')}{item.field}" for item in stated("d-10")}
    assert found["#pw.@type"] == ("password", "text")
    assert all(MARK in str(pair[1]) for address, pair in found.items() if address.endswith(".value"))
    rules = "must: [change: {in: page, at: '#pw.value', to: {one_of: [a, b]}}]"
    verdict = judged(tmp_path, rules, [before.at(Mark(0)), after.at(Mark(1))])
    diff = Diff(tuple(changes(before, after)))
    told_of = [
        *(json.dumps(form) for form in (diff_json(diff), verdict_json(verdict))),
        *(render_diff(diff, source="page"), render_verdict(verdict, width=200, full=True)),
        *(stored_bytes(side).decode("utf-8", "replace") for side in (before, after)),
    ]
    right = yaml.safe_load((folder_of("d-10") / "case.yaml").read_text("utf-8"))["what_is_right"]
    for text in told_of:
        bare = re.sub(r"[0-9a-f]{64}", "", text)  # six zeros in a row are in a hash by chance, some day
        assert [secret for secret in right["secrets_absent"] if secret in bare] == []
    assert verdict.outcome == "unmet"


def test_case_d_13_what_changes_in_frames_of_whatever_origin_is_seen(stage: Stage, site: Site) -> None:
    other, server = serve()
    other.pages["/card.html"] = (folder_of("d-13") / "card.html").read_text("utf-8")
    address = ("http://pay.test:8081/card.html", other.at("/card.html", host="localhost"))
    try:
        before, after = stage.run(live(stage, site, "d-13", address=address))
    finally:
        server.shutdown()
        server.server_close()
    assert changed(before, after) == {
        f"@frames.{item.frame}.@text[0]": (item.before, item.after) for item in stated("d-13")
    }
    for item in stated("d-13"):
        assert told(before, after, item) == ([item.before], [item.after])
