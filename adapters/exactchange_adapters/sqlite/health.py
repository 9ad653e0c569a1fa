"""What `exactchange doctor` asks of the SQLite adapter: which library, and does it answer?"""

from collections.abc import Sequence

from exactchange.sources.health import Check

OLDEST = (3, 46)


def checks() -> Sequence[Check]:
    """One check: APSW brings its own SQLite, so that every machine judges with the same one."""
    try:
        import apsw  # imported late: `doctor` must be able to say that it is missing
    except ImportError as error:
        return [Check("sqlite", False, f"apsw: {error}", "pip install apsw")]
    library = apsw.sqlite_lib_version()
    connection = apsw.Connection(":memory:")
    try:
        (answer,) = connection.execute("SELECT sqlite_version()").fetchone() or (None,)
    finally:
        connection.close()
    new_enough = tuple(int(part) for part in library.split(".")[:2]) >= OLDEST
    return [
        Check(
            "sqlite",
            answer == library and new_enough,
            f"SQLite {library} by APSW {apsw.apsw_version()}",
            "" if new_enough else "pip install --upgrade apsw",
        )
    ]
