"""Does nothing but be captured, and writes down what that did to the work directory: ``still.py REPORT``."""

import json
import os
import pathlib
import sys
from contextlib import closing

from exactchange.testing import footprint
from exactchange_fixtures.agents.channel import Handshake

CAPTURES = 3


def main() -> None:
    """Look around a few times; every look is followed by a capture of every source."""
    report, work = pathlib.Path(sys.argv[1]), pathlib.Path(os.environ["EXACTCHANGE_WORKDIR"])
    before = footprint(work)
    differences: list[list[str]] = []
    with closing(Handshake(pathlib.Path(os.environ["EXACTCHANGE_SOCKET"]))) as channel:
        for _ in range(CAPTURES):
            channel.before({"kind": "observe", "what": "screen"})
            channel.after(None)
            # A pinned log's index may be written to by whoever reads the database.
            differences.append(before.differences(footprint(work), tolerated=("*-shm",)))
        channel.finish(None)
    report.write_text(json.dumps({"files": sorted(before.entries), "differences": differences}))


if __name__ == "__main__":
    main()
