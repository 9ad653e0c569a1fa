"""The adapter kit: checks that any source kind must pass, for use in anybody's pytest.

    bench = Bench(KIND, Params(path="{0}/app.db".format(tmp_path)), workdir=tmp_path)
    check_adapter(bench, change=change_one_row, spoil=corrupt_the_file, remove=delete_the_file)

Every check raises AssertionError with what was expected, what was found and where.
"""

from exactchange.testing.bench import Bench, LiveReader, MemoryStore
from exactchange.testing.checks import (
    check_absent_is_a_state,
    check_adapter,
    check_addresses,
    check_change_is_seen,
    check_deadline,
    check_offline_is_the_same,
    check_quiet,
    check_saved_is_loaded,
    check_unread_is_reported,
)
from exactchange.testing.footprint import Footprint, footprint

__all__ = [
    "Bench",
    "Footprint",
    "LiveReader",
    "MemoryStore",
    "check_absent_is_a_state",
    "check_adapter",
    "check_addresses",
    "check_change_is_seen",
    "check_deadline",
    "check_offline_is_the_same",
    "check_quiet",
    "check_saved_is_loaded",
    "check_unread_is_reported",
    "footprint",
]
