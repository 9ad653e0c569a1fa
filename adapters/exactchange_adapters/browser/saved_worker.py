"""Reads the markup of one page in a process of its own, which may use so much time and memory and no more."""

import json
import sys

from selectolax.lexbor import SelectolaxError

from exactchange.errors import OverBudget, UsageError
from exactchange_adapters.browser.saved_frames import read_frames
from exactchange_adapters.browser.saved_tree import SavedTree, tree_of
from exactchange_adapters.browser.secrets import Secrecy

_MOST_MEMORY = 4 * 1024 * 1024 * 1024


def main() -> None:
    """A line with the key for secrets and then the page come on stdin; a `SavedTree` goes to stdout, as JSON.

    The argument: how many seconds of processor time it may take.
    """
    _limit(int(sys.argv[1]))
    key, _, data = sys.stdin.buffer.read().partition(b"\n")
    json.dump(_read(data, Secrecy(bytes.fromhex(key.decode("ascii")))), sys.stdout)


def _read(data: bytes, secrecy: Secrecy) -> SavedTree:
    try:
        return tree_of(read_frames(data), secrecy)
    except (MemoryError, RecursionError, SelectolaxError):  # Lexbor says of no memory that it cannot parse
        why = "it takes more time or memory than a page may"
    except (UsageError, OverBudget) as error:
        why = str(error)
    return {"tree": {}, "documents": [], "unread": [((), why)], "styled": False}


def _limit(seconds: int) -> None:
    try:
        import resource
    except ImportError:  # of systems that cannot limit a process: it is ended from outside
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


if __name__ == "__main__":
    main()
