"""Warnings of a task that can be used: what is more likely a mistake than a wish."""

from collections import Counter
from collections.abc import Iterator, Sequence

from exactchange.task.gather import Gathered
from exactchange.task.params import PATTERNS, TIERS
from exactchange.task.rules import Rule, matchers, spoken
from exactchange.values import Path
from exactchange.verdict import Warned


def warnings(rules: Sequence[Rule], task: Gathered) -> tuple[Warned, ...]:
    """What `check` warns of, each with its place."""
    return tuple([*_words(task), *_lonely_names(rules, task), *_vetoes_without_evidence(rules, task)])


def _words(task: Gathered) -> Iterator[Warned]:
    for path in task.doubtful():
        if path[0] in (*TIERS, *PATTERNS) and path[-1] != "name":
            document, mark = task.mark(path)
            word = (
                "" if mark is None else document.lines[mark.value.line - 1][mark.value.column - 1 :][: mark.value.width]
            )
            true = str(word.casefold() in ("yes", "on")).lower()
            yield Warned("yaml", f'{task.where(path)}: {word} is a text here; write "{word}" or {true}')


def _lonely_names(rules: Sequence[Rule], task: Gathered) -> Iterator[Warned]:
    """A name that `same:` uses once agrees with nothing, so that it tests nothing."""
    uses: list[tuple[str, Path]] = []
    for rule in rules:
        for part in spoken(rule):
            for path, matcher in matchers(part.part):
                uses += [(name, part.path + path) for name in sorted(matcher.names())]
    counts = Counter(name for name, _ in uses)
    for name, path in uses:
        if counts[name] == 1:
            yield Warned("same", f"{task.where(path)}: `same: {name}` stands only here, so it agrees with anything")


def _vetoes_without_evidence(rules: Sequence[Rule], task: Gathered) -> Iterator[Warned]:
    vetoes = [rule for rule in rules if rule.tier == "veto"]
    actions = [rule for rule in vetoes if rule.condition.action is not None and "unless_after" not in rule.inside]
    evident = any(rule.condition.kind in ("change", "value", "request", "python") for rule in vetoes)
    if actions and not evident:
        where = task.where(actions[0].path)
        what = "an agent need not report what it did: add a veto on the change or the request that the action makes"
        yield Warned("veto", f"{where}: {what}")
