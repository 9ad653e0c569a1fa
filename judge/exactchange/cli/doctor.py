"""`exactchange doctor`: what is there, what is missing, and how to mend it."""

import json
import sys
from collections.abc import Sequence

import click

from exactchange.cli.machine import examine
from exactchange.sources.health import Check

SCHEMA = "exactchange/doctor/1"
MISSING = 4  # the exit code of everything that is the infrastructure's fault


@click.command("doctor")
@click.option("--install-browser", is_flag=True, help="Get a browser when there is none.")
@click.option("--quiet", "-q", is_flag=True, help="Say only what is missing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(*, install_browser: bool, quiet: bool, as_json: bool) -> None:
    """Say what this machine has, what is missing and how to mend it.

    Exits 0 when all that judging needs is there, 4 when something is missing.

    \b
      exactchange doctor --install-browser
    """
    checks = examine(
        install=["browser"] if install_browser else [],
        say=lambda line: click.echo(f"doctor: {_plain(line)}", err=True),
    )
    if as_json:
        click.echo(as_document(checks))
    else:
        text = as_text([check for check in checks if not (quiet and check.ok)])
        click.echo(text, nl=False, err=quiet)
    sys.exit(0 if all(check.ok for check in checks) else MISSING)


def as_document(checks: Sequence[Check]) -> str:
    """One JSON document of schema exactchange/doctor/1."""
    rows = [{"name": c.name, "ok": c.ok, "detail": c.detail, "remedy": c.remedy} for c in checks]
    return json.dumps({"schema": SCHEMA, "ok": all(c.ok for c in checks), "checks": rows}, indent=2)


def as_text(checks: Sequence[Check]) -> str:
    """One line per check, and under what is missing the lines that mend it."""
    width = max((len(check.name) for check in checks), default=0)
    lines: list[str] = []
    for check in checks:
        sign = "ok     " if check.ok else "MISSING"
        lines.append(f"{sign}  {check.name:<{width}}  {_plain(check.detail)}")
        if not check.ok:
            lines += [f"{'':9}{_plain(line)}" for line in check.remedy.split("\n") if line]
    return "".join(f"{line}\n" for line in lines)


def _plain(text: str) -> str:
    """Paths and messages come from the machine: nothing in them may drive the terminal."""
    from exactchange.reports.sanitise import shown

    return shown(text)
