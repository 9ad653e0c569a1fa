"""Finds actions, requests and statements that can never be, as far as their words are from a closed list."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from exactchange.actions import ARGS, KEYS
from exactchange.conditions import Matcher
from exactchange.conditions.action import ActionRule, Target
from exactchange.conditions.request import RequestRule
from exactchange.task.declared import Declared
from exactchange.task.explain import mistakes
from exactchange.task.fitting import NOTHING, finite, types_of
from exactchange.task.gather import Gathered
from exactchange.task.problem import did_you_mean, nearest, one_of
from exactchange.task.rules import Rule
from exactchange.values import Path, dumps

_WAYS: Final = ("css", "role", "label", "testid")
_METHODS: Final = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS CONNECT TRACE".split())
_STATUS: Final = frozenset({"int", "null"})


def check_aims(rules: Sequence[Rule], declared: Mapping[str, Declared | None], task: Gathered) -> None:
    """Report targets that stand for no element, and statuses that no answer has; warn of words that nobody says."""
    for rule in rules:
        if rule.condition.action is not None:
            _check_action(rule.condition.action, (*rule.path, "action"), declared, task)
        if rule.condition.request is not None:
            _check_request(rule.condition.request, (*rule.path, "request"), task)


def _check_action(rule: ActionRule, path: Path, declared: Mapping[str, Declared | None], task: Gathered) -> None:
    if rule.target is not None:
        _check_target(rule.target, (*path, "target"), declared, task)
    if rule.tool is not None and not rule.tool.strip():
        task.warn((*path, "tool"), "action", "no tool is called that", "write the name of the tool")
    fields = ARGS.get(rule.kind or "")
    if fields is None:
        return
    told = [name for name in ("tool", "target", "text") if getattr(rule, name) is not None]
    for name in told:
        if name not in fields:
            what = f"an action of kind {rule.kind} has no `{name}`, so that this looks for what nobody reports"
            task.warn(
                (*path, name), "action", what, f"it has {one_of(sorted(fields))}, which stands in `args`", key=True
            )
    for name, matcher in (rule.args or {}).items():
        if name not in fields:
            what = f"an action of kind {rule.kind} has no argument {name!r}"
            hint = did_you_mean(name, fields) or f"it has {one_of(sorted(fields))}"
            task.warn((*path, "args", name), "action", what, hint, key=True)
        elif fields[name]:
            _warn_of_words(matcher, fields[name], (*path, "args", name), task)


def _warn_of_words(matcher: Matcher, known: frozenset[str], path: Path, task: Gathered) -> None:
    """Warn of words that are on no list. Keys are told together, as in `Control+a`."""
    for word in _texts(matcher):
        parts = [word] if known is not KEYS else [part for part in word.split("+") if len(part) > 1]
        odd = next((part for part in parts if part not in known), None)
        if odd is not None:
            near = nearest(odd, known)
            what = f"{dumps(odd)} is not what a browser calls it"
            task.warn(path, "action", what, f"did you mean {near!r}?" if near else None)


def _texts(matcher: Matcher) -> Iterator[str]:
    yield from (value for value in finite(matcher.raw) or () if isinstance(value, str))


def _check_target(target: Target, path: Path, declared: Mapping[str, Declared | None], task: Gathered) -> None:
    """Report what no element is, by the selectors of the pages of the task."""
    given = target.fields()
    if "name" in given and "role" not in given:
        what = "`name` goes with `role`"
        task.say((*path, "name"), what, "use `label` for the accessible name alone", key=True)
        return
    selectors = {
        source.kind.selector for source in declared.values() if source is not None and source.kind.needs_browser
    }
    for selector in sorted(selectors, key=lambda model: model.__qualname__):
        for way in _WAYS:
            words = {name: given[name] for name in ((way, "name") if way == "role" else (way,)) if name in given}
            try:
                if way in words:
                    selector.model_validate(words)
            except ValidationError as error:
                for item in mistakes(error, words, selector, what="`target`"):
                    task.say(path + item.path, item.message, item.suggestion, key=item.at_key)


def _check_request(rule: RequestRule, path: Path, task: Gathered) -> None:
    method = None if rule.method is None else rule.method.upper()
    if method is not None and method not in _METHODS:
        if not method.strip() or not method.replace("-", "").isalnum():
            task.say((*path, "method"), f"no request has the method {rule.method!r}", "write GET, POST, …")
        else:
            what = f"{rule.method!r} is no method that pages usually send"
            task.warn((*path, "method"), "request", what, did_you_mean(method, _METHODS))
    if rule.status is None:
        return
    asked = types_of(rule.status.raw)
    if asked is not None and not asked & (_STATUS | {NOTHING}):
        what = f"the status of an answer is a number, or null before there is one, and never {one_of(sorted(asked))}"
        task.say((*path, "status"), what, "write it without quotes: 200")
        return
    numbers = finite(rule.status.raw)
    if numbers and all(isinstance(value, int) and not 100 <= value <= 599 for value in numbers):
        task.say((*path, "status"), f"no answer has the status {numbers[0]}", "write a number from 100 to 599")
