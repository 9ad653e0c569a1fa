"""Whether SQLite finds nothing wrong with a database, less what can be read all the same."""

from exactchange_adapters.sqlite.engine import Engine, Unreadable


def sound(engine: Engine, check: str) -> None:
    """Let SQLite check (`quick_check`, `integrity_check`). Raises Unreadable with the first serious fault."""
    faults = [str(row[0]) for row in engine.rows(f"PRAGMA {check}(20)")]
    serious = [fault for fault in faults if fault != "ok" and not _harmless(fault)]
    if serious:
        raise Unreadable(f"the database is corrupt: {serious[0]}")


def _harmless(fault: str) -> bool:
    """Whether all can be read: a value that NOT NULL or a STRICT type forbids, a full-text index behind its text."""
    if "inverted index for FTS" in fault:
        return True
    head = fault.split(" value in ", 1)[0]
    return " value in " in fault and (
        head in ("NULL", "NUMERIC", "TEXT", "INT", "INTEGER", "REAL", "BLOB") or head.startswith("non-")
    )
