"""Warnings of slips: what can be judged as it is written, and is more likely a mistake than a wish."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from exactchange.case import PSEUDO
from exactchange.conditions import Hole
from exactchange.task.braces import bound_names, names_in
from exactchange.task.declared import Declared
from exactchange.task.gather import Gathered
from exactchange.task.params import HOLES, PATTERNS, TIERS
from exactchange.task.rules import Rule, matchers, spoken
from exactchange.values import Path, Value


def warn_of_slips(rules: Sequence[Rule], declared: Mapping[str, Declared | None], task: Gathered) -> None:
    """Warn of words that are text here, names that agree with nothing, and rules in a tier that is not theirs."""
    _words(task)
    _lonely_names(rules, task)
    _vetoes_without_evidence(rules, task)
    _effort_that_decides(rules, task)
    _unused_params(task)
    _musts_that_only_look_at_pages(rules, declared, task)


def warn_of_wide_holes(holes: Sequence[tuple[Path, Hole]], rules: Sequence[Rule], task: Gathered) -> None:
    """A hole as wide as a source explains whatever an audit finds there, be it that a must takes any value."""
    asked = {rule.condition.change.in_ for rule in rules if rule.explains and rule.condition.change is not None}
    for path, hole in holes:
        everything = hole.at in (None, "", "**") and hole.table is None and not hole.own() and not hole.tests_values
        if hole.in_ in asked and everything:
            what = f"this explains whatever slips through in {hole.in_!r}, where a must asks for a change"
            task.warn(path, "holes", what, "name the places, or the `rule`")


def _words(task: Gathered) -> None:
    for path in task.doubtful():
        if path[0] in (*TIERS, *PATTERNS, HOLES) and path[-1] not in ("name", "why"):
            document, mark = task.mark(path)
            word = (
                "" if mark is None else document.lines[mark.value.line - 1][mark.value.column - 1 :][: mark.value.width]
            )
            true = str(word.casefold() in ("yes", "on")).lower()
            task.warn(path, "yaml", f"{word} is a text here", f'write "{word}" or {true}')


def _lonely_names(rules: Sequence[Rule], task: Gathered) -> None:
    """A name that `same:` uses once agrees with nothing, so that it tests nothing."""
    uses: list[tuple[str, Path]] = []
    for rule in rules:
        for part in spoken(rule):
            for path, matcher in matchers(part.part):
                uses += [(name, part.path + path) for name in sorted(matcher.names())]
    counts = Counter(name for name, _ in uses)
    for name, path in uses:
        if counts[name] == 1:
            task.warn(path, "same", f"`same: {name}` stands only here, so it agrees with anything")


def _vetoes_without_evidence(rules: Sequence[Rule], task: Gathered) -> None:
    vetoes = [rule for rule in rules if rule.tier == "veto"]
    told = [rule for rule in vetoes if rule.condition.kind in ("action", "sql")]
    actions = [rule for rule in told if "unless_after" not in rule.inside]
    evident = any(rule.condition.kind in ("change", "value", "request", "python") for rule in vetoes)
    if actions and not evident:
        said = "statement" if actions[0].condition.sql is not None else "action"
        hint = f"add a veto on the change or the request that the {said} makes"
        task.warn(actions[0].path, "veto", "an agent need not report what it did", hint)


def _effort_that_decides(rules: Sequence[Rule], task: Gathered) -> None:
    """A run that reached the goal in one step more is no failure: effort makes a pass better, in a bonus."""
    for rule in rules:
        if rule.condition.effort is not None and rule.tier in ("must", "veto"):
            what = f"in a {rule.tier} effort decides the pass, so that a good run fails over one step more"
            task.warn((*rule.path, "effort"), "effort", what, "make it a bonus", key=True)


def _unused_params(task: Gathered) -> None:
    """A param of the task's own that stands nowhere makes variants that are all the same."""
    used = {name for key, body in task.data.items() if key != "params" for name in _names(body)}
    own = task.data.get("params")
    for name in own if isinstance(own, Mapping) else ():
        document, _ = task.home(("params", name))
        if name not in used and document is task.main:
            what = f"nothing says {{{name}}}, so that every value of this param makes the same task"
            task.warn(("params", name), "params", what, "use it, or remove it", key=True)


def _names(node: Value) -> Iterator[str]:
    """The params that the texts below a node may stand for."""
    if isinstance(node, str):
        yield from (*names_in(node), *bound_names(node))
    elif isinstance(node, Mapping):
        yield from (name for item in node.values() for name in _names(item))
    elif isinstance(node, list | tuple):
        yield from (name for item in node for name in _names(item))


def _musts_that_only_look_at_pages(
    rules: Sequence[Rule], declared: Mapping[str, Declared | None], task: Gathered
) -> None:
    """What a page shows proves no effect: an agent can serve a page of its own."""
    kinds = {name: source.kind for name, source in declared.items() if source is not None and name not in PSEUDO}
    leaves = [rule for rule in rules if rule.tier == "must" and not rule.condition.parts]
    pages = [rule for rule in leaves if _of_a_page(rule, declared)]
    others = [name for name, kind in kinds.items() if not kind.needs_browser]
    if pages and pages == leaves and others:
        what = "the musts look only at what a page shows, and an agent can show a page of its own"
        task.warn(pages[0].path, "page", what, f"ask for the state in {others[0]!r} as well")


def _of_a_page(rule: Rule, declared: Mapping[str, Declared | None]) -> bool:
    value = rule.condition.value
    source = None if value is None else declared.get(value.in_)
    return source is not None and source.kind.needs_browser
