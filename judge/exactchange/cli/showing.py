"""How verdicts are shown: one as its own document or text, several as a report."""

import pathlib
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from exactchange.cli import output
from exactchange.errors import InfrastructureError

if TYPE_CHECKING:
    from exactchange.diff import Change
    from exactchange.reports import Entry
    from exactchange.verdict import Verdict

VERDICT = "verdict.json"
_MOST_IN_FULL = 10  # of more episodes the table tells enough; --all shows every one
_LONGEST_ADDRESS = 80
_NOISE = "exactchange calibrate, if a mere look changes all that"


def show(entries: "Sequence[Entry]", *, as_json: bool, full: bool, episodes: Sequence[pathlib.Path] = ()) -> int:
    """Print verdicts and return the exit code. `episodes`: where they are recorded, in the same order."""
    from exactchange import reports

    if len(entries) == 1 and entries[0].verdict is None:
        return _failed(entries[0], as_json=as_json)
    if as_json:
        _say_json(entries)
        _say_unwritten(entries)
        return reports.exit_code(entries)
    for number, entry in enumerate(entries):
        if entry.verdict is None:
            output.hint(f"{entry.name}: {entry.failed}")
        elif len(entries) == 1 or full or (len(entries) <= _MOST_IN_FULL and not entry.verdict.passed):
            if len(entries) > 1:
                output.say(f"episode {reports.shown(entry.name)}")
            say_verdict(entry.verdict, entry, episodes[number] if episodes else None, full=full)
            if len(entries) > 1:
                output.say("")
    if len(entries) > 1:
        look = output.look()
        output.say(reports.render_table(entries, width=look.width, colour=look.colour, full=full))
    _say_unwritten(entries)
    return reports.exit_code(entries)


def say_verdict(verdict: "Verdict", entry: "Entry", episode: pathlib.Path | None, *, full: bool = False) -> None:
    """Print one verdict as text."""
    from exactchange import reports

    look = output.look()
    output.say(
        reports.render_verdict(
            verdict,
            width=look.width,
            colour=look.colour,
            full=full,
            seconds=entry.seconds,
            next_step=_next_step(entry, verdict, episode),
            asked=lambda change: _asked(entry, change),
        )
    )


def _asked(entry: "Entry", change: "Change") -> str | None:
    """Which must asks for something in the place of a change."""
    from exactchange.conditions import Allowed
    from exactchange.task.overlaps import asking

    if entry.task is None:
        return None
    op = {} if change.op == "moved" else {"op": change.op}
    rule = asking(entry.task, Allowed.model_validate({"in": change.source, "at": change.address, **op}))
    return None if rule is None else f"the must at {rule.condition.where} wants something certain there"


def _next_step(entry: "Entry", verdict: "Verdict", episode: pathlib.Path | None) -> str | None:
    """The command that says more, where there is more to say and it is on disk; for noise the one that finds it."""
    if verdict.passed:
        return None
    unknown = entry.task is not None and not entry.task.ignore  # else somebody has looked for noise already
    noise = _NOISE if unknown and _may_be_noise(verdict) else None
    if episode is None or not (episode / VERDICT).is_file():
        return noise
    command = f"exactchange explain {shlex.quote(str(episode))}"
    if len(verdict.unexplained) == 1:
        change = verdict.unexplained[0]
        address = f"{change.source}:{change.address}"
        if len(address) < _LONGEST_ADDRESS and address.isprintable():
            return f"{command} {shlex.quote(address)}"
    return command if noise is None else f"{command}; or {noise}"


def _may_be_noise(verdict: "Verdict") -> bool:
    """Whether several things beside the goal changed and nothing else is wrong: as an application does by itself."""
    wrong = any(item.holds is not True for item in verdict.findings if item.tier == "must")
    return verdict.outcome == "unmet" and not wrong and len(verdict.unexplained) > 1


def _failed(entry: "Entry", *, as_json: bool) -> int:
    code = entry.exit_code or InfrastructureError.exit_code
    return output.fail((entry.failed or "no verdict").strip(), code=code, as_json=as_json)


def _say_unwritten(entries: "Sequence[Entry]") -> None:
    """What became of verdicts that are known and on no disk."""
    for entry in entries:
        if entry.verdict is not None and entry.failed:
            output.hint(f"{entry.name}: {entry.failed}")


def _say_json(entries: "Sequence[Entry]") -> None:
    from exactchange import reports
    from exactchange.verdict import verdict_json

    alone = entries[0].verdict if len(entries) == 1 else None
    output.say_json(reports.report_json(entries) if alone is None else verdict_json(alone))
