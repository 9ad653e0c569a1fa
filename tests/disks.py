"""Disks that are full, for a while."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def full_disk(most: int = 1024) -> Generator[None]:
    """No file of this process can grow beyond so many bytes: writing fails as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
