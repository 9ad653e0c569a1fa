"""What makes a task impossible to judge."""

from exactchange.errors import UsageError


class BrokenTask(UsageError):
    """The task cannot tell a good run from a bad one: every must is vacuous, or `count: all` selects nothing."""
