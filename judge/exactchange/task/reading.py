"""Reads the parts of a task file one by one, so that a mistake in one part hides none in another."""

import re
from collections.abc import Mapping
from typing import Final

from exactchange.conditions import Allowed, Condition, Hole
from exactchange.task.braces import BRING_UP, HERE, NAME, Fault
from exactchange.task.declared import validated
from exactchange.task.explain import shown
from exactchange.task.gather import Gathered
from exactchange.task.mistakes import matcher_mistakes
from exactchange.task.params import HOLES, PATTERNS, TIERS, unescaped_value
from exactchange.task.problem import did_you_mean, nearest, one_of
from exactchange.task.rules import raw_conditions
from exactchange.values import Path, Value, dumps, type_name

KEYS: Final = ("id", "instruction", "use", "params", "app", "sources", *TIERS, *PATTERNS, HOLES, "score")
"""What a task file may hold."""
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_NEEDED = ("id", "instruction", "sources", "must")


def read_params(task: Gathered, given: Mapping[str, Value]) -> dict[str, Value]:
    """The params with those of the caller in place of the task's own."""

    def fault(path: Path) -> Fault:
        def say(message: str, suggestion: str | None, part: str) -> None:
            what = message if message.startswith("a lone") else "a param is put in as it is and can hold no other"
            task.say(("params", *path), what, "write {{ and }} for the braces themselves", part=part)

        return say

    own = task.data.get("params", {})
    assert isinstance(own, Mapping)
    for name in own:
        if not NAME.fullmatch(name):
            what = f"a param's name has letters, digits and _; {name!r} has others"
            task.say(("params", name), what, key=True)
        elif name in (*BRING_UP, HERE):
            what = f"{{{name}}} gets its value when the world is brought up"
            task.say(("params", name), what, "give the param another name", key=True)
    for name in given:
        if name not in own:
            hint = did_you_mean(name, own) or (f"there are {one_of(sorted(own))}" if own else "the task has no params")
            task.say(("params",), f"no param is called {name!r}", hint, key=True)
    put = unescaped_value(own, fault)
    assert isinstance(put, Mapping)
    for name in given.keys() & own.keys():
        _check_type(name, own[name], given[name], task)
    return {**put} | {name: value for name, value in given.items() if name in own}


def _check_type(name: str, own: Value, given: Value, task: Gathered) -> None:
    """A param of another type than the task's own would make its conditions ask for another type, and never hold."""
    have, want = type_name(given), type_name(own)
    if own is None or have == want or (have, want) == ("int", "float"):
        return
    hint = (
        f"write {dumps(dumps(given))}, quotes included"
        if want == "str" and not isinstance(given, Mapping | list)
        else None
    )
    task.say(("params", name), f"the param {name!r} is of type {want} in the task, and {shown(given)} was given", hint)


def check_keys(data: Mapping[str, Value], task: Gathered) -> None:
    """Report unknown and missing keys of the whole file, and an id or instruction that is none."""
    unknown = [name for name in data if name not in KEYS]
    for name in unknown:
        hint = did_you_mean(name, KEYS) or f"it takes {one_of(KEYS)}"
        task.say((name,), f"unknown key {name!r} in a task", hint, key=True)
    there = {*data, *task.broken, *(nearest(name, KEYS) for name in unknown)}  # a key misspelt is not missing as well
    for name in _NEEDED:
        if name not in there:
            task.say((), f"a task needs `{name}`" + _EXAMPLES.get(name, ""))
    for name in ("id", "instruction"):
        text = data.get(name, "x")
        if not isinstance(text, str):
            quoted = f'write "{shown(text)}"' if isinstance(text, bool | int | float) else None
            task.say((name,), f"`{name}` takes a text, not {shown(text)}", quoted)
        elif not text.strip():
            task.say((name,), f"`{name}` is empty")
        elif name == "id" and not _ID.fullmatch(text):
            task.say((name,), f"an id names files: letters, digits, dots, - and _; {text!r} has others")
    if data.get("must") == []:
        task.say(("must",), "`must` is empty, so that doing nothing would be a pass", "say what has to be reached")


_EXAMPLES = {
    "id": ", a short name such as settings-timeout",
    "instruction": ", the text that the agent is given",
    "sources": ", what the judge looks at",
    "must": ", what has to be reached",
}


def read_conditions(tier: str, data: Mapping[str, Value], task: Gathered) -> list[tuple[Path, Condition]]:
    """The conditions of a tier that are well formed, with their paths."""
    out: list[tuple[Path, Condition]] = []
    items = data.get(tier, [])
    for number, raw in enumerate(items if isinstance(items, list) else ()):
        path: Path = (tier, number)
        if not isinstance(raw, Mapping):
            task.say(path, f"a condition is a mapping such as {{change: …}}, not {shown(raw)}")
            continue
        found = validated(Condition, _with_good_urls(raw, path, task), path, task, what="a condition")
        if isinstance(found, Condition):
            out.append((path, found))
    return out


def read_patterns(name: str, data: Mapping[str, Value], task: Gathered) -> list[tuple[Path, Allowed]]:
    """The patterns of `allow` or `ignore` that are well formed, with their paths."""
    out: list[tuple[Path, Allowed]] = []
    items = data.get(name, [])
    for number, raw in enumerate(items if isinstance(items, list) else ()):
        path: Path = (name, number)
        if not isinstance(raw, Mapping):
            what = f"each item of `{name}` is a mapping such as {{in: db, at: …}}, not a {type_name(raw)}"
            task.say(path, what)
            continue
        found = validated(Allowed, raw, path, task, what=f"`{name}`")
        if isinstance(found, Allowed):
            out.append((path, found))
    return out


def read_holes(data: Mapping[str, Value], task: Gathered) -> list[tuple[Path, Hole]]:
    """The explained holes that are well formed, with their paths."""
    out: list[tuple[Path, Hole]] = []
    items = data.get(HOLES, [])
    for number, raw in enumerate(items if isinstance(items, list) else ()):
        path: Path = (HOLES, number)
        if not isinstance(raw, Mapping):
            what = f'each item of `holes` is a mapping such as {{in: page, at: "**", why: …}}, not {shown(raw)}'
            task.say(path, what)
            continue
        found = validated(Hole, raw, path, task, what="`holes`")
        if isinstance(found, Hole):
            out.append((path, found))
    return out


def _with_good_urls(raw: Value, path: Path, task: Gathered) -> Value:
    """The condition, after the mistakes in the `url:` of its requests were reported at their places and put aside."""
    bad: set[Path] = set()
    for here, condition in raw_conditions(raw, path):
        request = condition.get("request")
        url = request.get("url") if isinstance(request, Mapping) else None
        if not isinstance(url, str | Mapping):
            continue
        found = matcher_mistakes({"url": url}, (*here, "request"))
        for item in found:
            task.say(item.path, item.message, item.suggestion, key=item.at_key)
        if found:
            bad.add((*here, "request", "url"))
    return _replaced(raw, path, bad)


def _replaced(node: Value, path: Path, bad: set[Path]) -> Value:
    if path in bad:
        return "http://put.aside/"
    if not bad:
        return node
    if isinstance(node, Mapping):
        return {key: _replaced(item, (*path, key), bad) for key, item in node.items()}
    return [_replaced(item, (*path, n), bad) for n, item in enumerate(node)] if isinstance(node, list) else node
