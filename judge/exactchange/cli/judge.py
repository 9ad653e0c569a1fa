"""`exactchange judge`: a verdict on recorded episodes, or on two copies of a work directory."""

import pathlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import all_option, loaded, params_option, parsed_params, path_argument
from exactchange.errors import InfrastructureError

if TYPE_CHECKING:
    from exactchange.reports import Entry
    from exactchange.values import Value

VERDICT = "verdict.json"
_Path = click.Path(path_type=pathlib.Path)


@dataclass(frozen=True, slots=True)
class _Copies:
    """Two copies of a work directory, and what is known of the run between them; a time of 0 is not known."""

    before: pathlib.Path
    after: pathlib.Path
    actions: pathlib.Path | None
    answer: str | None
    started_ns: int
    ended_ns: int


@click.command("judge")
@path_argument("what", many=True)
@click.option("--task", "task_file", type=_Path, help="The task of the episodes.")
@click.option("--tasks", "folders", type=_Path, multiple=True, help="Where to look for the tasks of the episodes.")
@params_option
@click.option("--recorded-params", is_flag=True, help="Take the parameters that each episode says it was run with.")
@click.option("--before", type=_Path, help="A copy of the work directory before; WHAT is then the task.")
@click.option("--after", type=_Path, help="A copy of the work directory after.")
@click.option("--actions", type=_Path, help="With --before: what the agent says it did, one JSON object a line.")
@click.option("--answer", metavar="TEXT", help="With --before: what the agent answered.")
@click.option("--started", metavar="TIME", help="With --before: when the run began, such as 2026-05-04T09:30:00Z.")
@click.option("--ended", metavar="TIME", help="With --before: when it ended.")
@click.option("--no-write", is_flag=True, help="Leave the episodes as they are; else each gets its verdict.json.")
@click.option("--jobs", "-j", type=click.IntRange(1, 64), help="How many episodes to judge at once.")
@all_option
@output.json_option
def judge(  # noqa: PLR0913  # click hands over every option as an argument
    *,
    what: Sequence[pathlib.Path],
    task_file: pathlib.Path | None,
    folders: Sequence[pathlib.Path],
    params: Sequence[str],
    recorded_params: bool,
    before: pathlib.Path | None,
    after: pathlib.Path | None,
    actions: pathlib.Path | None,
    answer: str | None,
    started: str | None,
    ended: str | None,
    no_write: bool,
    jobs: int | None,
    full: bool,
    as_json: bool,
) -> None:
    """Judge the recorded episodes WHAT, in parallel; or, with --before and --after, two copied directories by the task
    WHAT. No application is started, and no path that an episode names is followed.

    The task of an episode is the one that --task names; else the task of the same id and content below --tasks, or
    among those that ship.

    \b
      exactchange judge runs/*
      exactchange judge runs/1 --task settings-timeout.yaml --all
      exactchange judge settings-timeout.yaml --before copy-before --after copy-after --actions actions.jsonl
    """
    given = parsed_params(params)
    if any(option is not None for option in (before, after, actions, answer, started, ended)):
        if before is None or after is None or len(what) != 1 or task_file is not None or folders:
            raise click.UsageError("two copies are judged by: exactchange judge TASK --before DIR --after DIR")
        copies = _Copies(before, after, actions, answer, _moment("--started", started), _moment("--ended", ended))
        sys.exit(show([_judged(what[0], given, copies)], as_json=as_json, full=full))
    from exactchange.cli.episodes import Job, judge_all

    if task_file is not None and not task_file.is_file():
        raise click.UsageError(f"--task {task_file}: there is no such file")
    work = [Job(p, task_file, tuple(folders), given, recorded_params, not no_write) for p in what]
    with output.progress("judging", total=len(work)) as news:
        entries = judge_all(work, processes=jobs, news=news)
    sys.exit(show(entries, as_json=as_json, full=full, episodes=[job.episode for job in work]))


def show(
    entries: "Sequence[Entry]",
    *,
    as_json: bool,
    full: bool,
    episodes: Sequence[pathlib.Path] = (),
    tabled: bool | None = None,
) -> int:
    """Print verdicts: one as its own document or text, several as a report. Returns the exit code."""
    from exactchange import reports
    from exactchange.verdict import verdict_json

    alone = len(entries) == 1 if tabled is None else not tabled
    failed = [entry for entry in entries if entry.verdict is None]
    if alone and failed:
        code = failed[0].exit_code or InfrastructureError.exit_code
        remedy = "\nexactchange doctor says what this machine lacks" if code == InfrastructureError.exit_code else ""
        return output.fail((failed[0].failed or "no verdict").strip() + remedy, code=code, as_json=as_json)
    if as_json:
        single = entries[0].verdict if alone else None
        output.say_json(reports.report_json(entries) if single is None else verdict_json(single))
        return reports.exit_code(entries)
    look = output.look()
    for number, entry in enumerate(entries):
        if entry.verdict is not None and (alone or entry.verdict.outcome != "passed" or full):
            step = next_step(entry, episodes[number] if episodes else None)
            output.say(
                reports.render_verdict(
                    entry.verdict,
                    width=look.width,
                    colour=look.colour,
                    full=full,
                    seconds=entry.seconds,
                    next_step=step,
                )
                + ("" if alone else "\n")
            )
    for entry in failed:
        output.hint(f"{entry.name}: {entry.failed}")
    if not alone:
        output.say(reports.render_table(entries, width=look.width, colour=look.colour))
    return reports.exit_code(entries)


def next_step(entry: "Entry", episode: pathlib.Path | None) -> str | None:
    """The command that says more, where there is more to say and it is on disk."""
    import shlex

    verdict = entry.verdict
    if verdict is None or verdict.passed or episode is None or not (episode / VERDICT).is_file():
        return None
    if len(verdict.unexplained) == 1:
        change = verdict.unexplained[0]
        address = f"{change.source}:{change.address}"
        if len(address) < 80 and address.isprintable():
            return f"exactchange explain {shlex.quote(str(episode))} {shlex.quote(address)}"
    return f"exactchange explain {shlex.quote(str(episode))}"


def _judged(file: pathlib.Path, params: "dict[str, Value]", copies: _Copies) -> "Entry":
    from exactchange.episode import case_from_directories
    from exactchange.reports import Entry
    from exactchange.session import judged

    task = loaded(file, params)
    case = case_from_directories(
        task,
        copies.before,
        copies.after,
        actions=copies.actions,
        answer=copies.answer,
        started_ns=copies.started_ns,
        ended_ns=copies.ended_ns,
    )
    return Entry(task.id, judged(task, case))


def _moment(option: str, text: str | None) -> int:
    """A time with its offset as ns since 1970; 0, which is not known, when it is not given. Raises UsageError."""
    import datetime as dt

    if text is None:
        return 0
    try:
        moment: dt.datetime | None = dt.datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise click.UsageError(f"{option} {text}: write a time with its offset, such as 2026-05-04T09:30:00Z")
    since = moment - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000
