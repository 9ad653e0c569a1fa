"""Rule 15 over documents that left, in a real browser: a value is judged as it was when its document was last read."""

import pathlib
from collections.abc import Sequence

import pytest
from playwright.async_api import Page
from tests.adapters.browser.stage import Site, Stage
from tests.language.pages import judged, nameless, played
from tests.language.test_documents import away, close, fill, form, hidden, open_form, push, second, tick
from tests.language.worlds import must

from exactchange.verdict import Finding, Truth
from exactchange_adapters.browser.snapshot import PageSnapshot

FORM = """<title>Form</title><label>E-mail <input id=mail></label><input type=checkbox id=agree><p id=hint>Write.</p>
<iframe name=inner src=/inner></iframe><script>document.cookie = 'seen=1'</script>"""


@pytest.fixture
def pages(site: Site) -> Site:
    site.pages |= {
        "/": FORM,
        "/inner": "<title>Inner</title><p>Terms</p><input id=code value=7>",
        "/away": "<p>Bye</p>",
    }
    return site


def found(folder: pathlib.Path, rule: str, captures: Sequence[PageSnapshot]) -> Finding:
    """The finding of a `value` in a must, beside one that did not hold at the start."""
    done = "{value: {in: answer, at: '', is: done}}"
    return must(judged(folder, f"must: [{{value: {{in: page, {rule}}}}}, {done}]", captures, closed=()))


LEFT: list[tuple[str, Truth]] = [
    ("at: '#mail.value', is: ada@example.org", True), ("at: '#mail.value', is: bob@example.org", False),
    ("at: '#mail.value', is: {not: ada@example.org}", False), ("at: '*.value', is: ada@example.org, pick: any", True),
    ("css: '#mail', is: ada@example.org", True), ("label: E-mail, field: value, is: ada@example.org", True),
    ("at: '#mail.value', is: {absent: true}", True), ("at: '#mail.value', is: {one_of: [{absent: true}, x]}", True),
    ("at: '@title', is: Form", False), ("at: '@text', is: {items: [Bye]}", True),  # something stands there at the end
    ("at: '#mail.value', is: ada@example.org, when: always", False), ("css: '#hint', is: Bye", False),
    ("at: '#mail.value', is: {matches: '.{0,20}'}, when: always", True),
    ("at: '#never.value', is: ada", None), ("at: '#mail.value', is: ada@example.org, when: end", False),
]  # fmt: skip


def test_rule_15_a_document_that_left_is_judged_at_its_last_capture(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), fill, tick, away)
    for rule, truth in LEFT:
        finding = found(tmp_path, rule, captures)
        assert finding.holds is truth, (rule, finding)
    finding = found(tmp_path, LEFT[0][0], captures)
    assert [(item["step"], item["value"]) for item in finding.evidence] == [(2, "ada@example.org")]
    assert found(tmp_path, LEFT[0][0], nameless(captures)).holds is False, "nobody knows what left"
    assert found(tmp_path, LEFT[0][0], [*captures[:2], hidden(captures[2]), captures[3]]).holds is None
    veto = "must: [{value: {in: answer, at: '', is: done}}]\nveto: [{value: {in: page, at: '#mail.value', is: %s}}]"
    assert judged(tmp_path, veto % "ada@example.org", captures, closed=()).outcome == "vetoed"
    assert judged(tmp_path, veto % "bob@example.org", captures, closed=()).outcome == "passed"


def test_rule_15_of_several_visits_the_latest_counts_and_what_outlives_a_page_does_not_leave(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    async def forget(page: Page) -> None:
        await page.context.clear_cookies()

    captures = played(stage, pages.at(), fill, away, form, away, forget)
    assert found(tmp_path, "at: '#mail.value', is: ''", captures).evidence[0]["step"] == 3
    assert found(tmp_path, "at: '@cookies.seen.value', is: '1'", captures).holds is False
    finding = found(tmp_path, "at: '@frames.iframe[name=inner].@text', is: {items: [Terms]}", captures)
    assert [item["step"] for item in finding.evidence] == [3]


def test_rule_15_always_does_not_count_captures_in_which_the_document_is_gone(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), tick, away)
    for rule, truth in (("mail.value', is: ''", True), ("agree.checked', is: false", False)):
        assert found(tmp_path, f"at: '#{rule}, when: always", captures).holds is truth


def test_rule_15_a_tab_that_was_closed_is_judged_as_it_last_was_and_one_that_moved_where_it_is(
    stage: Stage, pages: Site, tmp_path: pathlib.Path
) -> None:
    captures = played(stage, pages.at(), open_form, second(tick), second(push), second(close))
    for rule in ("at: '@tabs[n=2].#agree.checked', is: true", "css: '#agree', tab: 2, is: true"):
        assert [item["step"] for item in found(tmp_path, rule, captures).evidence] == [3]
    assert found(tmp_path, "at: '@tabs[n=2].@url', is: {url: {path: /other, rest: any}}", captures).holds is True
    moved = played(stage, pages.at(), open_form, second(tick), close)
    assert found(tmp_path, "at: '#agree.checked', is: true", moved).evidence[0]["step"] == 3
    assert found(tmp_path, "at: '@tabs[n=2].#agree.checked', is: true", moved).holds is False, (
        "it stands at the top now"
    )
