"""Whether the wall clock was moved while an episode was recorded."""

from dataclasses import dataclass, field

from exactchange.snapshot import Note

_TOLERANCE_NS = 2_000_000_000


@dataclass(slots=True)
class ClockWatch:
    """Compares the two clocks of one recording, event by event; order and duration never come from the wall clock."""

    _first: tuple[int, int] | None = None
    _last: int = 0
    _notes: list[Note] = field(default_factory=list[Note])
    _begun: int | None = None
    _done: int = 0

    def see(self, *, seq: int, wall_ns: int, mono_ns: int, step: bool = False) -> None:
        """Both clocks, in ns, at the event `seq`. `step`: whether an action begins or is over."""
        if step:
            self._begun = mono_ns if self._begun is None else self._begun
            self._done = mono_ns
        if self._first is None:
            self._first = wall_ns, mono_ns
        drift = (wall_ns - self._first[0]) - (mono_ns - self._first[1])
        moved = drift - self._last
        if abs(moved) > _TOLERANCE_NS:
            way = "forward" if moved > 0 else "back"
            seconds = abs(moved) // 1_000_000_000
            self._notes.append(Note("clock", f"the wall clock was set {way} by {seconds} s before event {seq}"))
            self._last = drift

    @property
    def notes(self) -> tuple[Note, ...]:
        """One note for every jump; the last one says how long the steps took by the clock that nobody sets."""
        if not self._notes or self._begun is None:
            return tuple(self._notes)
        *earlier, last = self._notes
        took = f"the steps took {(self._done - self._begun) / 1e9:.1f} s by the clock that nobody sets"
        return (*earlier, Note(last.kind, f"{took}; {last.message}"))
