import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.task.writing import HEAD, MUST, load, marked, one, problems

from exactchange.address import parse_pattern
from exactchange.task.braces import BRING_UP, escape, escape_pattern, expand, put_in, put_in_address, put_in_pattern
from exactchange.values import Value

PARAMS: dict[str, Value] = {
    "name": "Ada L.",
    "n": 30,
    "on": True,
    "none": None,
    "rate": 0.5,
    "list": [1, 2],
    "re": "a.b*",
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{n}", 30),
        ("{on}", True),
        ("{none}", None),
        ("{list}", [1, 2]),
        ("{name}", "Ada L."),
        ("n={n}", "n=30"),
        ("{on} {none} {rate} {name}", "true null 0.5 Ada L."),
        ("{{n}}", "{n}"),
        ("{{{n}}}", "{30}"),
        ("a }} b", "a } b"),
    ],
)
def test_a_param_alone_keeps_its_type_and_within_a_text_becomes_text(text: str, value: Value) -> None:
    faults: list[str] = []
    found = put_in(text, PARAMS, lambda message, hint, part: faults.append(message))
    assert (found, type(found), faults) == (value, type(value), [])


@pytest.mark.parametrize(
    ("text", "message", "part"),
    [
        ("hello {nam}", "no param is called 'nam'", "{nam}"),
        ("{workdir}/x", "{workdir} has a value only in `app` and `sources`", "{workdir}"),
        ("{list} items", "the param 'list' is a list, which cannot stand inside a text", "{list}"),
        ('{"a": 1}', "a lone '{'", "{"),
        ("a}", "a lone '}'", "}"),
        ("{a b}", "a lone '{'", "{"),
    ],
)
def test_braces_that_mean_nothing_are_named(text: str, message: str, part: str) -> None:
    faults: list[tuple[str, str]] = []
    put_in(text, PARAMS, lambda said, hint, what: faults.append((said, what)))
    assert faults[0] == (message, part)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        (r"{re}\d{2}", r"a\.b\*\d{2}"),
        (r"\p{Greek}{1,3}\{n\}", r"\p{Greek}{1,3}\{n\}"),
        (r"x{n}", "x30"),
        (r"a{{2}}", "a{2}"),
        (r"[^{{]{2,}", "[^{]{2,}"),
    ],
)
def test_in_a_pattern_params_are_escaped_and_its_own_braces_stay(text: str, pattern: str) -> None:
    faults: list[str] = []
    assert put_in_pattern(text, PARAMS, lambda message, hint, part: faults.append(message)) == pattern
    assert faults == []


@pytest.mark.parametrize(
    ("text", "params", "address"),
    [
        ("users[name={p}]", {"p": "Ada L."}, 'users[name="Ada L."]'),
        ("users[id={p}]", {"p": 7}, "users[id=7]"),
        ("users[id={p}].x", {"p": "7"}, 'users[id="7"].x'),
        ("users[id={p},day={q}]", {"p": "a]", "q": None}, 'users[id="a]",day=null]'),
        ("{p}.port", {"p": "a.b"}, '["a.b"].port'),
        ("server.{p}", {"p": "port"}, "server.port"),
        ("server.{p}.x", {"p": "*"}, 'server.["*"].x'),
        ("{p}", {"p": "server.*"}, "server.*"),
        ("backup/{p}-*.yaml", {"p": "app.d/x"}, "backup/app.d/x-*.yaml"),
    ],
)
def test_in_an_address_a_param_stands_for_itself(text: str, params: dict[str, Value], address: str) -> None:
    faults: list[str] = []
    assert put_in_address(text, params, lambda message, hint, part: faults.append(message)) == address
    assert faults == []
    parse_pattern(address, slashed="/" in address)


def test_a_param_cannot_smuggle_a_pattern_into_an_address() -> None:
    faults: list[str] = []
    put_in_address("backup/{p}.yaml", {"p": "*"}, lambda message, hint, part: faults.append(message))
    assert faults == ["the param 'p' holds '*', which an address would read as a pattern"]


@given(st.text())
def test_an_escaped_text_is_put_in_unchanged(text: str) -> None:
    assert put_in(escape(text), {}, fail) == text
    assert put_in_pattern(escape_pattern(text), {}, fail) == text
    assert expand(escape(text), {}) == text


@given(st.text(), st.dictionaries(st.sampled_from(["workdir", "port", "python"]), st.text()))
def test_what_a_param_holds_is_never_expanded_again(value: str, world: dict[str, str]) -> None:
    waiting = put_in("x{p}y{{}}", {"p": value}, fail, deferred=BRING_UP)
    assert isinstance(waiting, str)
    assert expand(waiting, world) == f"x{value}y{{}}"
    alone = put_in("{p}", {"p": value}, fail, deferred=BRING_UP)
    assert isinstance(alone, str) and expand(alone, world) == value


def fail(message: str, hint: str | None, part: str) -> None:
    raise AssertionError(message)


def test_params_reach_every_kind_of_text_in_the_way_of_its_place(tmp_path: pathlib.Path) -> None:
    task = load(
        tmp_path,
        """\
id: t
instruction: Tell {who} about {{braces}}.
params: {who: Ada L., n: 30, dir: "{{workdir}}", re: a.b}
app: {seed: "seeds/{n}", start: ["{python}", "--dir={workdir}/{n}", "{dir}", "{{x}}"]}
sources:
  db: {adapter: sqlite, path: "{workdir}/{n}.db"}
  cfg: {adapter: file, path: "{workdir}/{n}.json"}
must:
  - change: {in: db, at: "users[name={who},x=x{n}]", op: added, row: {matches: "{who}", age: "{n}"}}
  - value: {in: db, query: "SELECT x FROM t WHERE n = {n} AND who = :who AND j = '{{}}:none'", is: {matches: "{re}{2}"}}
  - value: {in: cfg, at: "t[*].x", is: {exactly: {matches: "{re}"}}}
""",
    )
    assert task.instruction == "Tell Ada L. about {braces}."
    assert task.app is not None and task.app.seed == "seeds/30"
    assert task.app.start == ["{python}", "--dir={workdir}/30", "{{workdir}}", "{{x}}"]
    assert task.sources["db"].raw == {"path": "{workdir}/30.db"}
    change = task.must[0].change
    assert change is not None and change.row is not None
    assert change.at == 'users[name="Ada L.",x=x30]'
    assert {name: matcher.raw for name, matcher in change.row.items()} == {"matches": "Ada L.", "age": 30}
    value = task.must[1].value
    assert value is not None and value.is_.raw == {"matches": r"a\.b{2}"}
    assert value.query == "SELECT x FROM t WHERE n = :n AND who = :who AND j = '{}:none'"
    literal = task.must[2].value
    assert literal is not None and literal.is_.raw == {"exactly": {"matches": "a.b"}}
    assert task.params == {"who": "Ada L.", "n": 30, "dir": "{workdir}", "re": "a.b"}


def test_the_caller_s_params_take_the_place_of_the_task_s(tmp_path: pathlib.Path) -> None:
    text = HEAD + "params: {n: 20}\n" + MUST.replace("30", '"{n}"')
    plain, variant = load(tmp_path, text), load(tmp_path, text, params={"n": 45})
    assert [task.must[0].change.to.raw for task in (plain, variant)] == [20, 45]  # type: ignore[union-attr]
    assert plain.hash != variant.hash


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nn": 45}, "9:1: no param is called 'nn'; did you mean 'n'?"),
        ({"n": "45"}, "9:13: the param 'n' is of type int in the task, and the text \"45\" was given"),
    ],
)
def test_a_caller_s_param_has_a_name_and_a_type_of_the_task_s(
    tmp_path: pathlib.Path, given: dict[str, Value], message: str
) -> None:
    assert one(tmp_path, HEAD + "params: {n: 20}\n" + MUST.replace("30", '"{n}"'), params=given) == message


@pytest.mark.parametrize(
    ("params", "message", "part"),
    [
        ("{port: 1}", "{port} gets its value when the world is brought up", "port"),
        ("{a-b: 1}", "a param's name has letters, digits and _; 'a-b' has others", "a-b"),
        ('{a: 1, b: "{a}"}', "a param is put in as it is and can hold no other", "{a}"),
        ('{a: "x}"}', "a lone '}'", "}"),
    ],
)
def test_params_that_cannot_be_are_named(tmp_path: pathlib.Path, params: str, message: str, part: str) -> None:
    found = problems(tmp_path, HEAD + f"params: {params}\n" + MUST)
    assert [(item.message, marked(item)) for item in found] == [(message, part)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT :m", "no param is called 'm'; there are n"),
        ("SELECT @n, $q", "no param is called 'q'; there are n"),
        ("SELECT x FROM t WHERE a = ?", "a query binds its params by name; write :name"),
        ("SELECT '{n}'", "{n} stands inside quotes; a query binds its params: write :name, without quotes"),
        ("SELECT {n} -- :m {n}", "{n} stands inside quotes; a query binds its params: write :name, without quotes"),
    ],
)
def test_a_query_binds_params_and_holds_none(tmp_path: pathlib.Path, query: str, message: str) -> None:
    text = HEAD + "params: {n: 20}\n" + MUST + f'  - value: {{in: db, query: "{query}", is: 1}}\n'
    assert one(tmp_path, text).split(": ", 1)[1] == message
