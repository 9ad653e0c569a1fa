"""Checks of the optional parts of a kind and its reader: one that is misspelt is never asked, and nothing tells."""

import inspect
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Final, cast

from exactchange.diff import Diff
from exactchange.snapshot import Snapshot, unread_whole
from exactchange.sources import (
    Causing,
    Concealing,
    Deriving,
    Documented,
    Drawable,
    Editable,
    Holding,
    Identifying,
    Naming,
    Noisy,
    Placing,
    Querying,
    Reader,
    Recognising,
    Rewritable,
    Selecting,
    SourceKind,
    Witness,
)
from exactchange.sources.witnessing import Heard
from exactchange.testing.bench import Bench

OF_KINDS: Final[tuple[type, ...]] = (
    Causing, Deriving, Documented, Drawable, Editable, Holding, Identifying, Naming, Noisy, Placing, Querying,
    Recognising, Rewritable, Selecting,
)  # fmt: skip
OF_READERS: Final[tuple[type, ...]] = (Concealing, Witness)
_ASKS: Final = frozenset("src href action data formaction srcset".split())
_RUNS: Final = frozenset("script iframe object embed form base link".split())


def check_parts(bench: Bench) -> None:
    """Every optional part that a kind or its reader has is whole, and can be called as the judge calls it."""
    _check_methods(bench.kind, SourceKind, OF_KINDS)
    with bench.reading() as reader:
        snapshot = reader.capture()
        _check_methods(reader.live, Reader, OF_READERS)
        if isinstance(reader.live, Witness):
            heard = [reader.live.witnessed() for _ in range(2)]
            assert all(item is None or isinstance(item, Heard) for item in heard), f"`witnessed` gave {heard[0]!r}"
            assert not heard[1] or not heard[1].acts, "`witnessed` tells twice what was done once"
    if isinstance(bench.kind, Drawable) and not unread_whole(snapshot):
        _check_portrait(bench, snapshot)


def check_noise(bench: Bench, before: Snapshot, after: Snapshot, diff: Diff) -> None:
    """A kind's rules of noise answer for each change, by names that it says it has."""
    if not isinstance(bench.kind, Noisy):
        return
    known = {rule.name for rule in bench.kind.noise_rules}
    told = bench.kind.noise(diff.changes, before=before, after=after, params=bench.params)
    assert len(told) == len(diff.changes), f"`noise` gave {len(told)} answers for {len(diff.changes)} changes"
    strange = {name for name in told if name is not None} - known
    assert not strange, f"`noise` names rules that `noise_rules` does not have: {sorted(strange)}"


def check_causes(bench: Bench, before: Snapshot, after: Snapshot, diff: Diff) -> None:
    """What a kind says of causes is said of changes, and is a text."""
    if not isinstance(bench.kind, Causing):
        return
    told = bench.kind.likely_causes(diff.changes, before=before, after=after)
    strange = sorted(map(str, told.keys() - {item.path for item in diff.changes}))
    assert not strange, f"`likely_causes` names what did not change: {', '.join(strange)}"
    assert all(told.values()), "`likely_causes` names an empty cause; leave out what is not known"


def _check_methods(it: object, whole: type, parts: tuple[type, ...]) -> None:
    for part in (whole, *parts):
        names = [name for name in vars(part) if not name.startswith("_")]
        there = [name for name in names if hasattr(it, name)]
        missing = [name for name in names if name not in there]
        assert not (there and missing), (
            f"{type(it).__name__} has {', '.join(there)} and lacks {', '.join(missing)}: so it is no {part.__name__}, "
            "and is never asked"
        )
        for name in there:
            _check_call(it, name, getattr(part, name))


def _check_call(it: object, name: str, promised: object) -> None:
    """Whether a method takes what the contract gives to it."""
    if not callable(promised):
        return  # a property
    _, *wanted = inspect.signature(promised).parameters.values()
    given = [None for item in wanted if item.kind is item.POSITIONAL_OR_KEYWORD]
    named = {item.name: None for item in wanted if item.kind is item.KEYWORD_ONLY}
    try:
        inspect.signature(cast("Callable[..., object]", getattr(it, name))).bind(*given, **named)
    except TypeError as error:
        raise AssertionError(f"{type(it).__name__}.{name} cannot be called as the contract says: {error}") from error


class _Running(HTMLParser):
    """What of a file runs, asks for something or sends something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag] if tag in _RUNS else []
        self.found += [f"{tag} {name}" for name, _ in attrs if name.startswith("on") or name in _ASKS]


def _check_portrait(bench: Bench, snapshot: Snapshot) -> None:
    assert isinstance(bench.kind, Drawable)
    running = _Running()
    running.feed(bench.kind.portrait(snapshot, title="A <script> in a title"))
    assert not running.found, f"a portrait runs or asks for something: {running.found}"
