"""What changed between two values: typed, nothing lost, in few changes."""

from exactchange.diff.apply import apply, reverse
from exactchange.diff.compare import compare, diff_values
from exactchange.diff.lines import Lines
from exactchange.diff.model import Change, Diff, Op, Operation

__all__ = ["Change", "Diff", "Lines", "Op", "Operation", "apply", "compare", "diff_values", "reverse"]
