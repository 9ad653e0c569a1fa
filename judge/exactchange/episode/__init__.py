"""An episode on disk: written while it runs, readable while it grows and after a crash, judged again at any time."""

from exactchange.episode.blobs import BlobFolder
from exactchange.episode.directories import case_from_directories
from exactchange.episode.header import Header, InvalidEpisode, read_header
from exactchange.episode.reader import read_episode
from exactchange.episode.recorder import EpisodeRecorder
from exactchange.episode.world import RunWorld

__all__ = [
    "BlobFolder",
    "EpisodeRecorder",
    "Header",
    "InvalidEpisode",
    "RunWorld",
    "case_from_directories",
    "read_episode",
    "read_header",
]
