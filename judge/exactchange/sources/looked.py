"""Which places of a source are looked at, by its `only` and `except`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from exactchange.address import AddressPattern, overlap, parse_pattern, pattern_below
from exactchange.address.walk import children
from exactchange.diff import Op
from exactchange.sources.kind import SourceParams
from exactchange.values import ABSENT, Path, State, Value, sealed


class Looked:
    """The places that `only` names, all where there is none, less those that `except` names."""

    def __init__(self, params: SourceParams, *, slashed: bool) -> None:
        self._only = [parse_pattern(text, slashed=slashed) for text in params.only]
        self._except = [parse_pattern(text, slashed=slashed) for text in params.except_]
        self._slashed = slashed

    def at(self, path: Path) -> bool:
        """Whether a place, or something below it, is looked at."""
        if not path:  # the whole source came, went or is unread: no pattern can leave that out
            return True
        return not self._left_out(path) and (self._chosen(path) or self._below(self._only, path))

    def trimmed(self, op: Op) -> Op | None:
        """A change less what is not looked at; None when nothing of it is."""
        if not self.at(op.path):
            return None
        if op.op not in ("added", "removed") or not self._mixed(op.path):
            return op
        before, after = self._rest(op.before, op.path), self._rest(op.after, op.path)
        if op.path and before is ABSENT and after is ABSENT:
            return None
        if not op.path:  # the source itself came or went, whatever of its content is looked at
            before, after = _something(before, op.before), _something(after, op.after)
        return replace(op, before=before, after=after)

    def _left_out(self, path: Path) -> bool:
        return self._reaches(self._except, path)

    def _chosen(self, path: Path) -> bool:
        return not self._only or self._reaches(self._only, path)

    def _mixed(self, path: Path) -> bool:
        """Whether some of what lies below a place is looked at and some is not."""
        return not self._chosen(path) or self._below(self._except, path)

    def _rest(self, value: State, path: Path) -> State:
        """What is looked at of a value; ABSENT when it held something and nothing of that is."""
        if value is ABSENT or (path and self._left_out(path)):
            return ABSENT
        if not self._mixed(path):
            return value
        parts = [] if sealed(value) else list(children(value))
        if not parts:
            return value if self._chosen(path) else ABSENT
        kept = [(segment, self._rest(item, (*path, segment))) for segment, item in parts]
        there: list[tuple[str | int, Value]] = [(segment, item) for segment, item in kept if item is not ABSENT]
        if not there:
            return ABSENT
        return {str(s): item for s, item in there} if isinstance(value, Mapping) else [item for _, item in there]

    def _reaches(self, patterns: Sequence[AddressPattern], path: Path) -> bool:
        prefixes = [path[:end] for end in range(1, len(path) + 1)]
        return any(pattern.matches(part, slashed=self._slashed) for pattern in patterns for part in prefixes)

    def _below(self, patterns: Sequence[AddressPattern], path: Path) -> bool:
        if not patterns:
            return False
        here = pattern_below(path, slashed=self._slashed)
        return any(overlap(pattern, here) for pattern in patterns)


def _something(rest: State, whole: State) -> State:
    return {} if rest is ABSENT and whole is not ABSENT else rest
