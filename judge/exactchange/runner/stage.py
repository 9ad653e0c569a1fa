"""The world of one run: a fresh work directory, the application, and a browser where a source is a page."""

import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from exactchange.episode import RunWorld
from exactchange.errors import InfrastructureError
from exactchange.runner import environment
from exactchange.runner.processes import end_group, exited, start
from exactchange.runner.ready import free_port, wait_listening, wait_ready
from exactchange.runner.scratch import Scratch, plant, scratch
from exactchange.sources.browsers import GROUP, LaunchBrowser, LaunchedBrowser

if TYPE_CHECKING:
    from exactchange.task import Task

Say = Callable[[str], None]

READY_LIMIT_S = 30.0
_APP_PATIENCE_S = 10.0
_FINISH_LIMIT_S = 60.0


@dataclass(slots=True)
class Stage:
    """What was brought up. `said`: what is worth a warning in the verdict."""

    task: "Task"
    scratch: Scratch
    world: RunWorld
    app: "subprocess.Popen[bytes] | None" = None
    browser: LaunchedBrowser | None = None
    said: list[str] = field(default_factory=list[str])

    def check(self) -> None:
        """Raises InfrastructureError when the browser is gone."""
        if self.browser is not None and not self.browser.alive():
            raise InfrastructureError("the browser ended during the run")

    async def close_application(self) -> None:
        """Run the task's `finish`, then end the application, so that it writes what it writes when it closes."""
        if self.app is not None and self.app.poll() is not None:
            self.said.append(f"the application had ended by itself, with status {self.app.returncode}")
        if self.task.app is not None and self.task.app.finish:
            await self._run_finish([self.world.expand(part) for part in self.task.app.finish])
        if self.app is not None and not await end_group(self.app, patience_s=_APP_PATIENCE_S):
            self.said.append("the application did not end when it was asked to, and was killed")

    async def _run_finish(self, command: list[str]) -> None:
        closing = _start(self.scratch, command, what="app.finish")
        try:
            if not await exited(closing, limit_s=_FINISH_LIMIT_S):
                raise InfrastructureError(f"app.finish did not end within {_FINISH_LIMIT_S:g} s")
            if closing.returncode:
                raise InfrastructureError(f"app.finish ended with status {closing.returncode}")
        finally:
            await end_group(closing, patience_s=0)


@asynccontextmanager
async def brought_up(task: "Task", *, headless: bool, keep: bool, say: Say) -> AsyncGenerator[Stage]:
    """The task's world for the block; afterwards nothing of it runs or, without `keep`, is left on disk.

    Raises InfrastructureError when the application or the browser does not come up, UsageError for a broken task.
    """
    async with AsyncExitStack() as stack:
        made = stack.enter_context(scratch(keep=keep))
        here = None if task.file is None else task.file.parent.resolve()
        world = RunWorld(made.workdir, port=free_port(), python=sys.executable, here=here)
        stage = Stage(task, made, world)
        if task.app is not None and task.app.seed:
            plant(task.app.seed, task_file=task.file, workdir=made.workdir)
        if task.app is not None and task.app.start:
            say("starting the application")
            stage.app = _start(made, [world.expand(part) for part in task.app.start], what="app.start")
            stack.push_async_callback(end_group, stage.app, patience_s=_APP_PATIENCE_S)
        await _wait_for_application(stage)
        page = _first_page(task, world)
        if page is not None:
            say("starting the browser")
            launch = _launcher()(start=page or None, headless=headless, scratch=made.root)
            stage.browser = await stack.enter_async_context(launch)
            stage.world = replace(world, cdp_url=stage.browser.cdp_url, own_browser=True)
        yield stage


async def _wait_for_application(stage: Stage) -> None:
    """Until its `ready` page answers; without one, until it listens on the port that it was given."""
    app, output = stage.task.app, stage.scratch.file("application.log")
    if app is None:
        return
    if app.ready:
        await wait_ready(stage.world.expand(app.ready), stage.app, output=output, limit_s=READY_LIMIT_S)
    elif app.start and any("{port}" in part for part in app.start) and stage.world.port is not None:
        await wait_listening(stage.world.port, stage.app, output=output, limit_s=READY_LIMIT_S)


def _start(made: Scratch, command: list[str], *, what: str) -> "subprocess.Popen[bytes]":
    env = {**environment.application(made.home), "TMPDIR": str(made.temporary)}
    return start(command, cwd=made.home, env=env, output=made.file("application.log"), what=what)


def _first_page(task: "Task", world: RunWorld) -> str | None:
    """Where the browser starts ("": a blank page); None when no source needs a browser of ours."""
    for spec in task.sources.values():
        if not spec.kind.needs_browser:
            continue
        params = spec.params(world.expand)
        if not _field(params, "cdp"):
            return _field(params, "start")
    return None


def _field(params: object, name: str) -> str:
    value: object = getattr(params, name, None)
    return value if isinstance(value, str) else ""


def _launcher() -> LaunchBrowser:
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    if not points:
        raise InfrastructureError("nothing here can start a browser; reinstall exactchange, then `exactchange doctor`")
    return cast("LaunchBrowser", points[0].load())
