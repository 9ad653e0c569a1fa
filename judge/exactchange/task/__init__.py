"""Tasks: YAML files read with every mistake named at once, and the checked values that the judge works on."""

from exactchange.task.load import load_task, task_from_data
from exactchange.task.model import App, SourceSpec, Task
from exactchange.task.problem import NeedsTrust, Problem, TaskError
from exactchange.task.schema import task_schema

__all__ = [
    "App",
    "NeedsTrust",
    "Problem",
    "SourceSpec",
    "Task",
    "TaskError",
    "load_task",
    "task_from_data",
    "task_schema",
]
