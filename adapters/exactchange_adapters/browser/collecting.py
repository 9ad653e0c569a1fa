"""Keeps Python's garbage collector out of the making of a snapshot, of whose many small objects none is garbage."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Generator[None]:
    """Collect nothing in the block, nor go through what was made in it right afterwards.

    It would more than double the time. What was made counts as old at the end: it lives as long as the snapshot does.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            if gc.get_freeze_count() == 0:  # else somebody has put objects aside, and would get them back by this
                gc.freeze()
                gc.unfreeze()
            gc.enable()
