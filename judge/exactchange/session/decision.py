"""What a session answers to a runner: go on, or stop and why."""

from dataclasses import dataclass

from exactchange.verdict import Finding


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the agent may go on. `because`: the vetoes that hold. `failure`: what failed in the infrastructure."""

    go: bool
    because: tuple[Finding, ...] = ()
    failure: str | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each reason to stop, for people; empty when the agent may go on."""
        found = [f"{item.name}: {item.why}" if item.why else item.name for item in self.because]
        return (*found, *((self.failure,) if self.failure is not None else ()))


GO = Decision(go=True)
