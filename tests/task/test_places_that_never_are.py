# ruff: noqa: E501  # a row of a table for every mistake
"""Places, values and changes that can never be are refused, each with its place and a remedy."""

import pathlib

import pytest
from tests.task.writing import HEAD, MUST, load, marked, problems

from exactchange.task import Problem

NEVER = [
    ("veto", '{change: {in: page, at: "@cookeis.theme"}}', '"@cookeis.theme"', "in 'page', a page never holds '@cookeis'; did you mean '@cookies'?"),
    ("veto", '{change: {in: page, at: "@titel"}}', '"@titel"', "in 'page', a page never holds '@titel'; did you mean '@title'?"),
    ("veto", '{change: {in: page, at: "@text", to: Paid}}', "Paid", "a list of lines stands there, which is never of type str; write `@text[*]`, with `pick: any` in a value"),
    ("veto", '{value: {in: page, at: "@text", is: {mentions: paid}}}', "{", "a list of lines stands there, which is never of type str; write `@text[*]`, with `pick: any` in a value"),
    ("must", '{change: {in: page, at: "@text", op: added}}', "added", "a list of lines is always there, and is never added as a whole; write `@text[*]`, with `pick: any` in a value"),
    ("must", '{change: {in: page, at: "@cookies", op: removed}}', "removed", "the list of cookies is always there, and is never removed as a whole; write `op: modified`"),
    ("veto", '{change: {in: page, at: "#email.valeu", to: x}}', "x", "an element stands there, which is never of type str; say what of it: `#email.value`; one of several is written `input[n=2]`"),
    ("veto", '{value: {in: page, at: "#email.valeu", is: x}}', "x", "an element stands there, which is never of type str; say what of it: `#email.value`; one of several is written `input[n=2]`"),
    ("veto", '{value: {in: page, at: "#email", is: x}}', "x", "an element stands there, which is never of type str; say what of it: `#email.value`; one of several is written `input[n=2]`"),
    ("veto", '{value: {in: page, at: "#agree.checked", is: "true"}}', '"true"', 'whether it is ticked is never "true"; write true without quotes'),
    ("veto", '{value: {in: page, at: "input[2].value", is: "x"}}', '"input[2].value"', "in 'page', an element never holds '[2]'; say what of it: `#email.value`; one of several is written `input[n=2]`"),
    ("veto", '{value: {in: page, at: "@cookies.theme", is: dark}}', "dark", "a cookie stands there, which is never of type str; write `.value` behind it"),
    ("veto", '{value: {in: page, at: "@cookies.theme.vlaue", is: dark}}', '"@cookies.theme.vlaue"', "in 'page', a cookie never holds 'vlaue'; did you mean 'value'?"),
    ("veto", '{value: {in: page, at: "@storage.local.theme", is: dark}}', "dark", 'what an origin has stored stands there, which is never of type str; write the origin and the key: ["http://…"].theme'),
    ("veto", '{value: {in: page, at: "@storage.lokal.*.theme", is: dark}}', '"@storage.lokal.*.theme"', "in 'page', storage never holds 'lokal'; did you mean 'local'?"),
    ("veto", '{value: {in: page, at: "@dialogs[0].type", is: alrt}}', "alrt", "the type of a dialog is never \"alrt\"; did you mean 'alert'?"),
    ("veto", '{value: {in: page, at: "@dialogs[0].kind", is: alert}}', '"@dialogs[0].kind"', "in 'page', a dialog never holds 'kind'; there are type, message, answer or text"),
    ("veto", '{value: {in: page, at: "@downloads[*].state", is: complete, pick: any}}', "complete", "the state of a download is never \"complete\"; did you mean 'completed'?"),
    ("veto", '{value: {in: page, at: "@requests[*].methd", is: POST, pick: any}}', '"@requests[*].methd"', "in 'page', a request never holds 'methd'; did you mean 'method'?"),
    ("veto", '{value: {in: page, at: "@requests[*].status", is: "200", pick: any}}', '"200"', "the status of an answer stands there, which is never of type str; it is int or null"),
    ("veto", '{value: {in: page, at: "@tabs[2].@url", is: {url: {path: /a}}}}', '"@tabs[2].@url"', "in 'page', the list of tabs never holds '[2]'; write `@tabs[n=2]`"),
    ("veto", '{value: {in: page, at: "@tabs[n=2].@cookies.a.value", is: a}}', '"@tabs[n=2].@cookies.a.value"', "in 'page', another tab never holds '@cookies'; an element is written by its id, `#email.value`, or by its tag and name, `input[name=email].value`"),
    ("veto", '{value: {in: page, at: "@frames.iframe[name=card].@title", is: a}}', '"@frames.iframe[name=card].@title"', "in 'page', a frame never holds '@title'; there are @url, @loaded, @text, @rows, @canvas, @frames, @structure, @name, @label, @description, @type or @disabled"),
    ("veto", '{value: {in: page, at: "@permissions.geolocation", is: a}}', "a", "a list of permissions stands there, which is never of type str; write `[*]` behind it"),
    ("veto", '{value: {in: page, at: "@url.path", is: /a}}', '"@url.path"', "in 'page', a text never holds 'path'"),
    ("veto", '{value: {in: page, at: "@console[0].level", is: error}}', '"@console[0].level"', "in 'page', an error never holds 'level'; there are source, text or url"),
    ("veto", '{change: {in: page, css: "#a", field: text}}', "text", '`field: text` is worked out of the state, so that no change of it is ever told; say which state of a control: `field: value`; changes of text are in `at: "@text[*]"`'),
    ("veto", '{change: {in: page, css: "#a", field: hidden}}', "hidden", '`field: hidden` is worked out of the state, so that no change of it is ever told; say which state of a control: `field: value`; changes of text are in `at: "@text[*]"`'),
    ("veto", '{change: {in: page, css: "#a", field: "@href"}}', '"@href"', '`field: @href` is worked out of the state, so that no change of it is ever told; say which state of a control: `field: value`; changes of text are in `at: "@text[*]"`'),
    ("veto", "{change: {in: page, role: buton}}", "buton", "no element has the role 'buton'; did you mean button?"),
    ("veto", '{change: {in: page, at: "@text[*]", to: 5}}', "5", "'page' never holds the int 5; write \"5\""),
    ("veto", '{value: {in: page, css: "", is: x}}', '""', "`css` is empty; say what it is of the element"),
    ("veto", '{value: {in: page, css: "#a", field: checked, is: "true"}}', '"true"', 'whether it is ticked is never "true"; write true without quotes'),
    ("veto", '{value: {in: page, css: "#a", field: value, is: true}}', "true", "what is typed or chosen stands there, which is never of type bool; it is list, null or str"),
    ("veto", '{value: {in: page, css: "#a", field: disabled, is: "yes"}}', '"yes"', "true or false stands there, which is never of type str; it is bool"),
    ("veto", '{value: {in: page, css: "#a", field: role, is: buton}}', "buton", "a role is never \"buton\"; did you mean 'button'?"),
    ("veto", "{value: {in: page, role: button, field: role, is: link}}", "link", 'the role of what is chosen by it is never "link"; it is button'),
    ("veto", "{value: {in: page, role: button, name: Pay, field: name, is: Save}}", "Save", 'the name of what is chosen by it is never "Save"; it is Pay'),
    ("veto", '{change: {in: db, at: "orders.status"}}', '"orders.status"', "in 'db', a table never holds 'status'; a row is written `orders[id=7]`, all of them `orders[*]`"),
    ("veto", '{change: {in: db, at: "orders[0]"}}', '"orders[0]"', "in 'db', a table never holds '[0]'; a row is written `orders[id=7]`, all of them `orders[*]`"),
    ("veto", '{change: {in: db, at: "orders[id=7].status.x"}}', '"orders[id=7].status.x"', "in 'db', a column of a row never holds 'x'; for what is in a JSON text, use `json:`"),
    ("veto", '{change: {in: db, at: "@shema.table.orders"}}', '"@shema.table.orders"', "in 'db', a database never holds '@shema'; did you mean '@schema'?"),
    ("veto", '{change: {in: db, at: "@schema.tables.orders"}}', '"@schema.tables.orders"', "in 'db', the schema never holds 'tables'; did you mean 'table'?"),
    ("veto", '{change: {in: db, at: "orders[*].status", row: {status: x}}}', "row", "`row` speaks of the columns of a row, and no row ever stands here; name the rows, such as `orders[*]`"),
    ("veto", '{change: {in: db, at: "orders", row: {status: x}}}', "row", "`row` speaks of the columns of a row, and no row ever stands here; name the rows, such as `orders[*]`"),
    ("veto", '{change: {in: db, at: "orders", to: x}}', "x", "a table stands there, which is never of type str; a row is written `orders[id=7]`, all of them `orders[*]`"),
    ("veto", '{change: {in: db, at: "orders[*]", op: modified, to: x}}', "x", "a row stands there, which is never of type str; a column is written `orders[*].status`"),
    ("veto", '{value: {in: db, at: "orders[id=7]", is: open}}', "open", "a row stands there, which is never of type str; a column is written `orders[*].status`"),
    ("veto", '{change: {in: db, at: "@pragma.user_verson"}}', '"@pragma.user_verson"', "in 'db', the pragmas never holds 'user_verson'; did you mean 'user_version'?"),
    ("veto", '{change: {in: cfg, at: "@moed"}}', '"@moed"', "in 'cfg', a file never holds '@moed'; did you mean '@mode'?"),
    ("veto", '{change: {in: cfg, at: "@mode", to: 644}}', "644", 'the mode of a file, a text of four digits stands there, which is never of type int; write "0644"'),
    ("veto", '{change: {in: cfg, at: "@type", to: folder}}', "folder", 'the type of a file is never "folder"; it is block device, char device, dir, fifo, file, link, socket or unknown'),
    ("veto", '{change: {in: cfg, at: "[0].name"}}', '"[0].name"', "in 'cfg', a file never holds '[0]'; an item of a document that is a list is written `@value[0]`"),
    ("veto", '{change: {in: cfg, at: "jobs[*]", op: added, row: {name: x}}}', "row", "`row` speaks of the columns of a row, and no row ever stands here; name the places in it, or use `to: {has: {…}}`"),
    ("veto", '{change: {in: files, at: "@moed"}}', '"@moed"', "in 'files', a directory never holds '@moed'; did you mean '@mode'?"),
    ("veto", "{action: {kind: click, target: {role: buton}}}", "buton", "no element has the role 'buton'; did you mean button?"),
    ("veto", "{action: {kind: click, target: {name: Save}}}", "name", "`name` goes with `role`; use `label` for the accessible name alone"),
    ("veto", '{action: {kind: click, target: {css: ""}}}', '""', "`css` is empty; say what it is of the element"),
    ("veto", '{action: {kind: click, target: {testid: " "}}}', '" "', "`testid` is empty; say what it is of the element"),
    ("veto", '{request: {in: page, method: "PO ST"}}', '"PO ST"', "no request has the method 'PO ST'; write GET, POST, …"),
    ("veto", '{request: {in: page, method: POST, status: "200"}}', '"200"', "the status of an answer is a number, or null before there is one, and never str; write it without quotes: 200"),
    ("veto", "{request: {in: page, method: POST, status: 20}}", "20", "no answer has the status 20; write a number from 100 to 599"),
    ("veto", '{value: {in: actions, at: "[*].kind", is: clik, pick: any}}', "clik", "a kind of action is never \"clik\"; did you mean 'click'?"),
    ("veto", '{value: {in: actions, at: "kind", is: click}}', '"kind"', "in 'actions', the list of actions never holds 'kind'; write `[*].kind`"),
    ("veto", '{value: {in: answer, at: "", is: {has: {a: 1}}}}', "{", "the whole answer is a text, never of type mapping; write {json: …} to read it as data, or name a field of it in `at`"),
    ("allow", '{in: page, css: "#a", field: text}', "text", '`field: text` is worked out of the state, so that no change of it is ever told; say which state of a control: `field: value`; changes of text are in `at: "@text[*]"`'),
    ("allow", '{in: page, at: "@cookeis"}', '"@cookeis"', "in 'page', a page never holds '@cookeis'; did you mean '@cookies'?"),
    ("allow", '{in: db, at: "audit_log", row: {a: 1}}', "row", "`row` speaks of the columns of a row, and no row ever stands here; name the rows, such as `orders[*]`"),
    ("allow", '{in: page, at: "@requests", to: {has: {a: 1}}}', "{", "a list of requests stands there, which is never of type mapping; use `request`"),
    ("ignore", '{in: page, at: "@sotrage"}', '"@sotrage"', "in 'page', a page never holds '@sotrage'; did you mean '@storage'?"),
    ("ignore", '{in: db, at: "log[*].a.b"}', '"log[*].a.b"', "in 'db', a column of a row never holds 'b'; for what is in a JSON text, use `json:`"),
    ("holes", '{in: page, at: "@txt", why: x}', '"@txt"', "in 'page', a page never holds '@txt'; did you mean '@text'?"),
]  # fmt: skip


def _written(tier: str, rule: str) -> str:
    """A task with this rule in this tier, and with nothing else that is wrong."""
    must = f"must:\n  - {rule}\n" if tier == "must" else MUST
    evident = "  - {change: {in: db, op: removed}}\n" if tier == "veto" else ""
    return HEAD + must + ("" if tier == "must" else f"{tier}:\n  - {rule}\n{evident}")


def _told(problem: Problem) -> tuple[str, str]:
    return marked(problem), problem.said


@pytest.mark.parametrize(("tier", "rule", "mark", "message"), NEVER)
def test_what_can_never_be_is_refused_at_its_place(
    tmp_path: pathlib.Path, tier: str, rule: str, mark: str, message: str
) -> None:
    assert [_told(item) for item in problems(tmp_path, _written(tier, rule))] == [(mark, message)]


UNLIKELY = [
    ("veto", '{change: {in: page, at: "#email.valeu"}}', '"#email.valeu"', "nothing of an element is usually called 'valeu', so that this may look at nothing; did you mean 'value'?"),
    ("veto", '{value: {in: page, at: "email.value", is: "x"}}', '"email.value"', "nothing of a page is usually called 'email', so that this may look at nothing; an element is written by its id, `#email.value`, or by its tag and name, `input[name=email].value`"),
    ("veto", '{change: {in: page, css: "#a"}}', "css", 'of what this finds a change may be told, or none ever: that depends on what is there; say which state of a control: `field: value`; changes of text are in `at: "@text[*]"`'),
    ("veto", "{action: {kind: click, args: {button: lefft}}}", "lefft", "\"lefft\" is not what a browser calls it; did you mean 'left'?"),
    ("veto", "{action: {kind: click, args: {buton: left}}}", "buton", "an action of kind click has no argument 'buton'; did you mean 'button'?"),
    ("veto", "{action: {kind: key, args: {keys: Entr}}}", "Entr", "\"Entr\" is not what a browser calls it; did you mean 'Enter'?"),
    ("veto", '{action: {kind: key, args: {keys: "Ctrl+a"}}}', '"Ctrl+a"', "\"Ctrl\" is not what a browser calls it; did you mean 'Control'?"),
    ("veto", "{action: {kind: shell, text: {contains: rm}}}", "text", "an action of kind shell has no `text`, so that this looks for what nobody reports; it has command, which stands in `args`"),
    ("veto", "{action: {kind: goto, target: {css: a}}}", "target", "an action of kind goto has no `target`, so that this looks for what nobody reports; it has url, which stands in `args`"),
    ("veto", "{action: {kind: click, tool: x}}", "tool", "an action of kind click has no `tool`, so that this looks for what nobody reports; it has button, count, target or xy, which stands in `args`"),
    ("veto", '{action: {tool: ""}}', '""', "no tool is called that; write the name of the tool"),
    ("veto", "{request: {in: page, method: PSOT}}", "PSOT", "'PSOT' is no method that pages usually send; did you mean 'POST'?"),
    ("veto", '{value: {in: actions, at: "[*].kidn", is: click, pick: any}}', '"[*].kidn"', "nothing of an action is usually called 'kidn', so that this may look at nothing; did you mean 'kind'?"),
    ("veto", '{change: {in: db, table: "", op: added}}', '""', "no table is called that; write the name of the table"),
]  # fmt: skip


@pytest.mark.parametrize(("tier", "rule", "mark", "message"), UNLIKELY)
def test_what_is_hardly_meant_is_warned_of_at_its_place(
    tmp_path: pathlib.Path, tier: str, rule: str, mark: str, message: str
) -> None:
    assert [_told(item) for item in load(tmp_path, _written(tier, rule)).hints] == [(mark, message)]


FINE = [
    "{change: {in: page, at: '@text[*]', op: added, to: {mentions: paid}}}",
    "{change: {in: page, at: '@cookies.theme', op: added}}",
    "{change: {in: page, at: '@cookies', op: added}}",
    "{change: {in: page, at: '@cookies.*.value', to: x}}",
    "{change: {in: page, at: '@frames.iframe[name=card].#number.value', to: '4'}}",
    "{change: {in: page, at: '@frames.**.@text[*]', op: added}}",
    "{change: {in: page, at: '**'}}",
    "{change: {in: page, at: '**.value', to: x}}",
    "{change: {in: page, at: 'x-button[label=Save].button[label=Save].@disabled', op: removed}}",
    "{change: {in: page, at: '#host.#inner.value'}}",
    "{change: {in: page, at: 'input[name=agree].checked', to: true}}",
    "{change: {in: page, at: 'div[label=\"Dark mode\"].checked', to: mixed}}",
    "{change: {in: page, at: '#tags.value[0]', to: x}}",
    "{change: {in: page, at: '@storage.indexeddb[\"http://a.example\"].shop.items[id=7].name', to: 5}}",
    "{value: {in: page, at: '@storage.caches[\"http://a.example\"]', is: {items: [v1]}}}",
    "{value: {in: page, at: '@dialogs[*].answer', is: null, pick: any}}",
    "{value: {in: page, at: '@downloads[name=report.csv].state', is: completed}}",
    "{value: {in: page, at: '@requests[*].body', is: {has: {a: 1}}, pick: any}}",
    "{value: {in: page, at: '@tabs[n=2].@storage.session.*.theme', is: dark}}",
    "{value: {in: page, at: '@contexts[n=2].@cookies.a.value', is: x}}",
    "{value: {in: page, at: '@canvas.#pad.@pixels', is: blank}}",
    "{value: {in: page, at: '@rows.**', is: {contains: x}, pick: any}}",
    "{value: {in: page, css: a.next, field: '@href', is: /page/2}}",
    "{value: {in: page, css: a.next, field: text, is: Next}}",
    "{value: {in: page, css: '#a', field: checked, is: true}}",
    "{change: {in: page, css: '#a', field: name}}",
    "{value: {in: page, role: button, name: Pay, field: name, is: {text: PAY}}}",
    "{value: {in: page, role: button, field: name, is: Pay}}",
    "{change: {in: page, css: '#a', field: disabled}}",
    "{change: {in: db, at: '*', op: added}}",
    "{change: {in: db, at: 'log[#1a*]'}}",
    "{change: {in: db, at: 'orders[*]', op: added, row: {a: 1}}}",
    "{change: {in: db, row: {a: 1}}}",
    "{change: {in: db, at: '@schema.table.orders', op: modified}}",
    "{change: {in: db, at: '@pragma.user_version', to: 3}}",
    "{change: {in: cfg, at: '@value[0].name', to: x}}",
    "{change: {in: cfg, at: 'jobs[name=a].steps[2]', to: {has: {a: 1}}}}",
    "{change: {in: cfg, at: '@mode', to: '0600'}}",
    "{change: {in: files, at: 'b/**', op: added}}",
    "{change: {in: files, at: 'b.yaml.@mode', to: '0600'}}",
    "{change: {in: files, at: '@mode', to: '0600'}}",
    "{value: {in: actions, at: '[*].target.css', is: {absent: true}, pick: any}}",
    "{action: {kind: click, target: {role: button, name: Save}, args: {button: right, count: 2}}}",
    "{action: {kind: key, args: {keys: Control+a}}}",
    "{action: {kind: key, args: {keys: {one_of: [Enter, a, Shift+F5]}}}}",
    "{action: {kind: tool, tool: pay, args: {amount: 3}}}",
    "{action: {kind: tab_new, args: {whatever: 3}}}",
    "{request: {in: page, method: post, status: {ge: 400}}}",
    "{request: {in: page, method: POST, status: {one_of: [200, null]}}}",
]


@pytest.mark.parametrize("rule", FINE)
def test_what_may_be_is_neither_refused_nor_warned_of(tmp_path: pathlib.Path, rule: str) -> None:
    text = _written("veto", rule)
    assert problems(tmp_path, text) == ()
    assert load(tmp_path, text).warnings == ()


@pytest.mark.parametrize("key", ["only", "except"])
def test_what_a_source_looks_at_or_leaves_out_must_be_there(tmp_path: pathlib.Path, key: str) -> None:
    text = HEAD.replace('port}/"}', f"port}}/\", {key}: ['@text', '@cookeis']}}") + MUST
    assert [_told(item) for item in problems(tmp_path, text)] == [
        ("'@cookeis'", "in 'page', a page never holds '@cookeis'; did you mean '@cookies'?")
    ]


def test_a_rule_of_noise_of_ones_own_is_on_a_place_that_there_is(tmp_path: pathlib.Path) -> None:
    noise = "noise: {add: [{at: '@txt', like: 'Build <digits>'}]}"
    text = HEAD.replace('port}/"}', f'port}}/", {noise}}}') + MUST
    assert [_told(item) for item in problems(tmp_path, text)] == [
        ("'@txt'", "no place of a page is ever called '@txt'; say where the text stands, such as `@text`")
    ]
