"""The `exactchange` command: finds the command that was named, and turns errors into one message and an exit code."""

import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence

import click

from exactchange import __version__
from exactchange.cli import output
from exactchange.cli.catalogue import COMMANDS
from exactchange.cli.output import DEBUG
from exactchange.errors import ExactChangeError

USAGE, INFRASTRUCTURE, INTERRUPTED = 2, 4, 130


class _Commands(click.Group):
    """A group whose commands are imported when they are asked for, and not to list them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(_unknown(args[0], error), ctx) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="exactchange", message="%(prog)s %(version)s")
def root() -> None:
    """The judge for computer-use agents: no red line crossed, the goal reached, and nothing else changed.

    Exit codes: 0 all passed, or no change; 1 something vetoed or unmet, or changes; 2 wrong usage or a broken task; 3
    nothing worse than undecided; 4 no verdict, because the infrastructure failed.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code; without arguments, those of the process."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        output.prepare_streams()
    except output.Unwritable as error:
        sys.exit(output.unwritable(error))
    signal.signal(signal.SIGTERM, _ended)
    # What serve-stdio writes is a conversation; it has said what went wrong in its own words.
    as_json = output.wants_json(given) and given[:1] != ["serve-stdio"]
    sys.exit(_told(given, as_json=as_json))


def _ended(number: int, _frame: object) -> None:
    """Being told to end is no sudden death: what was begun is taken down, and nothing is left behind."""
    raise SystemExit(128 + number)


def _told(given: list[str], *, as_json: bool) -> int:
    """The exit code, when all that was said has arrived: a verdict that nobody was told is none."""
    stream = sys.stdout
    try:
        code = _guarded(given, as_json=as_json)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0 if left.code is None else INFRASTRUCTURE
    sys.stdout = stream  # click puts one in its place that hides a pipe which nobody reads, and leaves with 1
    try:
        output.flush()
    except output.Unwritable as error:
        return output.unwritable(error)
    return code


def _guarded(given: list[str], *, as_json: bool) -> int:
    try:
        result = root.main(args=given, prog_name="exactchange", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return USAGE
    except click.ClickException as error:
        return _usage(error, as_json=as_json)
    except output.Unwritable as error:
        return output.unwritable(error)
    except ExactChangeError as error:
        return output.fail(str(error), code=error.exit_code, as_json=as_json)
    except (click.Abort, KeyboardInterrupt):
        return output.fail("interrupted", code=INTERRUPTED, as_json=as_json)
    except Exception as error:  # noqa: BLE001  # a mistake of ours is shown as one, never as a verdict
        return _unexpected(error, as_json=as_json)


def _usage(error: click.ClickException, *, as_json: bool) -> int:
    context = getattr(error, "ctx", None)
    remedy = f"\n{context.command_path} --help says more" if isinstance(context, click.Context) else ""
    return output.fail(error.format_message() + remedy, code=USAGE, as_json=as_json)


def _unexpected(error: Exception, *, as_json: bool) -> int:
    try:
        output.flush()
    except output.Unwritable as cause:  # no mistake of ours, but the help or a document that found no room
        return output.unwritable(cause)
    if os.environ.get(DEBUG):
        traceback.print_exc()
    message = f"unexpected {type(error).__name__}: {error}\nthis is a mistake in Exact Change; {DEBUG}=1 shows where"
    return output.fail(message, code=INFRASTRUCTURE, as_json=as_json)


def _unknown(word: str, error: click.UsageError) -> str:
    import difflib

    near = difflib.get_close_matches(word, COMMANDS, n=1)
    return f"there is no command {word!r}" + (f"; did you mean {near[0]!r}?" if near else f"; {', '.join(COMMANDS)}")
