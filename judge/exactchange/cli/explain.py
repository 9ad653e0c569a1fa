"""`exactchange explain`: why a verdict is what it is, down to one address."""

import pathlib
import sys
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.cli.options import path_argument
from exactchange.errors import UsageError

if TYPE_CHECKING:
    from exactchange.verdict import Verdict


@click.command("explain")
@path_argument("verdict")
@click.argument("address", required=False)
@output.json_option
def explain(*, verdict: pathlib.Path, address: str | None, as_json: bool) -> None:
    """Say why VERDICT (a verdict.json, or the directory of an episode that was judged) is what it is: every rule with
    its evidence, every change with the rule that settles it. With ADDRESS (`source:address` or the address alone)
    only what concerns that place, with both values whole.

    Exits 0 when there was something to explain.

    \b
      exactchange explain runs/1
      exactchange explain runs/1 config:server.retries
    """
    from exactchange import reports
    from exactchange.reports.explaining import about, about_json, render_about

    found = reports.read_verdict(verdict / "verdict.json" if verdict.is_dir() else verdict)
    look = output.look()
    if address is None:
        if as_json:
            from exactchange.verdict import verdict_json

            output.say_json(verdict_json(found))
        else:
            output.say(reports.render_verdict(found, width=look.width, colour=look.colour, full=True))
        sys.exit(0)
    told = about(found, address)
    if not told.changes and not told.unread and not told.findings:
        raise UsageError(_nothing(found, address))
    if as_json:
        output.say_json(about_json(found, told))
    else:
        output.say(render_about(told, width=look.width, colour=look.colour))


def _nothing(found: "Verdict", address: str) -> str:
    import difflib

    from exactchange.reports.explaining import places

    known = places(found)
    near = difflib.get_close_matches(address, known, n=3, cutoff=0.5) or known[:5]
    listed = ", ".join(near) or "none at all"
    return f"the verdict says nothing of {address!r}: it did not change, or is out of scope; it speaks of {listed}"
