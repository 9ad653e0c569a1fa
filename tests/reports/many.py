"""Episodes of several tasks, with repeats, variants and every outcome, for the tests of reports of many."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from tests.reports.samples import RETRIES, changed, near, passed, undecided, unmet, vetoed, without_verdict

from exactchange.reports import Entry, TaskName
from exactchange.values import Value
from exactchange.verdict import Verdict

Made = tuple[str, Verdict | None]
GONE: Verdict | None = None


def repeats(
    task: str, *verdicts: Verdict | None, hash_: str = "aa" * 32, params: Mapping[str, Value] | None = None
) -> list[Entry]:
    """Repeats of one task, numbered from 1; None: the episode cannot be read."""
    named = TaskName(task, hash_, {} if params is None else params)
    return [
        Entry(
            f"{task}/{number}",
            None if verdict is None else replace(verdict, task=task, hashes={"task": hash_}),
            "episode.json: no such file" if verdict is None else None,
            recorded=named,
        )
        for number, verdict in enumerate(verdicts, 1)
    ]


def all_bonus() -> Verdict:
    """A pass with all that it could have."""
    return replace(passed(), score=Fraction(100))


def cookie() -> Verdict:
    """Unmet, by a change of another source."""
    theme = changed("page", "modified", "@cookies.theme", "a", "b", path=("@cookies", "theme"))
    return replace(unmet(), unexplained=(RETRIES, theme))


def many() -> list[Entry]:
    """Three tasks, one of them in two variants, with five repeats each but one."""
    return [
        *repeats("settings-timeout", passed(), unmet(), all_bonus(), cookie(), near()),
        *repeats("book-flight", vetoed(), vetoed(), undecided(), vetoed(), without_verdict(), hash_="bb" * 32),
        *repeats(
            "article-form", *[all_bonus()] * 5, hash_="cc" * 32, params={"person": "Ada Lovelace", "mail": "a@x.test"}
        ),
        *repeats(
            "article-form", *[all_bonus()] * 3, None, hash_="dd" * 32, params={"person": "Bo", "mail": "a@x.test"}
        ),
    ]


def long(entries: Sequence[Entry], times: int) -> list[Entry]:
    """The same episodes many times over, each with a name of its own."""
    return [replace(entry, name=f"{entry.name}-{number}") for number in range(times) for entry in entries]
