"""Tours: runs of a task in fresh worlds in which an agent only looks around, judged by nothing but what changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from exactchange.authoring.noise import propose
from exactchange.authoring.proposal import Proposal
from exactchange.conditions import Allowed, Condition
from exactchange.errors import InfrastructureError
from exactchange.runner import RunResult, run_task
from exactchange.task import Task
from exactchange.task.overlaps import spoken_of
from exactchange.verdict import Verdict

_NEVER: Final = Condition.model_validate(
    {"name": "a tour asks for nothing", "value": {"in": "answer", "at": "", "is": {"type": "bytes"}}}
)


async def tour(
    task: Task, *, agent: str | Sequence[str], headless: bool, timeout_s: float, progress: Callable[[str], None]
) -> Verdict:
    """What one tour changed, as the verdict of a task that asks for nothing: in `unexplained` and `unread`.

    The task's `ignore`, `allow` and `given` hold, its vetoes and musts do not. Raises UsageError for what cannot be run
    and InfrastructureError when the world does not come up, or the tour does not come to its end.
    """
    done = await run_task(touring(task), agent=agent, headless=headless, timeout_s=timeout_s, progress=progress)
    failed = _failure(done)
    if failed is not None:
        raise InfrastructureError(f"the tour failed, and what it changed tells nothing: {failed}")
    return done.verdict


def calibrated(task: Task, tours: Sequence[Verdict]) -> Proposal:
    """The rules that make these tours of a task quiet."""
    styles = {name: spec.kind.style for name, spec in task.sources.items()}
    return propose(tours, styles=styles, refuse=lambda pattern: _spoken_of(task, pattern))


def touring(task: Task) -> Task:
    """The task of a tour: the same world with the same `ignore`, `allow` and `given`, and nothing to be done."""
    told = (
        f"Log in and look around as the following task needs it, but do not do it: change nothing. {task.instruction}"
    )
    return replace(task, instruction=told, veto=(), bonus=(), must=(_NEVER,))


def _failure(done: RunResult) -> str | None:
    verdict = done.verdict
    if verdict.score is None:
        given = [item for item in verdict.findings if item.tier == "given" and not item.holds]
        broken = [f"what is given does not hold: {item.name} ({item.where})" for item in given]
        said = [item.message for item in verdict.warnings if item.kind == "infrastructure"]
        return "; ".join([*said, *broken]) or "the world around it failed"
    if done.ended in ("crashed", "timeout"):
        how = "the agent crashed" if done.ended == "crashed" else "the agent's time was over"
        return f"{how}; the last it said: {done.agent_words}" if done.agent_words else how
    return None


def _spoken_of(task: Task, pattern: Allowed) -> str | None:
    found = spoken_of(task, pattern)
    if found is None:
        return None
    rule, itself = found
    what = "speaks of it" if itself else "speaks of something in it"
    return f"the {rule.tier} at {rule.condition.where} {what}: {rule.condition.title()}"
