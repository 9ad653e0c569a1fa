"""How one change brings others with it: from those that nothing in the schema explains, step by step to the rest.

A cause is named only if it leads back to a change that has none. So two rows that might each have changed the other
name nobody, and every chain of cascades and triggers ends. Work grows with the changes and the text of the triggers.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from exactchange_adapters.sqlite.touched import Rows, Touched
from exactchange_adapters.sqlite.triggers import Trigger, Writing

Group: TypeAlias = tuple[str, str, str]
"""Folded table, verb, and column of an UPDATE: changes that set off the same triggers."""
_ANY: Final = ""
_UNKNOWN: Final = "\0"  # whichever columns: what changed in a row without a key is not known


class Spreading:
    """Changes by their numbers, and what may have led from one to another."""

    def __init__(self, count: int, tables: Mapping[str, Rows]) -> None:
        self._count = count
        self._tables = tables
        self._leads_to: dict[int, list[tuple[int, str]]] = {}
        self._effects: set[int] = set()
        """Changes that may have a cause."""
        self._groups: dict[int, list[Group]] = {}
        self._members: dict[Group, list[int]] = {}
        self._listeners: dict[Group, list[Trigger]] = {}
        self._made: dict[Group, int | None] = {}
        """Groups that triggers may have made, each with the change that none of them did."""

    def add(self, cause: int, effect: int, says: str) -> None:
        """A row that is known by its key may have changed another."""
        if cause != effect:
            self._leads_to.setdefault(cause, []).append((effect, says))
            self._effects.add(effect)

    def has_cause(self, number: int) -> bool:
        """Whether something may have made this change."""
        return number in self._effects

    def listen(self, triggers: Sequence[Trigger]) -> None:
        """Triggers that may have been set off, and what they may have changed."""
        if not triggers:
            return
        for number, group in self._grouped():
            self._groups.setdefault(number, []).append(group)
            self._members.setdefault(group, []).append(number)
        for trigger in triggers:
            events = [group for group in _groups_of(trigger.event) if group in self._members]
            effects = [group for item in trigger.effects for group in _groups_of(item) if group in self._members]
            if not events or not effects:
                continue
            for group in events:
                self._listeners.setdefault(group, []).append(trigger)
            alone = self._only(events)
            for group in effects:
                self._may_be_made(group, None if alone is None or group not in self._groups[alone] else alone)

    def told(self) -> dict[int, str]:
        """What may have made each change; nothing of those that have no cause, or only one another."""
        causes: dict[int, str] = {}
        walk = deque(number for number in range(self._count) if number not in self._effects)
        seen = set(walk)
        fired: deque[Trigger] = deque()
        heard: set[Group] = set()
        written: set[Group] = set()
        while walk or fired:
            # Keys first: a row that they tie to another is more surely its doing than that of a trigger.
            reached = self._by_key(walk.popleft(), fired, heard) if walk else self._by_trigger(fired.popleft(), written)
            for number, says in reached:
                if number not in seen:
                    seen.add(number)
                    causes[number] = says
                    walk.append(number)
        return causes

    def _by_key(self, number: int, fired: "deque[Trigger]", heard: set[Group]) -> list[tuple[int, str]]:
        """What a change leads to by itself; the triggers that it sets off are put in the queue, once."""
        for group in self._groups.get(number, ()):
            if group not in heard:
                heard.add(group)
                fired.extend(self._listeners.get(group, ()))
        return self._leads_to.get(number, [])

    def _by_trigger(self, trigger: Trigger, written: set[Group]) -> Iterator[tuple[int, str]]:
        for effect in trigger.effects:
            for group in _groups_of(effect):
                if group not in written:
                    written.add(group)
                    yield from ((n, f"trigger {trigger.name}, {trigger.says}") for n in self._members.get(group, ()))

    def _may_be_made(self, group: Group, alone: int | None) -> None:
        """Remember that a trigger may have made what is in a group, but for the change that alone set it off."""
        if group not in self._made:
            self._made[group] = alone
            self._effects.update(number for number in self._members[group] if number != alone)
        elif (left_out := self._made[group]) is not None and left_out != alone:
            self._made[group] = None
            self._effects.add(left_out)

    def _only(self, groups: Sequence[Group]) -> int | None:
        """The one change that is in these groups, where there is only one: it did not set off what made itself."""
        first = self._members[groups[0]]
        return first[0] if len(groups) == len(first) == 1 else None

    def _grouped(self) -> Iterator[tuple[int, Group]]:
        for table, rows in self._tables.items():
            for verb, whole in (("INSERT", rows.came), ("DELETE", rows.went)):
                yield from ((row.number, (table, verb, _ANY)) for row in whole)
            for row in rows.modified:
                for column, number in row.numbers.items():
                    yield number, (table, "UPDATE", _ANY)
                    yield number, (table, "UPDATE", column)
            yield from ((row.number, (table, "UPDATE", column)) for row, column in _rewritten(rows))


def _rewritten(rows: Rows) -> Iterator[tuple[Touched, str]]:
    """Rows that came and went and may be modified ones, and the columns that then changed."""
    for pair in rows.twins(None):
        for row in pair:
            yield from ((row, column) for column in (_ANY, *row.identity))
    if rows.swapped:
        keyless = (row for row in (*rows.came, *rows.went) if row.keyless)
        yield from ((row, column) for row in keyless for column in (_ANY, _UNKNOWN))


def _groups_of(writing: Writing) -> Iterator[Group]:
    """The groups of changes that something done to a table belongs to."""
    if not writing.columns:
        yield writing.table, writing.verb, _ANY
        return
    yield from ((writing.table, writing.verb, column) for column in (*writing.columns, _UNKNOWN))
