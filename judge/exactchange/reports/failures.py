"""What decided the episodes that did not pass: by tier, and by rule, the one that decided most first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from exactchange.reports.entries import Entry
from exactchange.verdict import Verdict

Ground: TypeAlias = Literal["veto", "must", "nothing else changed", "unknown", "unread", "no verdict"]
GROUNDS: Final[tuple[Ground, ...]] = ("veto", "must", "nothing else changed", "unknown", "unread", "no verdict")
_FEW = 3


@dataclass(frozen=True, slots=True)
class Failing:
    """A rule, a source or a cause, and in how many episodes it decided. One episode may count for several.

    `ground`: a veto that was crossed, a must that was not met, a change that nobody asked for (`name`: its source), a
    rule that nobody could tell, a source that was unread, or why there is no verdict. `where`: `file:line:column` of
    the rule. `tasks`: ids, each with the number of its episodes. `places`: the addresses or reasons that came most
    often, with their number.
    """

    ground: Ground
    name: str
    where: str
    episodes: int
    tasks: tuple[tuple[str, int], ...]
    places: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Cause:
    ground: Ground
    name: str
    where: str = ""


def failures(entries: Sequence[Entry]) -> tuple[Failing, ...]:
    """By number of episodes, then in the order of the grounds, then as they came. No episode that passed is asked.

    Only what decided is counted: in an episode that was vetoed no must failed, since it was stopped before its goal.
    """
    count: Counter[_Cause] = Counter()
    tasks: dict[_Cause, Counter[str]] = {}
    places: dict[_Cause, Counter[str]] = {}
    for entry in entries:
        found = _causes(entry)
        task = entry.of
        for cause in dict.fromkeys(cause for cause, _ in found):
            count[cause] += 1
            tasks.setdefault(cause, Counter()).update([] if task is None else [task.id])
        for cause, place in found:
            places.setdefault(cause, Counter()).update([place] if place else [])
    order = sorted(count, key=lambda cause: (-count[cause], GROUNDS.index(cause.ground)))
    return tuple(
        Failing(
            cause.ground, cause.name, cause.where, count[cause], tuple(tasks[cause].items()), _commonest(places[cause])
        )
        for cause in order
    )


def by_ground(entries: Sequence[Entry]) -> dict[Ground, int]:
    """In how many episodes each ground decided something."""
    found = [{cause.ground for cause, _ in _causes(entry)} for entry in entries]
    return {ground: sum(ground in each for each in found) for ground in GROUNDS}


def _commonest(places: "Counter[str]") -> tuple[tuple[str, int], ...]:
    return tuple(sorted(places.items(), key=lambda item: (-item[1], item[0]))[:_FEW])


def _causes(entry: Entry) -> list[tuple[_Cause, str]]:
    """What decided an episode, each with its place: never nothing where it did not pass."""
    found = list(dict.fromkeys(_told(entry)))
    silent = not found and entry.outcome != "passed"
    return [(_Cause("unknown", "the verdict does not say"), "")] if silent else found


def _told(entry: Entry) -> Iterator[tuple[_Cause, str]]:
    verdict = entry.verdict
    if verdict is None:
        yield _Cause("no verdict", (entry.failed or "there is none").partition("\n")[0]), ""
    elif verdict.outcome == "vetoed":
        crossed = (item for item in verdict.findings if item.tier == "veto" and item.holds)
        yield from ((_Cause("veto", item.name, item.where), "") for item in crossed)
    elif verdict.outcome == "unmet":
        failed = (item for item in verdict.findings if item.tier == "must" and item.holds is False)
        yield from ((_Cause("must", item.name, item.where), "") for item in failed)
        yield from ((_Cause("nothing else changed", item.source), item.address) for item in verdict.unexplained)
    elif verdict.outcome == "undecided":
        yield from _doubts(verdict)


def _doubts(verdict: Verdict) -> Iterator[tuple[_Cause, str]]:
    """What nobody could tell. Of an episode without a verdict that is why there is none."""
    void = verdict.score is None
    broken = [item for item in verdict.findings if item.tier == "given" and item.holds is not True]
    unknown = [item for item in verdict.findings if item.tier != "given" and item.holds is None]
    yield from ((_Cause("no verdict", f"given: {item.name}", item.where), "") for item in broken)
    for source, item in verdict.unread:
        place = f"{item.address}: {item.reason}" if item.address else item.reason
        yield _Cause("no verdict" if void else "unread", f"{source} is unread" if void else source), place
    if not void and not verdict.unread:
        yield from ((_Cause("unknown", item.name, item.where), "") for item in unknown)
    if not broken and not verdict.unread and (void or not unknown):
        why = next((item.message for item in verdict.warnings), "the evidence does not tell")
        yield _Cause("no verdict" if void else "unknown", why), ""
