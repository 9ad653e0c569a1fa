"""Brings a task's world up, lets an agent work in it, judges, records, and takes the world down again."""

from exactchange.runner.in_process import LiveRun, live
from exactchange.runner.run import RunResult, run_task
from exactchange.runner.signals import run_to_end
from exactchange.runner.stdio import serve_stdio

__all__ = ["LiveRun", "RunResult", "live", "run_task", "run_to_end", "serve_stdio"]
