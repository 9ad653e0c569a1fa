"""Help for authors of tasks: a first task to start from, and the noise that a tour makes."""

from exactchange.authoring.first import first_task

__all__ = ["first_task"]
