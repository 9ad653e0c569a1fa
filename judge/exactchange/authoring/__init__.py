"""Help for authors of tasks: a first task to start from."""

from exactchange.authoring.first import first_task

__all__ = ["first_task"]
