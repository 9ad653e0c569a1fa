"""The adapter kit: checks that any source kind must pass, for use in anybody's pytest.

    def test_my_adapter_keeps_the_contract(tmp_path):
        state = tmp_path / "state"
        state.write_text("a=1")
        check_adapter(
            Bench(KIND, Params(path="state"), tmp_path),
            change=lambda: state.write_text("a=2"),
            remove=state.unlink,
            spoil=lambda: state.write_text("no state at all"),
        )

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
from exactchange.testing.edits import check_edits
from exactchange.testing.footprint import Footprint, footprint
from exactchange.testing.parts import check_parts
from exactchange.testing.places import check_places

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
    "check_edits",
    "check_offline_is_the_same",
    "check_parts",
    "check_places",
    "check_quiet",
    "check_saved_is_loaded",
    "check_unread_is_reported",
    "footprint",
]
