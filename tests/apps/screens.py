"""The pages of real applications that are looked at, what moves on them by itself, and what a person does there."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from playwright.async_api import Page

from exactchange.values import ABSENT


@dataclass(frozen=True, slots=True)
class Screen:
    """One page, at a path or, for "", where signing in leads. `ready`: CSS of what shows once the page was built.

    `stirs`: what may change by itself within ten seconds. `renewed`: what a reload changes, always; `may_renew`: what
    it changes now and then. Each by address pattern, with the kind of noise. `reloads`: a reload shows the same page.
    `core`: `make test` looks at it, also where the application is a heavy one.
    """

    application: str
    name: str
    path: str
    ready: str
    stirs: Mapping[str, str] = field(default_factory=dict[str, str])
    renewed: Mapping[str, str] = field(default_factory=dict[str, str])
    may_renew: Mapping[str, str] = field(default_factory=dict[str, str])
    signed_in: bool = True
    reloads: bool = True
    core: bool = False

    def __str__(self) -> str:
        return f"{self.application}-{self.name}"


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person does on a screen, and every address that it changes there, `@requests` aside, with what it is then.

    `begin`: what is done before the first capture. `echoes`: further places where the application shows it, now
    or some time after.
    """

    screen: str
    name: str
    act: Callable[[Page], Awaitable[object]]
    changes: Mapping[str, object]
    begin: Callable[[Page], Awaitable[object]] | None = None
    echoes: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{self.screen}-{self.name}"


async def sign_in(page: Page, application: str, address: str) -> None:
    """As the seed's administrator, where the application asks who one is."""
    match application:
        case "radicale":
            await page.goto(f"{address}/.web/")
            await page.locator("#loginscene input[type=text]").fill("ada")
            await page.locator("#loginscene input[type=password]").fill("ada")
            await page.get_by_role("button", name="Next").click()
            await page.locator("#collectionsscene").wait_for()
        case "wagtail":
            await page.goto(f"{address}/admin/login/")
            await page.fill("[name=username]", "admin")
            await page.fill("[name=password]", "admin")
            await page.click("button[type=submit]")
            await page.wait_for_url("**/admin/")
        case "jupyterlab":
            await page.goto(f"{address}/login")
            await page.fill("[name=password]", "till")
            await page.click("#login_submit")
            await page.wait_for_url("**/lab**", wait_until="commit")  # from there it goes on to what was open before
        case _:
            pass


_TIMED = {"@text[*]": "duration: how long the queries took"}
_CSRF = {"**.input[name=csrfmiddlewaretoken].value": "token: a new mask for every form"}
_PING = {"@requests[*]": "polling: who else edits the page"}
_DRAFT = {"#id_body.value": "generated id: keys of paragraphs, in the JSON of a hidden field"}
_POLLS = {
    "@requests[*]": "polling: kernels, terminals, sessions, files, and the layout that is saved",
    "**.@disabled": "counter: whether any kernel runs",
}
_STATE = {
    "@loaded": "address: `reset`, by which it was opened, is taken out",
    '@storage.local.*["@jupyterlab/statedb:StateDB:beacon"]': "nonce: a number drawn at the start, with the time",
    '@storage.local.*["@jupyterlab/statedb:StateDB:window"]': "nonce: the time of the start",
}
_OPENED = {
    "**.@name": "time: when the file was saved and a copy of it made, in the tooltip of a tab",
    "#jp-running-sessions": "counter: the kernels that run",
    "jp-button[label=*]": "counter: the sessions and layouts that are listed, each with its buttons",
    "jp-tree-item": "generated id: kernels are listed with the start of theirs",
    "#title-key-*": "counter: the same, of a list that is folded",
    "**.@disabled": "counter: whether any kernel runs",
}
_LATE = {
    "@storage.local.*.palette-state": "delay: the state of the palette is stored some seconds after the start",
}
SCREENS = {
    str(screen): screen
    for screen in (
        Screen("datasette", "start", "/", "text=library"),
        Screen("datasette", "table", "/library/book?_facet=shelf", "table.rows-and-columns", may_renew=_TIMED),
        Screen("datasette", "row", "/library/book/7", "table.rows-and-columns", may_renew=_TIMED),
        Screen("datasette", "query", "/library?sql=select+id+from+book+limit+3", ".CodeMirror", may_renew=_TIMED),
        Screen("radicale", "login", "/.web/", "#loginscene", signed_in=False),
        Screen("radicale", "collections", "", "#collectionsscene article:not(.hidden)", reloads=False),
        Screen("wagtail", "login", "/admin/login/", "[name=username]", renewed=_CSRF, signed_in=False),
        Screen("wagtail", "dashboard", "/admin/", "#wagtail-sidebar nav", renewed=_CSRF),
        Screen("wagtail", "list", "/admin/pages/3/", "table.listing", renewed=_CSRF, core=True),
        Screen(
            "wagtail",
            "editor",
            "/admin/pages/4/edit/",
            ".public-DraftEditor-content",
            stirs=_PING,
            renewed=_CSRF | _DRAFT,
            core=True,
        ),
        Screen("wagtail", "history", "/admin/reports/site-history/", "table.listing", renewed=_CSRF),
        Screen(
            "jupyterlab",
            "login",
            "/login",
            "[name=password]",
            renewed={"**.input[name=_xsrf].value": "token: a new one for every form"},
            signed_in=False,
        ),
        Screen(
            "jupyterlab",
            "launcher",
            "/lab?reset",
            ".jp-LauncherCard",
            stirs=_POLLS,
            renewed=_STATE,
            may_renew=_OPENED,
            core=True,
        ),
        Screen(
            "jupyterlab",
            "text",
            "/lab/tree/readme.md?reset",
            ".jp-FileEditor .cm-content",
            stirs=_POLLS,
            renewed=_STATE,
            may_renew=_OPENED,
        ),
        Screen(
            "jupyterlab",
            "notebook",
            "/lab/tree/takings.ipynb?reset",
            ".jp-CodeCell .cm-content",
            stirs=_POLLS,
            renewed=_STATE,
            may_renew=_OPENED
            | {"@text[*]": "order: which pane was drawn first", "@dialogs[*]": "dialog: it asks before it goes"},
        ),
        Screen(
            "node-red",
            "flow",
            "/",
            ".red-ui-flow-node",
            stirs=_LATE,
            renewed={"@loaded": "address: the editor adds the flow's id to the address that it was opened by"},
            may_renew=_LATE,
        ),
    )
}


async def _typed(page: Page, where: str, text: str, number: int = 0) -> None:
    await page.locator(where).nth(number).click()
    await page.keyboard.press("End")
    await page.keyboard.type(text)


EDITS = [
    Edit(
        "datasette-table",
        "column",
        lambda page: page.select_option("[name=_filter_column]", "title"),
        {"select[name=_filter_column].value": "title"},
    ),
    Edit(
        "datasette-query",
        "sql",
        lambda page: _typed(page, ".CodeMirror", "0"),
        # CodeMirror 5 draws its text: the field below it learns of it when the form is sent.
        {
            "div[n=1].value": "select id from book limit 30",
            "@text[*]": "select id from book limit 30",
            "textarea[n=1].value": "0",
        },
    ),
    Edit(
        "radicale-login",
        "user",
        lambda page: page.fill("#loginscene input[type=text]", "grace"),
        {"input[label=Username].value": "grace", "@text[*]": ABSENT},  # that it is empty
    ),
    Edit(
        "wagtail-editor",
        "lead",
        lambda page: page.fill("#id_lead", "In winter"),
        {"#id_lead.value": "In winter"},
        echoes=["@text[*]", "@title", "input[name=revision_created_at].value", "input[name=revision_id].value"],
    ),
    Edit(
        "wagtail-editor",
        "rich text",
        lambda page: _typed(page, ".public-DraftEditor-content", " Daily."),
        {"div[n=1].value": "Open from nine to five. Daily."},
        echoes=[
            *("#id_body.value", "@text[*]", "@title", "input[name=revision_created_at].value"),
            "input[name=revision_id].value",
        ],
    ),
    Edit(
        "jupyterlab-notebook",
        "cell",
        lambda page: page.keyboard.type(" + 1"),
        {"**.value": "max(takings) + 1"},
        begin=lambda page: _typed(page, ".jp-CodeCell .cm-content", "", 1),
        echoes=["@text[*]", "span[label=*]"],  # where the cursor is
    ),
    Edit(
        "node-red-flow",
        "filter",
        lambda page: page.fill("#red-ui-palette-search input", "json"),
        {'input[label="filter nodes"].value': "json"},
        echoes=list(_LATE),
    ),
]
