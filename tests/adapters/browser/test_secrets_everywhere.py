"""A secret that was seen in its place is stored nowhere, wherever it stands again: in no byte of an episode."""

import json
import pathlib
from collections.abc import Awaitable, Callable, Mapping

from playwright.async_api import Page
from tests.adapters.browser.leaks import found, stored, watched
from tests.adapters.browser.stage import Blobs, Site, Stage

from exactchange.episode import RunWorld, read_episode
from exactchange.judging import judge
from exactchange.session import Session, judge_episode
from exactchange.task import Task, load_task
from exactchange.values import Value
from exactchange.verdict import Verdict
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.snapshot import PageSnapshot

PASSWORD = 'hunter2-FAKE&<é"9'
CODE = "000111222"
CARD = "4111111111111111"
TOKEN = "tok-FAKE-0123456789abcdef"
FAKES = (PASSWORD, CODE, CARD, TOKEN)

PAGE = f"""<!doctype html><title>Sign in</title><form id=f action=/in method=post>
<input id=pw name=field1 type=password aria-label=Key><input id=otp autocomplete=one-time-code>
<input id=card autocomplete=cc-number><input type=hidden name=csrf_token value="{TOKEN}"></form>
<a id=out href="/logout/{TOKEN}">Out</a><a id=oauth href="#access_token={TOKEN}&x=1">in</a>
<input id=note><textarea id=area></textarea><select id=sel><option value=a>a</select>
<div id=edit contenteditable></div><p id=echo>nothing</p><div id=host></div><i id=tip>i</i>
<script>document.cookie = "plain=1"; document.cookie = "sid={TOKEN}"</script>"""

COPY = """async (all) => {
  for (const text of all) {
    note.value = text; area.value = "It is " + text; echo.textContent = text + " it is";
    sel.append(new Option(text, text, true, true)); edit.append(" " + text);
    const root = host.kept ??= host.attachShadow({ mode: "closed" });
    root.append("in it: " + text, Object.assign(document.createElement("input"), { value: text }));
    for (const name of ["title", "aria-label", "data-x", "placeholder", "alt", "class"]) tip.setAttribute(name, text);
    tip.setAttribute("data-html", text.replace(/&/g, "&amp;").replace(/</g, "&lt;"));
    tip.setAttribute("data-cut", "x".repeat(2035) + " " + text);
    tip.setAttribute("data-b", btoa(unescape(encodeURIComponent(text))));
    document.title = text;
    document.cookie = "copied=" + encodeURIComponent(text);
    localStorage.copied = text; localStorage[text] = 1; sessionStorage.copied = JSON.stringify({ a: [text] });
    console.error("it was " + text);
    const frame = document.body.appendChild(document.createElement("iframe"));
    frame.srcdoc = "<p>" + text.replace("<", "&lt;");
    document.body.append(Object.assign(document.createElement("button"), { textContent: text }));
    document.body.append(Object.assign(document.createElement("input"), { name: text, id: "i" + text.length }));
    history.pushState(0, "", "/in/" + encodeURIComponent(text) + "?q=" + encodeURIComponent(text) + "#" + text);
    const form = new FormData(); form.append("some", text);
    for (const body of [text, JSON.stringify({ some: text }), new URLSearchParams({ some: text }), form])
      await fetch("/in?some=" + encodeURIComponent(text), { method: "POST", body });
    await new Promise((done) => {
      const asked = indexedDB.open("copies");
      asked.onupgradeneeded = () => asked.result.createObjectStore("all");
      asked.onsuccess = () => {
        const put = asked.result.transaction("all", "readwrite");
        put.objectStore("all").put({ text }, text.length);
        put.oncomplete = () => { asked.result.close(); done() };
      };
    });
  }
}"""

RULES = """must:
  - value: {in: page, at: "#note.value", is: nobody knows}
veto:
  - value: {in: page, css: "#echo", is: {mentions: danger}}
  - action: {kind: fill, text: {mentions: danger}}
"""

Act = tuple[Mapping[str, Value], Callable[[Page], Awaitable[object]], str | None]


def task_of(folder: pathlib.Path, rules: str, *, closed: str = "controls, text, url, title, requests") -> Task:
    page = f"{{adapter: browser, start: 'http://127.0.0.1:{{port}}/', closed: [{closed}]}}"
    (folder / "task.yaml").write_text(
        f"id: t\ninstruction: Sign in.\nsources: {{page: {page}}}\n{rules}", encoding="utf-8"
    )
    return load_task(folder / "task.yaml")


def run(
    stage: Stage,
    site: Site,
    folder: pathlib.Path,
    acts: list[Act],
    *,
    rules: str = RULES,
    answer: str = "done",
    closed: str = "controls, text",
) -> tuple[Verdict, Task, pathlib.Path]:
    """The verdict on these acts, and the folder of their episode."""
    task = task_of(folder, rules, closed=closed)

    async def work() -> Verdict:
        world = RunWorld(folder, cdp_url=stage.browser.cdp_url, port=site.port, python="python")
        await stage.page.goto(site.at())
        async with Session(task, world=world, record=folder / "episode") as session:
            for raw, act, error in acts:
                if (await session.before(raw)).go:
                    await act(stage.page)
                    await session.after(error=error)
            return await session.finish(answer)

    return stage.run(work(), limit_s=90), task, folder / "episode"


def fill(css: str, text: str, *, error: str | None = None) -> Act:
    return {"kind": "fill", "target": {"css": css}, "text": text}, lambda page: page.fill(css, text), error


def script(code: str, argument: object = None) -> Act:
    raw: dict[str, Value] = {"kind": "script", "code": f"({code})({json.dumps(argument)})"}
    return raw, lambda page: page.evaluate(code, argument), None


def test_a_secret_is_in_no_byte_of_an_episode_wherever_a_page_copies_it(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages |= {"/": PAGE, "/in": "<p>in"}
    acts = [
        fill("#pw", PASSWORD, error=f"fill({PASSWORD!r}) took long"),
        fill("#otp", CODE),
        fill("#card", CARD),
        script("() => pw.type = 'text'"),
        script(COPY, [PASSWORD, CODE, CARD, TOKEN]),
        script("() => f.requestSubmit()"),
    ]
    with watched(tmp_path) as seen:
        verdict, task, episode = run(stage, site, tmp_path, acts, answer=f"I used {PASSWORD}.")
    assert found(stored(episode), *FAKES) == []
    assert len(seen) > 10
    assert found({name: data for name, data in seen.items() if name != "task.yaml"}, *FAKES) == []
    assert verdict.outcome in ("unmet", "undecided")
    assert judge_episode(task, episode).outcome == verdict.outcome


CUTS = [0.31, 0.35, 0.4, 0.5, 0.7]


def test_a_capture_that_is_cut_off_holds_no_secret_either(stage: Stage, site: Site) -> None:
    """By its deadline, by a page that goes elsewhere, and by one that closes: whatever was read is what is kept."""
    site.pages |= {"/": PAGE, "/in": "<p>in"}
    going = ["", "location.reload()", "location = '/in'", "document.body.remove()", "window.close()"]

    async def act() -> list[PageSnapshot]:
        taken: list[PageSnapshot] = []
        async with stage.reading() as reading:
            for number, cut in enumerate(CUTS):
                page = await stage.agent.contexts[0].new_page()
                await page.goto(site.at())
                await page.fill("#pw", PASSWORD)
                taken.append(await reading.take())
                await page.evaluate(COPY, [PASSWORD])
                await page.evaluate(f"setTimeout(() => {{ {going[number % len(going)]} }}, {number * 7})")
                taken.append(await reading.take(deadline_s=cut))
                await page.close()
        return taken

    taken = stage.run(act())
    assert any(snapshot.unread for snapshot in taken)
    for snapshot in taken:
        store = Blobs()
        record = json.dumps(KIND.save(snapshot, base=None, store=store), default=str)
        documents = b"".join(item.text().encode() for item in snapshot.documents)
        assert found({"all": record.encode() + b"".join(store.unpacked()) + documents}, PASSWORD) == []


LOGIN = """<input id=user><input id=pw type=password><p id=echo>nothing</p><script>
    pw.oninput = () => { echo.textContent = pw.value }</script>"""


def log_of(episode: pathlib.Path) -> list[dict[str, object]]:
    """The arguments of the actions, as they were recorded."""
    events = [json.loads(line) for line in (episode / "events.jsonl").read_text("utf-8").splitlines()]
    return [event["action"]["args"] for event in events if event["type"] == "action"]


def test_what_is_typed_where_the_focus_is_is_hidden_in_a_field_for_secrets_only(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages["/"] = LOGIN

    def typed(text: str) -> Act:
        return {"kind": "type", "text": text}, lambda page: page.keyboard.type(text), None

    def key(name: str) -> Act:
        return {"kind": "key", "keys": [name]}, lambda page: page.keyboard.press(name), None

    def click(css: str) -> Act:
        return {"kind": "click", "target": {"xy": [1, 1]}}, lambda page: page.click(css), None

    acts = [click("#user"), typed("Ada-Lovelace"), click("#pw"), typed("hunter2-FAKE"), key("9"), key("9"), key("Tab")]
    verdict, _, episode = run(stage, site, tmp_path, acts)
    log = log_of(episode)
    assert found(stored(episode), "hunter2-FAKE", "hunter2-FAKE99") == []
    assert (log[1]["text"], log[6]["keys"]) == ("Ada-Lovelace", ["Tab"])
    hidden = [log[3]["text"], log[4]["keys"], log[5]["keys"]]
    assert ["@secret" in str(item) for item in hidden] == [True] * 3
    assert hidden[1] != hidden[2]  # that two keys are the same would tell of the password letter by letter
    assert verdict.outcome in ("unmet", "undecided")


CALLS: list[Mapping[str, Value]] = [
    {"kind": "fill", "target": {"css": "#gone-password"}, "text": "hunter2-FAKE"},
    {"kind": "fill", "target": {"xy": [10, 10]}, "text": "hunter2-FAKE"},
    {"kind": "tool", "tool": "login", "args": {"user": "ada", "password": "hunter2-FAKE"}},
    {"kind": "tool", "tool": "fill_form", "args": {"fields": [{"name": "Password", "value": "hunter2-FAKE"}]}},
    {"kind": "unheard-of", "secret": ["hunter2-FAKE"]},
]


def test_a_call_that_names_a_secret_or_may_go_into_one_is_recorded_without_it(
    stage: Stage, site: Site, tmp_path: pathlib.Path
) -> None:
    site.pages["/"] = LOGIN

    async def nothing(_: Page) -> None:
        """What is announced need not be done."""

    _, _, episode = run(stage, site, tmp_path, [(raw, nothing, None) for raw in CALLS])
    log = log_of(episode)
    assert ["@secret" in str(args) for args in log] == [True] * len(CALLS)
    assert found(stored(episode), "hunter2-FAKE") == []


DONE_RIGHT = """must: [value: {in: page, at: "#user.value", is: Ada}]
allow: [{in: page, at: "@storage.**"}]
"""
LINES = [
    'value: {in: page, css: ".danger-zone", is: {text: gone}}',
    'value: {in: page, css: "#echo", is: {text: danger-zone}}',
    'value: {in: page, at: "@text[*]", is: {mentions: danger-zone}, pick: any}',
    'value: {in: page, at: "@title", is: danger-zone}',
    "request: {in: page, url: {path: /danger-zone}}",
    "request: {in: page, method: POST, body: danger-zone}",
    "action: {kind: fill, text: danger-zone}",
    "value: {in: page, role: button, name: danger-zone, field: disabled, is: false}",
    "value: {in: page, at: '@storage.local.**', is: danger-zone, pick: any}",
]
DONE = """() => {
    echo.textContent = "danger-zone"; document.title = "danger-zone"; localStorage.x = "danger-zone";
    document.body.append(Object.assign(document.createElement("p"), { className: "danger-zone", textContent: "gone" }));
    document.body.append(Object.assign(document.createElement("button"), { textContent: "danger-zone" }));
    return fetch("/danger-zone", { method: "POST", body: "danger-zone" });
}"""


def test_no_red_line_is_hidden_by_typing_it_as_a_password(stage: Stage, site: Site, tmp_path: pathlib.Path) -> None:
    """All is done that must be, so that whoever does not mind what was hidden takes it for a pass."""
    site.pages |= {"/": "<input id=user><input id=pw type=password><p id=echo>nothing", "/danger-zone": "<p>x"}
    acts = [fill("#pw", "danger-zone"), script(DONE), fill("#user", "Ada")]
    verdict, task, episode = run(stage, site, tmp_path, acts, rules=DONE_RIGHT, closed="")
    assert verdict.outcome == "passed"
    case = read_episode(episode, task)
    outcomes = {
        line: judge(task_of(tmp_path, f"{DONE_RIGHT}veto: [{line}]\n", closed=""), case).outcome for line in LINES
    }
    assert outcomes == dict.fromkeys(LINES, "undecided")
