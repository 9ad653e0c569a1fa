"""`exactchange judge`: a verdict on recorded episodes, or on two copies of a work directory."""

import pathlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import all_option, loaded, params_option, parsed_params, path_argument, trust_option

if TYPE_CHECKING:
    from exactchange.reports import Entry
    from exactchange.values import Value

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
@trust_option
@click.option(
    "--recorded-params", "recorded", is_flag=True, help="Take the parameters that each episode says it was run with."
)
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
    trust: bool,
    recorded: bool,
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
    from exactchange.cli.showing import show

    given = parsed_params(params)
    if any(option is not None for option in (before, after, actions, answer, started, ended)):
        one = len(what) == 1 and task_file is None and not folders
        copies = _copies(before if one else None, after, actions, answer, started=started, ended=ended)
        sys.exit(show([_judged(what[0], given, copies, trust=trust)], as_json=as_json, full=full))
    tasks = (task_file, folders)
    entries = _episodes(what, tasks, given, recorded=recorded, write=not no_write, trust=trust, jobs=jobs)
    sys.exit(show(entries, as_json=as_json, full=full, episodes=what))


def _copies(
    before: pathlib.Path | None,
    after: pathlib.Path | None,
    actions: pathlib.Path | None,
    answer: str | None,
    *,
    started: str | None,
    ended: str | None,
) -> _Copies:
    """What is known of two copied directories. Raises UsageError where one of them is missing."""
    if before is None or after is None:
        raise click.UsageError("two copies are judged by: exactchange judge TASK --before DIR --after DIR")
    return _Copies(before, after, actions, answer, _moment("--started", started), _moment("--ended", ended))


def _episodes(
    episodes: Sequence[pathlib.Path],
    tasks: tuple[pathlib.Path | None, Sequence[pathlib.Path]],
    params: "dict[str, Value]",
    *,
    recorded: bool,
    write: bool,
    trust: bool,
    jobs: int | None,
) -> "list[Entry]":
    from exactchange.cli.episodes import Job, judge_all

    file, folders = tasks
    if file is not None and not file.is_file():
        raise click.UsageError(f"--task {file}: there is no such file")
    _refuse_twice(episodes)
    work = [Job(episode, file, tuple(folders), params, recorded, write, trust) for episode in episodes]
    with output.progress("judging", total=len(work)) as news:
        return judge_all(work, processes=jobs, news=news)


def _refuse_twice(episodes: Sequence[pathlib.Path]) -> None:
    """An episode that is named twice would count twice in every number. Raises UsageError."""
    seen: dict[pathlib.Path, pathlib.Path] = {}
    for episode in episodes:
        place = episode.resolve()
        if place in seen:
            raise click.UsageError(f"{seen[place]} and {episode} are the same episode; name it once")
        seen[place] = episode


def _judged(file: pathlib.Path, params: "dict[str, Value]", copies: _Copies, *, trust: bool) -> "Entry":
    from exactchange.episode import case_from_directories
    from exactchange.reports import Entry
    from exactchange.session import judged

    task = loaded(file, params, trust=trust)
    case = case_from_directories(
        task,
        copies.before,
        copies.after,
        actions=copies.actions,
        answer=copies.answer,
        started_ns=copies.started_ns,
        ended_ns=copies.ended_ns,
    )
    return Entry(task.id, judged(task, case), task=task)


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
