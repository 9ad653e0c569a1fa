"""The verdict: outcome, score, findings with evidence, and everything that changed without leave."""

from exactchange.verdict.document import verdict_json, write_verdict
from exactchange.verdict.model import (
    Bonus,
    Bounds,
    Finding,
    Freed,
    NearMiss,
    Outcome,
    Settled,
    Tier,
    Truth,
    Verdict,
    Warned,
    Whole,
)

__all__ = [
    "Bonus",
    "Bounds",
    "Finding",
    "Freed",
    "NearMiss",
    "Outcome",
    "Settled",
    "Tier",
    "Truth",
    "Verdict",
    "Warned",
    "Whole",
    "verdict_json",
    "write_verdict",
]
