"""No password and no token in any stored byte; that it changed is seen all the same."""

import json
from collections.abc import Mapping

import pytest
from tests.adapters.browser.stage import Blobs, Site, Stage, at, changed, requests_of

from exactchange.values import ABSENT
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.body import body_value
from exactchange_adapters.browser.secrets import MARK, Secrecy, looks_secret
from exactchange_adapters.browser.snapshot import PageSnapshot

PAGE = """<!doctype html><form id=f action=/login method=post>
<input id=pw type=password name=pw value=""><input id=otp autocomplete=one-time-code>
<input type=hidden id=h name=api_token value="t-old-FAKE"><input name=author id=author value=Ada></form>
<meta name=csrf-token content=m-FAKE><div data-token=d-FAKE></div>
<script>localStorage.access_token = 'l-FAKE'; sessionStorage.note = 'plain'
document.cookie = 'sessionid=c-FAKE'</script>"""
FAKES = [
    "hunter2-FAKE",
    "000111",
    "t-old-FAKE",
    "t-new-FAKE",
    "m-FAKE",
    "d-FAKE",
    "l-FAKE",
    "c-FAKE",
    "u-FAKE",
    "j-FAKE",
]


def stored_bytes(snapshot: PageSnapshot) -> bytes:
    store = Blobs()
    record = KIND.save(snapshot, base=None, store=store)
    documents = b"".join(item.text().encode() for item in snapshot.documents)
    return json.dumps(record, default=str).encode() + b"".join(store.unpacked()) + documents


def test_secrets_are_stored_nowhere_and_their_change_is_seen(stage: Stage, site: Site) -> None:
    site.pages |= {"/": PAGE, "/login": "<p>in"}

    async def act() -> list[PageSnapshot]:
        page = stage.page
        await page.goto(site.at("/?token=u-FAKE"))
        async with stage.reading() as reading:
            taken = [await reading.take()]
            await page.fill("#pw", "hunter2-FAKE")
            taken.append(await reading.take())
            await page.evaluate("pw.type = 'text'")
            taken.append(await reading.take())
            await page.fill("#otp", "000111")
            await page.evaluate("h.value = 't-new-FAKE'")
            taken.append(await reading.take())
            await page.evaluate("fetch('/login', {method: 'POST', body: JSON.stringify({user: 'ada', pw: 'j-FAKE'})})")
            taken.append(await reading.take())
            await page.evaluate("f.submit()")
            await page.wait_for_url("**/login")
            taken.append(await reading.take())
            return taken

    taken = stage.run(act())
    for snapshot in taken:
        stored = stored_bytes(snapshot)
        assert [fake for fake in FAKES if fake.encode() in stored] == []
    first, filled, shown, last, sent, submitted = taken
    assert list(changed(first, filled)) == ["#pw.value"]
    assert at(first, "#pw.value") == [""]  # that nothing was typed is no secret
    assert "#pw.value" not in changed(filled, shown)
    assert set(changed(shown, last)) == {"#otp.value", "#h.value"}
    assert at(first, "#author.value") == ["Ada"]
    assert at(first, "@cookies.sessionid.value") == at(first, "@cookies.sessionid.value")
    assert MARK in str(at(first, "@cookies.sessionid.value"))
    posts = [request for request in requests_of(submitted) if request["method"] == "POST"]
    assert len(posts) == 2
    body = posts[1]["body"]
    assert isinstance(body, Mapping)
    assert body["author"] == "Ada"
    assert body["pw"] == at(filled, "#pw.value")[0]  # the same secret has the same stored form
    assert at(sent, "@requests") != at(last, "@requests")


@pytest.mark.parametrize(
    "name",
    "password pw_password userPassword access_token csrftoken csrfmiddlewaretoken api_key apiKey client_secret "
    "PHPSESSID sessionid connect.sid session jwt cvc card_cvv otp xsrf X-XSRF-TOKEN Authorization one-time-code "
    "current-password".split(),
)
def test_names_of_secrets(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    "author authors spin hotpot name email e-mail country theme passenger passengers tokenizer secretary "
    "session_count side key keyboard monkey step timeout retries bypass compass".split(),
)
def test_names_that_only_look_like_it(name: str) -> None:
    assert not looks_secret(name)


URLS = [
    ("http://h/p?q=1&x=a%20b", "http://h/p?q=1&x=a%20b"),
    ("http://h/p", "http://h/p"),
    ("http://u:p@h/p", "http://secret@h/p"),
    ("about:blank", "about:blank"),
    ("http://[bad", "http://[bad"),
]


@pytest.mark.parametrize(("url", "wanted"), URLS)
def test_addresses_without_secrets_stay_as_they_are(url: str, wanted: str) -> None:
    assert Secrecy().url(url) == wanted


def test_an_address_keeps_its_other_fields_when_one_is_hidden() -> None:
    secrecy = Secrecy()
    shown = secrecy.url("http://h/p?a=1&token=abc&b=x%20y#frag")
    assert "abc" not in shown
    assert shown.startswith("http://h/p?a=1&token=secret-")
    assert shown.endswith("&b=x%20y#frag")
    assert shown == secrecy.url("http://h/p?a=1&token=abc&b=x%20y#frag")
    assert shown != secrecy.url("http://h/p?a=1&token=abd&b=x%20y#frag")


MULTIPART = (
    b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\n'
    b'--b\r\nContent-Disposition: form-data; name="up"; filename="a.txt"\r\n'
    b"Content-Type: text/plain\r\n\r\nxyz\r\n--b--\r\n"
)
BODIES: list[tuple[str, bytes, object]] = [
    ("application/x-www-form-urlencoded", b"a=1&b=x+y&a=2", {"a": ["1", "2"], "b": "x y"}),
    ("application/x-www-form-urlencoded", b"", {}),
    ("application/x-www-form-urlencoded; charset=UTF-8", b"%40k=v", {"@@@k": "v"}),
    ("application/json", b'{"n": 1, "deep": [{"ok": true, "f": 1.5}]}', {"n": 1, "deep": [{"ok": True, "f": 1.5}]}),
    ("application/vnd.api+json", b"[null]", [None]),
    ("text/plain;charset=UTF-8", b"hello", "hello"),
    ("text/plain", b'{"a": "b"}', {"a": "b"}),
    ("multipart/form-data; boundary=b", MULTIPART, {"note": "hi", "up": {"@file": "a.txt", "size": 3}}),
    ("application/json", b"{broken", ABSENT),
    ("application/json", b'{"role": "admin", "role": "user"}', ABSENT),
    ("text/plain", b'{"a": {"b": 1, "b": 2}}', ABSENT),
    ("application/json", b"[" * 100_000, ABSENT),
    ("application/json", b"[" * 60 + b"]" * 60, ABSENT),
    ("application/x-www-form-urlencoded", b"\xff=1", ABSENT),
    ("application/octet-stream", b"\x00", ABSENT),
    ("text/plain", b"x" * 300_000, ABSENT),
]


@pytest.mark.parametrize(("kind", "data", "wanted"), BODIES)
def test_bodies_are_read_or_not_known(kind: str, data: bytes, wanted: object) -> None:
    assert body_value(kind, data, Secrecy()) == wanted


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("application/x-www-form-urlencoded", b"user=ada&password=FAKE&pin=471100004711"),
        (
            "application/json",
            b'{"user": "ada", "password": "FAKE", "pin": 471100004711, "deep": {"api_key": ["FAKE"]}}',
        ),
        ("text/plain", b'{"user": "ada", "password": "FAKE", "pin": 471100004711}'),
        ("text/plain", b"eyJhbGciOiJIUzI1NiJ9FAKE.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"),
    ],
)
def test_secrets_in_bodies_are_hidden(kind: str, data: bytes) -> None:
    shown = str(body_value(kind, data, Secrecy()))
    assert "FAKE" not in shown
    assert "471100004711" not in shown  # so long that no hash holds it by chance
    assert MARK in shown


DATA: list[tuple[str, str, str]] = [
    ('{"theme": "dark"}', '{"theme": "dark"}', ""),
    ('{"theme":"dark","access_token":"abcdef"}', '{"theme":"dark","access_token":"secret-', "abcdef"),
    ('[{"auth":{"token":{"value":"abcdef","until":7}}}]', '[{"auth":{"token":{"value":"secret-', "abcdef"),
    ('{"password":["abcdef"]}', '{"password":["secret-', "abcdef"),
    ('{"pin":1234567}', '{"pin":"secret-', "1234567"),
    ('{"max_tokens": 4096, "tokens": 7}', '{"max_tokens": 4096, "tokens": 7}', ""),
    ('{"token":"","secret":null,"password":true}', '{"token":"","secret":null,"password":true}', ""),
    ('{"token": "not data"', '{"token": "not data"', ""),
]


@pytest.mark.parametrize(("text", "begins", "lost"), DATA)
def test_of_data_in_a_text_the_secrets_are_hidden_and_the_rest_is_kept(text: str, begins: str, lost: str) -> None:
    shown = Secrecy().named("settings", text)
    assert isinstance(shown, str) and shown.startswith(begins)
    assert not lost or lost not in shown
    assert lost or shown == text


def test_data_that_is_nested_beyond_reading_is_hidden_as_a_whole() -> None:
    assert MARK in str(Secrecy().named("settings", "[" * 100_000 + "]" * 100_000))
