"""Judges while an agent works: before each action, after each action, and at the end."""

from exactchange.episode import RunWorld
from exactchange.session.decision import Decision
from exactchange.session.offline import judge_episode, judged
from exactchange.session.online import Session
from exactchange.session.sync import SyncSession

__all__ = ["Decision", "RunWorld", "Session", "SyncSession", "judge_episode", "judged"]
