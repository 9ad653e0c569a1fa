"""Budgets that are counted, never timed, so that a verdict cannot depend on the machine's load."""

from dataclasses import dataclass, field
from typing import Protocol

from exactchange.errors import OverBudget


class Budget(Protocol):
    """Counts what a reader or a judgement uses."""

    def spend(self, *, bytes: int = 0, nodes: int = 0, depth: int = 0) -> None:
        """Count bytes and nodes; check the nesting depth. Raises OverBudget when one is used up."""
        ...


@dataclass(slots=True)
class CountedBudget:
    """A budget of bytes and nodes that only shrinks, and a largest nesting depth."""

    max_bytes: int = 256 * 1024 * 1024
    max_nodes: int = 5_000_000
    max_depth: int = 100
    used_bytes: int = field(default=0, init=False)
    used_nodes: int = field(default=0, init=False)

    def spend(self, *, bytes: int = 0, nodes: int = 0, depth: int = 0) -> None:
        self.used_bytes += bytes
        self.used_nodes += nodes
        if self.used_bytes > self.max_bytes:
            raise OverBudget(f"more than {self.max_bytes} bytes")
        if self.used_nodes > self.max_nodes:
            raise OverBudget(f"more than {self.max_nodes} nodes")
        if depth > self.max_depth:
            raise OverBudget(f"nested deeper than {self.max_depth} levels")
