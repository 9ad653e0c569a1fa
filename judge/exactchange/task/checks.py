"""What is wrong with rules that are well formed: unknown sources, impossible places, values and combinations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import BaseModel, ValidationError

from exactchange.case import ANSWER, PSEUDO
from exactchange.conditions import Allowed, Hole, Matcher, Pattern, Place, ValueRule
from exactchange.conditions.place import Between
from exactchange.errors import UsageError
from exactchange.sources import TreeKind
from exactchange.sources.queries import Querying
from exactchange.task.declared import Declared, parsed
from exactchange.task.explain import mistakes, split_hint
from exactchange.task.fitting import NOTHING, types_of
from exactchange.task.gather import Gathered
from exactchange.task.held import types_at
from exactchange.task.mistakes import inner_matchers
from exactchange.task.problem import did_you_mean, one_of
from exactchange.task.rules import Rule, Spoken, matchers, raw_places, spoken
from exactchange.values import Path, Value, dumps, type_name

WITH_MOMENTS = frozenset({"change", "value", "action", "request", "sql", "any"})
OF_THE_START = frozenset({"value", "all", "any", "not", "python"})


def check_rule(rule: Rule, task: Gathered) -> None:
    """Report combinations that can never mean anything."""
    condition, path = rule.condition, rule.path
    if condition.weight is not None and (rule.tier != "bonus" or rule.inside):
        task.say((*path, "weight"), "only a bonus has a weight", "remove it", key=True)
    if condition.change is not None and condition.change.count == "all" and not rule.explains:
        what = "`count: all` asks that every node there changes, which only a must can ask, of the end"
        task.say((*path, "change", "count"), what, "write a number, or {ge: 1}")
    for kind in ("change", "action", "request", "sql"):
        count = getattr(getattr(condition, kind, None), "count", None)
        if isinstance(count, Between) and not count.ge and count.le is None:
            what = "any number is at least 0, so that this holds whatever happens"
            task.say((*path, kind, "count"), what, "write how many there must be at least, or `le` for at most")
    if rule.tier == "given" and not rule.inside and not _only_of_the_start(rule):
        what = f"`given` is looked at before the first action, where no {condition.kind} can have been"
        task.say((*path, condition.kind), what, "use `value`", key=True)
    if rule.needs_moment and condition.kind not in WITH_MOMENTS:
        what = f"`{condition.kind}` has no moment, so nothing comes before or after it"
        task.say((*path, condition.kind), what, "use change, value, action, request, sql or any of them", key=True)
    if condition.change is not None:
        _check_sides(condition.change, (*path, "change"), task)
    if condition.value is not None and condition.value.when is None and _turned_in_a_veto(rule):
        what = "in a veto this `not` would never hold again once the value fitted, be it at the start"
        remedy = "write `when: always` if the value must fit all the time, `when: ever` if it must fit once"
        task.say((*path, "value"), what, remedy, key=True)
    for kind in ("value", "action", "request"):
        part: BaseModel | None = getattr(condition, kind)
        if part is not None:
            _check_same(part, (*path, kind), task)


def check_pattern(name: str, pattern: Allowed, path: Path, task: Gathered) -> None:
    """Report what an `allow` or `ignore` pattern cannot say."""
    if name == "ignore" and pattern.max is not None:
        task.say((*path, "max"), "`max` bounds an allow; an ignore has none", "remove it", key=True)
    _check_sides(pattern, path, task)
    _check_same(pattern, path, task)


def check_hole(hole: Hole, path: Path, titles: Sequence[str], params: Mapping[str, Value], task: Gathered) -> None:
    """Report a hole of a rule or param that is not there, and what a hole cannot say. `titles`: of all conditions."""
    for name, word, known in (("rule", hole.rule, titles), ("param", hole.param, list(params))):
        if word is not None and word not in known:
            hint = did_you_mean(word, known) or (f"there are {one_of(list(known))}" if known else None)
            task.say((*path, name), f"no {name} is called {word!r}", hint)
    if hole.rule is not None and titles.count(hole.rule) > 1:
        what = f"{titles.count(hole.rule)} rules are called {hole.rule!r}, and one reason would explain them all"
        task.say((*path, "rule"), what, "give each a `name` of its own")
    _check_sides(hole, path, task)
    _check_same(hole, path, task)


def _check_same(part: BaseModel, path: Path, task: Gathered) -> None:
    for inside, matcher in matchers(part):
        for name in sorted(matcher.names()):
            what = f"`same: {name}` agrees among the changes that rules ask for; here it could agree with nothing"
            task.say(path + inside, what, "write the value, or a matcher that knows it")


def check_names(data: Mapping[str, Value], declared: Mapping[str, Declared | None], task: Gathered) -> None:
    """Report names of sources that are not there, and addresses that are none, in well formed rules and others."""
    for path, body in raw_places(data):
        name = body.get("in")
        if not isinstance(name, str):
            continue
        if name not in declared:
            own = [item for item in declared if item not in PSEUDO]
            hint = did_you_mean(name, declared) or f"there are {one_of([*own, *sorted(PSEUDO)])}"
            task.say((*path, "in"), f"no source is called {name!r}", hint)
            continue
        source, at = declared[name], body.get("at")
        if source is not None and isinstance(at, str):
            parsed((*path, "at"), at, source, task)


def check_sources(
    rules: Iterable[Rule], patterns: Iterable[Spoken], declared: Mapping[str, Declared | None], task: Gathered
) -> None:
    """Report places that the kinds of their sources do not have, and values that these never hold."""
    for part in [*(item for rule in rules for item in spoken(rule)), *patterns]:
        source = declared.get(part.part.in_)
        if source is None:
            continue  # reported where it is named, or where it is declared
        if isinstance(part.part, Place):
            _check_place(part.part, part.path, source, task)
        elif not source.kind.needs_browser:
            what = f"{part.part.in_!r} is a {source.kind.name or 'plain'} source, which sends no requests"
            task.say((*part.path, "in"), what, "name a page")
        if part.part.in_ in PSEUDO and isinstance(part.part, Pattern):
            what = f"{part.part.in_!r} is no state that changes: it is known at the end"
            task.say((*part.path, "in"), what, "use `value`")
        _check_types(part, source, task)
        if part.part.in_ == ANSWER and isinstance(part.part, ValueRule):
            _check_answer(part.part, part.path, task)


def _turned_in_a_veto(rule: Rule) -> bool:
    """Whether a veto holds where this does not. A veto is of every step, and what is ever so is turned into never."""
    return rule.tier == "veto" and not rule.needs_moment and rule.inside.count("not") % 2 == 1


def _only_of_the_start(rule: Rule) -> bool:
    kinds = {item.kind for item in rule.condition.walk()}
    return kinds <= OF_THE_START


def _check_sides(pattern: Place, path: Path, task: Gathered) -> None:
    op = getattr(pattern, "op", None)
    for name, side, empty, word in (
        ("from", "from_", "added", "before it was added"),
        ("to", "to", "removed", "once it is removed"),
    ):
        matcher: Matcher | None = getattr(pattern, side, None)
        if op == empty and matcher is not None and not isinstance(matcher.raw, Mapping):
            what = f"nothing stands there {word}, so `{name}` can never be {dumps(matcher.raw)}"
            task.say((*path, name), what, f"remove `{name}`, or `op: {op}`", key=True)
    tested = getattr(pattern, "from_", None) or getattr(pattern, "to", None)
    if tested is not None and pattern.where is not None and pattern.column in pattern.where:
        what = f"`where` reads {pattern.column!r}, the very column that changes"
        task.say((*path, "where", str(pattern.column)), what, "test it by `from` and `to` alone", key=True)


def _check_place(place: Place, path: Path, source: Declared, task: Gathered) -> None:
    own = place.own() | {name: value for name in ("table", "column") if (value := getattr(place, name)) is not None}
    known = source.kind.selector.model_fields
    foreign = [name for name in own if name not in known]
    for name in foreign:
        ways = [way for way in known if way not in ("column", "field", "tab", "name")]
        hint = (
            f"a {source.kind.name or 'plain'} source is addressed by {one_of(['`at`', *(f'`{way}`' for way in ways)])}"
        )
        task.say((*path, name), f"`{name}` is no place in {place.in_!r}", hint, key=True)
    if own and not foreign:
        try:
            source.kind.selector.model_validate(own)
        except ValidationError as error:
            for item in mistakes(error, own, source.kind.selector, what="this place"):
                task.say(path + item.path, item.message, item.suggestion, key=item.at_key)
    if isinstance(place, ValueRule) and place.query is not None:
        _check_query(place, place.query, (*path, "query"), source, task)


def _check_query(place: Place, query: str, path: Path, source: Declared, task: Gathered) -> None:
    if _has_no_rows(source):
        what = f"{place.in_!r} is a {source.kind.name or 'plain'} source, which has no queries"
        task.say(path, what, "use `at`", key=True)
    elif isinstance(source.kind, Querying):
        try:
            source.kind.check_query(query)
        except UsageError as error:
            if all(problem.said != str(error) for problem in task.problems):  # of its params, told at the very word
                task.say(path, *split_hint(str(error)))


def _has_no_rows(source: Declared) -> bool:
    return getattr(type(source.kind), "rows", None) is TreeKind.rows


def _check_types(part: Spoken, source: Declared, task: Gathered) -> None:
    """Report values of a type that the source never holds; the likely mistake is a missing pair of quotes."""
    asked = isinstance(part.part, ValueRule) and part.part.query is not None
    if source.params is None or (asked and _has_no_rows(source)):
        return
    types = types_at(part.part, source) if isinstance(part.part, Place) else None
    if types is None:
        return
    for path, matcher in matchers(part.part):
        for inner, value in _literals(matcher.raw, ()):
            if type_name(value) not in types:
                what = f"{part.part.in_!r} never holds the {type_name(value)} {dumps(value)}"
                hint = f"it holds {one_of(sorted(types))} only"
                if isinstance(value, bool) and "int" in types:
                    hint = f"write {int(value)}"
                elif value is not None and "str" in types:
                    hint = f"write {dumps(dumps(value))}"
                task.say(part.path + path + inner, what, hint)


def _check_answer(rule: ValueRule, path: Path, task: Gathered) -> None:
    """Report what the whole answer, which is a text, can never be."""
    if rule.at not in ("", "**") or rule.pick != "one":
        return
    for inside, raw in _own(rule.is_.raw, ()):
        types = types_of(raw)
        if types is None or types & {"str", NOTHING}:
            continue
        plain = not isinstance(raw, Mapping)
        number = isinstance(raw, Mapping) and bool({"gt", "ge", "lt", "le"} & raw.keys())
        hint = "write {json: …} to read it as data, or name a field of it in `at`"
        hint = f"write {dumps(dumps(raw))}" if plain else "use `number:` for a text that is one" if number else hint
        task.say((*path, "is", *inside), f"the whole answer is a text, never of type {one_of(sorted(types))}", hint)


def _own(raw: Value, path: Path) -> Iterator[tuple[Path, Value]]:
    """The matchers of the value itself, each choice by itself: not of data in a text, nor of parts of a URL."""
    choices = [(part, item) for part, item in inner_matchers(raw) if part[0] in ("one_of", "not")]
    if not choices:
        yield path, raw
    for part, item in choices:
        yield from _own(item, path + part)


def _literals(raw: Value, path: Path) -> Sequence[tuple[Path, Value]]:
    """The values that a matcher compares with as they are; what `json:` speaks of is not the source's own value."""
    if not isinstance(raw, Mapping):
        return [(path, raw)]
    found: list[tuple[Path, Value]] = []
    if "exactly" in raw and not isinstance(raw["exactly"], Mapping | list):
        found.append(((*path, "exactly"), raw["exactly"]))
    for part, item in inner_matchers(raw):
        if part[0] not in ("json", "url"):
            found.extend(_literals(item, path + part))
    return found
