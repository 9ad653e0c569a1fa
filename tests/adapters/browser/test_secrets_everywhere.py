"""A secret that was seen in its place is stored nowhere, in whatever place it stands again: not in an episode, either."""

import json
import pathlib
from collections.abc import Awaitable, Callable, Mapping

from playwright.async_api import Page
from tests.adapters.browser.leaks import found, stored
from tests.adapters.browser.stage import Site, Stage

from exactchange.episode import RunWorld
from exactchange.session import Session, judge_episode
from exactchange.task import Task, load_task
from exactchange.values import Value
from exactchange.verdict import Verdict

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
    document.body.append(Object.assign(document.createElement("iframe"), { srcdoc: "<p>" + text.replace("<", "&lt;") }));
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


def task_of(folder: pathlib.Path, rules: str) -> Task:
    page = "{adapter: browser, start: 'http://127.0.0.1:{port}/', closed: [controls, text, url, title, requests]}"
    (folder / "task.yaml").write_text(
        f"id: t\ninstruction: Sign in.\nsources: {{page: {page}}}\n{rules}", encoding="utf-8"
    )
    return load_task(folder / "task.yaml")


def run(
    stage: Stage, site: Site, folder: pathlib.Path, acts: list[Act], *, rules: str = RULES, answer: str = "done"
) -> tuple[Verdict, Task, pathlib.Path]:
    """The verdict on these acts, and the folder of their episode."""
    task = task_of(folder, rules)

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
    verdict, task, episode = run(stage, site, tmp_path, acts, answer=f"I used {PASSWORD}.")
    hits = found(stored(episode), *FAKES)
    for h in hits[:60]: print(h)
    assert hits == []
    assert verdict.outcome in ("unmet", "undecided")
    assert judge_episode(task, episode).outcome == verdict.outcome
