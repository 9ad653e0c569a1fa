import dataclasses

import pytest
from tests.reports.golden import check_golden
from tests.reports.samples import ALL, changed, unmet, vetoed
from tests.reports.test_terminal import STRINGS, check_printable, hostile

from exactchange.reports.explaining import about, about_json, places, render_about
from exactchange.values import ABSENT
from exactchange.verdict import Verdict

PLACES = [("unmet", "config:server.retries"), ("near", "server"), ("vetoed", "payments"), ("undecided", "config")]


@pytest.mark.parametrize(("name", "address"), PLACES)
def test_what_is_said_of_a_place_reads_as_its_golden_file(name: str, address: str) -> None:
    check_golden(f"explain-{name}.txt", render_about(about(ALL[name](), address), width=90))


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("config:server.retries", ["server.retries"]),
        ("server.retries", ["server.retries"]),
        ("server", ["server.retries", "server.timeout"]),
        ("config", ["server.retries", "server.timeout"]),
        ("config:server", ["server.retries", "server.timeout"]),
        ("audit_log", ["audit_log[id=2]"]),
        ("db", ["audit_log[id=2]"]),
        ("serv", []),
        ("server.retr", []),
        ("db:server", []),
        ("", []),
    ],
)
def test_a_place_is_found_by_its_address_or_one_above_it(address: str, wanted: list[str]) -> None:
    assert [told.change.address for told in about(unmet(), address).changes] == wanted


def test_each_change_has_the_rule_that_settles_it() -> None:
    told = {item.change.address: (item.why, item.where, item.right) for item in about(unmet(), "config").changes}
    assert told["server.retries"] == ("not explained: no rule asks for it or allows it", "", False)
    assert told["server.timeout"] == ("asked for by must: the timeout is 30", "settings-timeout.yaml:17:5", True)


def test_a_change_over_a_red_line_is_not_offered_an_allow_line() -> None:
    text = render_about(about(vetoed(), "payments"))
    assert "crosses the red line: nothing is paid without confirmation (book-flight.yaml:9)" in text
    assert "add to allow" not in text


def test_several_changes_in_one_place_get_one_line_for_that_place_and_only_there() -> None:
    leaves = tuple(changed("page", "added", f"@cookies.sid.{name}", ABSENT, 1) for name in ("domain", "path"))
    verdict = dataclasses.replace(unmet(), unexplained=leaves, findings=())
    for address in ("@cookies.sid", "page:@cookies.sid"):
        assert 'at once, add to allow:\n  - {in: page, at: "@cookies.sid", op: added}' in render_about(
            about(verdict, address)
        )
    other = changed("page", "removed", "@cookies.sid.old", 1)
    several = dataclasses.replace(verdict, unexplained=(*leaves, other))
    for told in (about(several, "@cookies.sid"), about(verdict, "page"), about(verdict, "@cookies.sid.path")):
        assert "at once" not in render_about(told)


def test_the_document_names_the_outcome_and_the_whole_change() -> None:
    document = about_json(unmet(), about(unmet(), "server.retries"))
    assert document["schema"] == "exactchange/explain/1" and document["outcome"] == "unmet"
    (change,) = document["changes"] if isinstance(document["changes"], list) else []
    assert isinstance(change, dict) and (change["before"], change["after"]) == (3, 5)


def test_every_place_that_is_listed_can_be_asked_about() -> None:
    for make in ALL.values():
        verdict: Verdict = make()
        for place in places(verdict):
            told = about(verdict, place)
            assert told.changes or told.unread


@pytest.mark.parametrize("name", STRINGS)
def test_no_text_of_an_attack_drives_the_terminal(name: str) -> None:
    check_printable(render_about(about(hostile(STRINGS[name]), STRINGS[name]), width=70))
