"""No condition acts on the world: who judges opens, writes, connects, starts, imports and compiles nothing."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def judged(folder: pathlib.Path, *, trust: bool) -> list[str]:
    """What `sealed` says: the outcome, and what was done to the world."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); from tests.judging.sealed import main; "
    code += f"main(sys.argv[2], trust={trust})"
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT), str(folder)], cwd=folder, capture_output=True, check=False, timeout=150
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def test_judging_a_large_case_full_of_code_touches_nothing(tmp_path: pathlib.Path) -> None:
    outcome, *harm = judged(tmp_path, trust=False)
    assert outcome == "passed 14"  # all rules were asked, the bonus too
    assert harm == []
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "tree") == sorted(
        ["actions.jsonl", "task.yaml", *(["app.db", "settings.yaml"] * 2)] * 2
    )


def test_a_function_of_the_tasks_own_that_is_trusted_would_be_noticed(tmp_path: pathlib.Path) -> None:
    _, *harm = judged(tmp_path, trust=True)
    assert [line for line in harm if line.startswith("open ('written', 'w'")], harm
    assert {line.split()[0] for line in harm} >= {"compile", "exec", "open"}
