"""Audit: a task tested with a recorded good episode: null agents must not pass, and altered runs must be caught."""

from exactchange.authoring.audit.agents import NullAgent, null_agents
from exactchange.authoring.audit.auditing import BadEpisode, audit
from exactchange.authoring.audit.mutant import Mutant
from exactchange.authoring.audit.mutants import mutants
from exactchange.authoring.audit.replays import OtherRun
from exactchange.authoring.audit.result import Audit
from exactchange.authoring.audit.variants import Variant, task_variants

__all__ = [
    "Audit",
    "BadEpisode",
    "Mutant",
    "NullAgent",
    "OtherRun",
    "Variant",
    "audit",
    "mutants",
    "null_agents",
    "task_variants",
]
