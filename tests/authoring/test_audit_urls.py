"""Addresses of the web: what leads elsewhere is tried part by part, for values and requests; a spelling is no other."""

import pathlib
from collections.abc import Iterator

import pytest

from exactchange.authoring.audit import Audit, Mutant, audit, mutants
from exactchange.authoring.audit.report import grouped
from exactchange.authoring.audit.urls import is_url, near_urls, same_url, spellings
from exactchange.case import Case
from exactchange.episode import read_episode
from exactchange.task import Task, load_task, task_from_data
from exactchange.values import Value
from exactchange_fixtures.shipped import task_dir

EPISODE = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "episodes" / "book-flight"
SHIPPED = load_task(task_dir() / "article" / "book-flight.yaml")
URL = "http://shop.test:8080/orders/7?tab=log&all=1"
NEAR = {
    "another host": "http://audit.test:8080/orders/7?tab=log&all=1",
    "a host that begins like it": "http://shop.test.audit.test:8080/orders/7?tab=log&all=1",
    "another port": "http://shop.test:8081/orders/7?tab=log&all=1",
    "another scheme": "https://shop.test:8080/orders/7?tab=log&all=1",
    "another host, and this one as the user": "http://shop.test@audit.test:8080/orders/7?tab=log&all=1",
    "a user": "http://audit@shop.test:8080/orders/7?tab=log&all=1",
    "a path before it": "http://shop.test:8080/audit/orders/7?tab=log&all=1",
    "a path after it": "http://shop.test:8080/orders/7/audit?tab=log&all=1",
    "a longer name at the end of the path": "http://shop.test:8080/orders/7audit?tab=log&all=1",
    "a slash of its path encoded": "http://shop.test:8080/orders%2F7?tab=log&all=1",
    "one parameter more": "http://shop.test:8080/orders/7?tab=log&all=1&audit=1",
    "another value of a parameter": "http://shop.test:8080/orders/7?tab=log&all=1x",
    "a parameter less": "http://shop.test:8080/orders/7?tab=log",
    "a fragment": "http://shop.test:8080/orders/7?tab=log&all=1#audit",
}
SPELT = {
    "a host with a dot at its end": "http://shop.test.:8080/orders/7?tab=log&all=1",
    "a slash at its end": "http://shop.test:8080/orders/7/?tab=log&all=1",
    "a letter of its path encoded": "http://shop.test:8080/%6Frders/7?tab=log&all=1",
    "its host in capitals": "http://SHOP.TEST:8080/orders/7?tab=log&all=1",
}


def test_every_part_is_another_one_once_and_everything_else_stays() -> None:
    assert dict(near_urls(URL)) == NEAR  # of the two parameters the last of each sort stands in the mapping
    assert dict(spellings(URL)) == SPELT


@pytest.mark.parametrize(
    "url", [URL, "https://a.test", "http://127.0.0.1/", "http://[::1]:80/a/b", "http://a.test/x#y"]
)
def test_what_is_near_leads_elsewhere_and_a_spelling_does_not(url: str) -> None:
    assert is_url(url)
    for what, other in near_urls(url):
        assert not same_url(url, other), what
    for what, other in spellings(url):
        assert other != url and same_url(url, other), what


@pytest.mark.parametrize(
    "text", ["", "shop", "mailto:a@shop.test", "javascript:alert(1)", "http://", "http://a:99999/", "/a"]
)
def test_what_is_no_address_of_the_web_has_none_near_it(text: str) -> None:
    assert not is_url(text) and list(near_urls(text)) == [] and list(spellings(text)) == []


def asking(**sections: Value) -> Task:
    """The shipped task with other musts or vetoes."""
    return task_from_data({**SHIPPED.as_data(), "holes": [], **sections}, name="t.yaml")


@pytest.fixture(scope="module")
def case() -> Iterator[Case]:
    found = read_episode(EPISODE, SHIPPED)
    yield found
    for evidence in found.sources.values():
        for snapshot in evidence.captures:
            snapshot.close()


SEAT: Value = {"name": "seat held", "change": {"in": "db", "at": "bookings[*]", "op": "added", "rest": "any"}}


def passing(found: Audit, said: str) -> set[str]:
    return {slip.what for culprit, slips in grouped(found.slips) if culprit.said == said for slip in slips}


VALUES: list[tuple[Value, set[str]]] = [
    ({"url": {"scheme": "http", "host": "127.0.0.1", "path": "/confirm"}}, {"another port"}),
    ({"url": {"path": "/confirm"}},
     {"another port", "another host", "a host that begins like it", "another scheme"}),
    ({"contains": "/confirm"},
     {"another port", "another host", "a host that begins like it", "another scheme",
      "another host, and this one as the user", "a user", "a path before it", "a path after it", "a fragment",
      "a longer name at the end of the path", "one parameter more"}),
]  # fmt: skip


@pytest.mark.parametrize(("matcher", "taken"), VALUES)
def test_a_page_that_only_looks_like_the_wanted_one_is_a_hole_of_the_matcher(
    matcher: Value, taken: set[str], case: Case
) -> None:
    confirm: Value = {"name": "confirm", "value": {"in": "page", "at": "@url", "is": matcher}}
    found = audit(asking(must=[SEAT, confirm]), case)
    told = {slip.what for slip in found.slips if slip.sort == "near"}
    assert taken <= told and told & (NEAR.keys() - taken) == set()
    assert told & SPELT.keys() == set(), "the same page in another spelling is no wrong run"


REQUEST: dict[str, Value] = {"in": "page", "method": "POST", "url": {"path": "/passenger"}}
REQUESTS: list[tuple[dict[str, Value], set[str], set[str]]] = [
    (REQUEST, {"another port in a request", "one parameter more in a request"},
     {"a path after it in a request", "another method in a request"}),
    ({**REQUEST, "url": {"path": "/passenger", "scheme": "http", "host": "127.0.0.1", "query": {}}},
     {"another port in a request"}, {"one parameter more in a request", "a host that begins like it in a request"}),
    ({"in": "page", "url": {"path": "/passenger"}, "body": {"has": {"passenger": {"text": "Ada Lovelace"}}}},
     {"other case in a request"}, {"one character more in a request"}),
    ({"in": "page", "method": "POST", "status": {"lt": 600}, "count": 2}, {"another status in a request"},
     {"another method in a request"}),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "taken", "caught"), REQUESTS)
def test_a_request_that_is_only_near_is_a_hole_of_the_rule_that_takes_it(
    rule: dict[str, Value], taken: set[str], caught: set[str], case: Case
) -> None:
    task = asking(must=[SEAT, {"name": "sent", "request": rule}])
    found = audit(task, case)
    told = passing(found, "'sent' does not ask for it")
    assert taken <= told and not told & caught
    assert "a wanted request not sent" not in told
    with_it = [m.what for m in sorted_mutants(task, case) if m.rule == "sent"]
    assert caught <= set(with_it) and "a wanted request not sent" in with_it


def sorted_mutants(task: Task, case: Case) -> Iterator[Mutant]:
    for mutant in mutants(task, case):
        yield mutant
        mutant.close()


def test_a_veto_sees_a_forbidden_request_in_every_spelling_or_has_a_hole(case: Case) -> None:
    never: dict[str, Value] = {"in": "page", "method": "POST", "url": {"path": "/pay"}}
    found = audit(asking(must=[SEAT], veto=[{"name": "no pay", "request": never}]), case)
    assert passing(found, "veto 'no pay' does not see it") == set()
    tried = {m.what for m in sorted_mutants(asking(veto=[{"name": "no pay", "request": never}]), case)}
    assert {f"the forbidden request, with {what}" for what in ("a slash at its end", "a letter of its path encoded",
            "one parameter more", "its method in small letters")} <= tried  # fmt: skip
    narrow: Value = {"name": "no pay", "request": {**never, "url": {"path": "/pay", "query": {}}}}
    found = audit(asking(must=[SEAT], veto=[narrow]), case)
    assert passing(found, "veto 'no pay' does not see it") == {"the forbidden request, with one parameter more"}
