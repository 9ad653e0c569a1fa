"""`exactchange sql`: what the statements of a text do, as `sql:` conditions understand them."""

import pathlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from exactchange.cli import output

if TYPE_CHECKING:
    from exactchange.actions.sql import Statement

NOT_UNDERSTOOD = 3
_DIALECTS = ("sqlite", "postgres", "mysql", "tsql")
_COLUMN = 20


@click.command("sql")
@click.argument("text", required=False, metavar="[TEXT|FILE|-]")
@click.option(
    "--dialect", type=click.Choice(_DIALECTS), help="The database's own SQL; without it, what all of them read alike."
)
@output.json_option
def sql(*, text: str | None, dialect: str | None, as_json: bool) -> None:
    """Say what each statement of TEXT does: its effects, the tables, and whether something restricts the rows.

    TEXT is SQL, a file that holds some, or - for stdin. Nothing is run.

    Exits 0 when all of it is understood, 3 when something is not.

    \b
      exactchange sql "DELETE FROM orders" --dialect sqlite
      exactchange sql migration.sql --dialect postgres
    """
    from exactchange.actions.sql import read_sql, statement_record
    from exactchange.values.jsonform import to_json

    found = read_sql(_given(text), dialect)
    if as_json:
        records = [to_json(statement_record(statement)) for statement in found]
        output.say_json({"schema": "exactchange/sql/1", "statements": records})
    elif found:
        output.say("\n".join(line for statement in found for line in _lines(statement)))
    else:
        output.say("no statement")
    sys.exit(0 if all(statement.understood for statement in found) else NOT_UNDERSTOOD)


def _given(text: str | None) -> str:
    """The SQL that is meant. Raises UsageError."""
    if text is None and sys.stdin.isatty():
        raise click.UsageError("say the SQL, a file that holds some, or - for stdin")
    if text is None or text == "-":
        return _decoded(sys.stdin.buffer.read(), "stdin")
    place = pathlib.Path(text)
    if _is_file(place):
        try:
            return _decoded(place.read_bytes(), text)
        except OSError as error:
            raise click.UsageError(f"cannot read {text}: {error.strerror}") from error
    if text.endswith(".sql") and not text.strip().count(" "):
        raise click.UsageError(f"there is no file {text}")
    return text


def _is_file(place: pathlib.Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{name} is no UTF-8 text: byte {error.start}") from error


def _lines(statement: "Statement") -> Sequence[str]:
    """`delete, read   orders, lines   not bounded   DELETE FROM …`, and below it why."""
    from exactchange.reports.sanitise import cut, shown

    width = output.look().width
    bound = {True: "bounded", False: "not bounded", None: ""}[statement.bounded]
    parts = [", ".join(statement.effects) or "nothing", shown(", ".join(statement.tables)), bound]
    head = "  ".join(cut(part, 2 * _COLUMN).ljust(size) for part, size in zip(parts, (18, 14, 11), strict=True))
    said = cut(shown(" ".join(statement.sql.split())), max(_COLUMN, width - len(head) - 2))
    return [f"{head}  {said}".rstrip(), *([f"  why: {shown(statement.why)}"] if statement.why else [])]
