"""The errors that Exact Change raises: every one says what is wrong, where, and what to do."""


class ExactChangeError(Exception):
    """Base of all errors raised on purpose; `exit_code` is the command line's (design section 9)."""

    exit_code = 4


class UsageError(ExactChangeError):
    """The caller asked for something impossible: a wrong option, a missing file, a broken task."""

    exit_code = 2


class InfrastructureError(ExactChangeError):
    """The world around the judged sources failed (no browser, disk full): no verdict, reward none."""

    exit_code = 4


class OverBudget(ExactChangeError):
    """A counted limit was reached; what was being read becomes unread, what was judged undecided."""

    exit_code = 3


class SnapshotClosed(ExactChangeError):
    """A snapshot was asked after `close()`; a closed snapshot raises and never answers."""
