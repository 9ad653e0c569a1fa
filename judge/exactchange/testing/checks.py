"""The checks themselves: one rule of the adapter contract each (design section 5)."""

import time
from collections.abc import Callable, Mapping, Sequence

from exactchange.address import Style, format_path, parse_pattern
from exactchange.diff import Change, Diff
from exactchange.errors import UsageError
from exactchange.limits import CountedBudget
from exactchange.snapshot import Snapshot
from exactchange.sources import Documented, Match, Span
from exactchange.testing.bench import Bench, LiveReader, MemoryStore
from exactchange.testing.edits import check_edits
from exactchange.testing.footprint import footprint
from exactchange.testing.parts import check_causes, check_noise, check_parts
from exactchange.testing.places import check_places
from exactchange.values import ABSENT, State, Value, dumps, loads

Act = Callable[[], object]
_SLACK_S = 2.0  # a deadline is kept within this, on a machine that does other things as well


def check_adapter(
    bench: Bench, *, change: Act, spoil: Act | None = None, remove: Act | None = None, offline: bool = True
) -> None:
    """All checks in an order in which one world serves for all. The callables act on the live source.

    `change` makes some ordinary change; `remove` takes the source away; `spoil` makes it unreadable (after `remove`
    it may have to build the source anew). Leave out what the source cannot have; `offline=False` where its state is
    no file. Raises AssertionError naming the broken rule.
    """
    check_quiet(bench)
    check_addresses(bench)
    check_places(bench)
    check_parts(bench)
    if offline:
        check_offline_is_the_same(bench)
    with bench.reading() as reader:
        before, after = _changed(bench, reader, change)
        _check_seen(bench, before, after)
        _check_stored(bench, before, after)
    check_edits(bench)
    if remove is not None:
        check_absent_is_a_state(bench, remove=remove)
    if spoil is not None:
        check_unread_is_reported(bench, spoil=spoil)


def check_quiet(bench: Bench) -> None:
    """Two captures with nothing done are equal, and reading leaves the work directory byte for byte as it was."""
    start = footprint(bench.workdir)
    with bench.reading() as reader:
        first = reader.capture()
        second = reader.capture(previous=first)
        fresh = reader.capture()
        held = start.differences(footprint(bench.workdir), tolerated=bench.while_open)
        _same(bench, first, second, "two captures with nothing done")
        gone = [span.title for span in _documents(bench, first, second) if not span.still(2)]
        assert not gone, _lines("nothing was done, and documents came or left", gone)
        _same(bench, first, fresh, "a capture with and one without its predecessor")
    left = start.differences(footprint(bench.workdir))
    assert not held, _lines("reading changed the source", held)
    assert not left, _lines("after the reader closed the source is not as it was", left)


def check_change_is_seen(bench: Bench, *, change: Act) -> Diff:
    """A change is seen, with or without a predecessor, as addressable changes; answers the diff for more asserts."""
    with bench.reading() as reader:
        return _check_seen(bench, *_changed(bench, reader, change))


def check_addresses(bench: Bench) -> None:
    """Every printed address, parsed as a pattern, finds its own node and its value; no two nodes print alike."""
    snapshot = bench.capture()
    slashed = bench.kind.style is Style.SLASHED
    found = bench.kind.find(snapshot, parse_pattern("**", slashed=slashed), budget=CountedBudget())
    printed: dict[str, object] = {}
    for match in found:
        other = printed.setdefault(match.address, match.path)
        assert other == match.path, f"{match.address!r} is the address of {other!r} and of {match.path!r}"
        pattern = parse_pattern(match.address, slashed=slashed)
        assert not match.path or pattern.matches(match.path, slashed=slashed), (
            f"the address {match.address!r} does not match its own path {match.path!r}"
        )
    for match in _sample(found):
        again = bench.kind.find(snapshot, parse_pattern(match.address, slashed=slashed), budget=CountedBudget())
        assert match.path in [item.path for item in again], f"{match.address!r} does not find {match.path!r}"


def check_offline_is_the_same(bench: Bench) -> None:
    """A snapshot taken by path equals the live one: `judge --before --after` finds what the live run finds."""
    live = bench.capture()
    offline = bench.kind.from_path(None, bench.params, world=bench, budget=CountedBudget())
    _same(bench, live, offline, "a live snapshot and one taken by path")


def check_saved_is_loaded(bench: Bench, *, change: Act) -> Diff:
    """Saved is loaded, whole and as a delta; a record with a part missing is refused or harmless. Answers the diff."""
    with bench.reading() as reader:
        return _check_stored(bench, *_changed(bench, reader, change))


def check_absent_is_a_state(bench: Bench, *, remove: Act) -> None:
    """A source that is taken away is absent: one change of the whole source, nothing unread."""
    with bench.reading() as reader:
        before = reader.capture()
        remove()
        after = reader.capture(previous=before)
        fresh = reader.capture()
        _same(bench, after, fresh, "captures of an absent source")
        narrowed = bench.kind.narrow(before, after, params=bench.params, budget=CountedBudget())
        assert narrowed.after is ABSENT, f"a removed source is not ABSENT but {_short(narrowed.after)}"
        diff = bench.diff(before, after)
    assert not diff.unread, f"a removed source is said to be unread: {list(diff.unread)}"
    seen = [(item.op, item.path) for item in diff.changes]
    assert seen == [("removed", ())], f"a removed source is not one removal of the whole, but {seen}"


def check_unread_is_reported(bench: Bench, *, spoil: Act) -> None:
    """What cannot be read is reported with reason and cause, and is neither equal, nor absent, nor an exception."""
    with bench.reading() as reader:
        before = reader.capture()
        spoil()
        after = reader.capture(previous=before)
        fresh = reader.capture()
        _same(bench, after, fresh, "captures of an unreadable source")
        diff = bench.diff(before, after)
    assert after.unread, "the source was made unreadable and the snapshot reports nothing unread"
    assert not diff.complete, "the source was made unreadable and the diff calls itself complete"
    for item in after.unread:
        assert item.reason.strip(), f"{item.address!r} is unread without a reason"
        assert item.cause == "content", f"{item.address!r}: what happened to the source is content, not {item.cause}"


def check_deadline(bench: Bench, *, deadline_s: float) -> Snapshot:
    """A capture is back by its deadline (seconds), whatever the source does meanwhile."""
    with bench.reading() as reader:
        start = time.monotonic()
        snapshot = reader.capture(deadline_s=deadline_s)
        took = time.monotonic() - start
    assert took <= deadline_s + _SLACK_S, f"a capture with a deadline of {deadline_s} s took {took:.1f} s"
    return snapshot


def _changed(bench: Bench, reader: LiveReader, change: Act) -> tuple[Snapshot, Snapshot]:
    before = reader.capture()
    change()
    after = reader.capture(previous=before)
    fresh = reader.capture()
    _same(bench, after, fresh, "a capture with and one without its predecessor, after a change")
    return before, after


def _check_seen(bench: Bench, before: Snapshot, after: Snapshot) -> Diff:
    assert before.digest != after.digest, "a change was made and the digest is still the same"
    diff = bench.diff(before, after)
    assert diff.changes, f"a change was made and the diff is empty (unread: {list(diff.unread)})"
    reverse = bench.diff(after, before)
    places = {item.path for item in diff.changes}
    assert {item.path for item in reverse.changes} == places, "the diff back names other places than the diff there"
    for item in diff.changes:
        _check_change_address(bench, item, before, after)
    check_noise(bench, before, after, diff)
    check_causes(bench, before, after, diff)
    return diff


def _check_stored(bench: Bench, before: Snapshot, after: Snapshot) -> Diff:
    store = MemoryStore()
    first = bench.kind.save(before, base=None, store=store)
    loaded_before = _load(bench, first, None, store)
    _check_loaded(bench, before, loaded_before, "whole")
    delta = bench.kind.save(after, base=before, store=store)
    loaded_after = _load(bench, delta, loaded_before, store)
    _check_loaded(bench, after, loaded_after, "delta")
    live, stored = bench.diff(before, after), bench.diff(loaded_before, loaded_after)
    assert _comparable(live) == _comparable(stored), "the diff of stored snapshots is not the diff of the live ones"
    _check_incomplete_records(bench, first, store)
    return live


def _check_loaded(bench: Bench, original: Snapshot, loaded: Snapshot, form: str) -> None:
    assert loaded.mark == original.mark, f"the mark changed in the stored form ({form})"
    assert list(loaded.unread) == list(original.unread), f"what is unread changed in the stored form ({form})"
    assert list(loaded.notes) == list(original.notes), f"the notes changed in the stored form ({form})"
    _same(bench, original, loaded, f"a snapshot and its stored form ({form})")
    known = _documents(bench, original) == _documents(bench, loaded)
    assert known, f"the stored form ({form}) does not tell the documents apart as the snapshot did"


def _check_incomplete_records(bench: Bench, record: Mapping[str, Value], store: MemoryStore) -> None:
    for name in record:
        rest = {key: value for key, value in record.items() if key != name}
        try:
            bench.kind.load(rest, base=None, store=store, budget=CountedBudget())
        except UsageError:
            continue
        except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
            raise AssertionError(
                f"a record without {name!r} ends in {error!r} and not in UsageError; records may be hostile"
            ) from error


def _load(bench: Bench, record: Mapping[str, Value], base: Snapshot | None, store: MemoryStore) -> Snapshot:
    text = loads(dumps(record))  # through JSON, as on disk
    assert isinstance(text, Mapping)
    try:
        loaded: Snapshot = bench.kind.load(text, base=base, store=store, budget=CountedBudget())
    except UsageError as error:
        raise AssertionError(f"a stored form that the kind itself made is refused: {error}") from error
    return loaded


def _same(bench: Bench, left: Snapshot, right: Snapshot, what: str) -> None:
    diff = bench.diff(left, right)
    shown = [f"{item.op} {item.address!r}: {_short(item.before)} -> {_short(item.after)}" for item in diff.changes]
    assert not shown, _lines(f"{what} differ", shown)
    assert list(left.unread) == list(right.unread), f"{what} differ in what is unread"
    assert left.digest == right.digest, f"{what} are the same by the diff but not by the digest"


def _check_change_address(bench: Bench, item: Change, before: Snapshot, after: Snapshot) -> None:
    slashed = bench.kind.style is Style.SLASHED
    pattern = parse_pattern(item.address, slashed=slashed)
    assert pattern.matches(item.path, slashed=slashed), (
        f"the printed address {item.address!r} does not match the path {item.path!r}"
    )
    assert item.path or item.address == format_path(()), f"the whole source is addressed {item.address!r}"
    side = after if item.op != "removed" else before
    if item.op == "moved" or not item.path:
        return
    found = bench.kind.find(side, pattern, budget=CountedBudget())
    assert item.path in [match.path for match in found], f"{item.address!r} is a change, but `at:` does not find it"


def _documents(bench: Bench, *captures: Snapshot) -> Sequence[Span]:
    return list(bench.kind.documents(captures)) if isinstance(bench.kind, Documented) else []


def _sample(found: Sequence[Match]) -> Sequence[Match]:
    # Finding walks the whole state: each of a great many nodes would make the check quadratic.
    return found[:: max(1, len(found) // 200)]


def _comparable(diff: Diff) -> list[tuple[str, str, str, str]]:
    return [(item.op, item.address, dumps(item.before), dumps(item.after)) for item in diff.changes]


def _lines(head: str, lines: list[str]) -> str:
    return f"{head}:\n  " + "\n  ".join(lines[:20]) + ("" if len(lines) <= 20 else f"\n  and {len(lines) - 20} more")


def _short(value: State) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
