"""Which part of the documentation explains a mistake, by the place where it stands in the task."""

from typing import Final

from exactchange.conditions.matchers.parse import PARSERS
from exactchange.values import Path

PAGE: Final = "exactchange docs task-language"
"""The command that shows the page that explains task files; `exactchange check` adds the anchor of a heading."""
NOISE: Final = "exactchange docs browser#noise"
"""Where the rules of noise are explained, which a source turns on and off."""
ACTIONS: Final = "exactchange docs agents#kinds-of-action"
"""Where it is explained what an action holds."""
FIRST, SOURCES, CONDITIONS, MATCHERS = "a-first-task", "sources-and-places-in-them", "conditions", "matchers"
PATTERNS, PARAMS, FRAGMENTS, WRONG, YAML = (
    "allow-and-ignore",
    "params",
    "fragments",
    "when-something-is-wrong",
    "yaml-and-your-editor",
)
PYTHON: Final = "conditions-in-python"
ANCHORS: Final = (PYTHON, FIRST, SOURCES, CONDITIONS, MATCHERS, PATTERNS, PARAMS, FRAGMENTS, WRONG, YAML)
"""Anchors of the headings that mistakes are explained under."""
_HEADS: Final = {"sources": SOURCES, "allow": PATTERNS, "ignore": PATTERNS, "params": PARAMS, "use": FRAGMENTS}
_TIERS: Final = frozenset({"given", "veto", "must", "bonus", "holes"})
_PLACES: Final = frozenset(("in", "at", "table", "column", "where", "css", "role", "name", "label", "testid", "field"))
_MATCHED: Final = frozenset({"is", "from", "to", "row", "where", "args", "text", "url", "body", "status"})


def see(path: Path, *, at: str | None = None) -> str:
    """`exactchange docs task-language#matchers`: the page, and the heading that explains a place in a task.

    `at`: the heading where the place alone does not tell.
    """
    if at is None and path[:1] == ("sources",) and path[2:3] == ("noise",):
        return NOISE
    if at is None and _is_of_an_action(path):
        return ACTIONS
    return f"{PAGE}#{at or _heading(path)}"


def _is_of_an_action(path: Path) -> bool:
    """Whether it is the kind of an action that is blamed, or one of its arguments as a whole."""
    names = [part for part in path if isinstance(part, str)]
    below = names[len(names) - names[::-1].index("action") :] if "action" in names else []
    return below[:1] == ["kind"] or (below[:1] == ["args"] and len(below) == 2)


def _heading(path: Path) -> str:
    names = [part for part in path if isinstance(part, str)]
    if not names:
        return FIRST
    inner = names[-1]
    nested = len(names) > 2
    if inner == "python" and names[0] in _TIERS:
        return PYTHON
    if nested and (inner in PARSERS or _MATCHED & set(names[1:])):
        return MATCHERS
    if inner in _PLACES and (nested or (names[0] in ("allow", "ignore") and len(names) > 1)):
        return SOURCES
    return CONDITIONS if names[0] in _TIERS else _HEADS.get(names[0], FIRST)
