"""A case: one episode, or a prefix of it, as evidence without any live handle."""

from exactchange.case.model import Case, Ended, Evidence, SourceUnread
from exactchange.case.pseudo import ACTIONS, ANSWER, PSEUDO

__all__ = ["ACTIONS", "ANSWER", "PSEUDO", "Case", "Ended", "Evidence", "SourceUnread"]
