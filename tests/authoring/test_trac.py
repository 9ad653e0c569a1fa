"""An application of somebody else's, in a real browser: what a tour of it leaves behind becomes rules that hold."""

import asyncio
from dataclasses import replace

from tests.end_to_end.play import shipped_task, twin

from exactchange.authoring.calibration import ignore_line
from exactchange.authoring.tour import calibrated, tour
from exactchange.task import Task
from exactchange.verdict import Verdict

AGENT = twin("trac-look", "good")  # it signs in, looks, and sends nothing


def tours(task: Task, count: int) -> list[Verdict]:
    async def one() -> Verdict:
        return await tour(task, agent=AGENT, headless=True, timeout_s=120, progress=lambda _: None)

    return [asyncio.run(one()) for _ in range(count)]


def test_the_rules_that_are_found_on_trac_are_narrow_and_make_another_tour_quiet() -> None:
    noisy = replace(shipped_task("trac-look"), ignore=())
    proposal = calibrated(noisy, tours(noisy, 2))
    found = {ignore_line(rule) for rule in proposal.rules}
    assert found == {
        '- {in: page, at: "@cookies.trac_auth", op: added}',
        '- {in: page, at: "@cookies.trac_session", op: removed}',
        """- {in: db, at: 'auth_cookie[ipnr="127.0.0.1",name=admin]', op: added}""",
    }
    quiet = replace(noisy, ignore=tuple(rule.pattern for rule in proposal.rules))
    (last,) = tours(quiet, 1)
    assert (last.unexplained, last.unread) == ((), ())
