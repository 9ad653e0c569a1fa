"""Records the right run of every task that ships into `fixtures/episodes`: `make episodes`."""

import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CHECKOUT = pathlib.Path(__file__).resolve().parents[1]
EPISODES = CHECKOUT / "fixtures" / "episodes"
TRAC = ("close-1", "edit-start-page", "grant-alice", "look", "project-name", "rename-component")
PATIENCE_S = 180


@dataclass(frozen=True, slots=True)
class Right:
    """A right run: its folder below the episodes, the task's file below `tasks`, who plays it, and as which variant."""

    folder: str
    task: str
    agent: Sequence[str]
    params: Mapping[str, str] = field(default_factory=dict[str, str])


RIGHT = (
    Right("article-form", "article/article-form.yaml", ("form", "good")),
    Right(
        "article-form.another",
        "article/article-form.yaml",
        ("form", "another"),
        {"person": "Ada King", "mail": "ada.king@example.org"},
    ),
    Right("settings-timeout", "article/settings-timeout.yaml", ("settings", "good")),
    Right("book-flight", "article/book-flight.yaml", ("flights", "good")),
    *(Right(f"trac-{name}", f"trac/trac-{name}.yaml", (f"trac-{name}", "good")) for name in TRAC),
    # What Trac writes of visitors who are not signed in is in none of those.
    Right("trac-close-1.seen", "trac/trac-close-1.yaml", ("trac-close-1", "seen")),
)


def main() -> None:
    """Play each right run, and keep its episode where it passed. Exits with 1 where one did not."""
    with tempfile.TemporaryDirectory(prefix="exactchange-") as name:
        for right in RIGHT:
            recorded = pathlib.Path(name) / right.folder
            _play(right, recorded)
            _keep(recorded, EPISODES / right.folder)


def _play(right: Right, record: pathlib.Path) -> None:
    command = [
        *(sys.executable, "-c", "from exactchange.cli import main; main()", "run", f"tasks/{right.task}"),
        *("--agent", shlex.join(["{python}", "-m", "exactchange_fixtures.agents", *right.agent])),
        *("--record", str(record)),
        *(word for name, value in right.params.items() for word in ("--param", f"{name}={value}")),
    ]
    done = subprocess.run(command, cwd=CHECKOUT, timeout=PATIENCE_S, check=False)
    if done.returncode:
        sys.exit(f"{right.folder}: this run should pass; it ended with {done.returncode}, and nothing of it is kept")


def _keep(recorded: pathlib.Path, folder: pathlib.Path) -> None:
    """The evidence, in place of what was there. A verdict is what a judge makes of it, so it is none."""
    (recorded / "verdict.json").unlink()
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(recorded, folder, copy_function=shutil.copyfile)


if __name__ == "__main__":
    main()
