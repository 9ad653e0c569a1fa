"""Lets another agent work; copies the work directory before and after, and names it: ``copying.py FOLDER AGENT...``."""

import os
import pathlib
import shutil
import subprocess
import sys


def main() -> None:
    """Copy, run the agent, copy, and end as it ended."""
    folder, agent = pathlib.Path(sys.argv[1]), sys.argv[2:]
    work = pathlib.Path(os.environ["EXACTCHANGE_WORKDIR"])
    (folder / "workdir").write_text(os.fspath(work), encoding="utf-8")
    shutil.copytree(work, folder / "before", symlinks=True)
    status = subprocess.run(agent, check=False).returncode
    shutil.copytree(work, folder / "after", symlinks=True)
    sys.exit(status)


if __name__ == "__main__":
    main()
