"""What a user gets: a wheel with three packages and the tasks, which works where nothing else of ours is."""

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

from exactchange_fixtures.shipped import task_dir

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("exactchange", "exactchange_adapters", "exactchange_fixtures")
LIMIT_S = 120


def run(command: Sequence[str | Path], *, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it, as an index would have them."""
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT], cwd=out)
    return out


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def names(wheel: Path) -> frozenset[str]:
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel; dependencies are borrowed, the checkout is out of reach."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    (site,) = (folder / "lib").glob("python*/site-packages")
    run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel], cwd=folder)
    borrowed = folder / "borrowed"
    borrowed.mkdir()
    for entry in Path(str(files("click"))).parent.iterdir():
        if "exactchange" not in entry.name and entry.suffix != ".pth":
            (borrowed / entry.name).symlink_to(entry)
    (site / "borrowed.pth").write_text(f"{borrowed}\n")
    return folder / "bin" / "python"


def test_the_wheel_has_the_three_packages_and_nothing_else_at_its_top(names: frozenset[str]) -> None:
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(names: frozenset[str], package: str) -> None:
    assert f"{package}/py.typed" in names


def test_the_tasks_lie_beside_the_fixtures(names: frozenset[str]) -> None:
    expected = {str(path.relative_to(ROOT / "tasks")) for path in (ROOT / "tasks").rglob("*.yaml")}
    assert expected
    assert expected <= {name.removeprefix("exactchange_fixtures/tasks/") for name in names}


def test_the_documentation_lies_in_the_judge(names: frozenset[str]) -> None:
    expected = {path.name for path in (ROOT / "docs").iterdir()}
    assert expected == {
        name.removeprefix("exactchange/docs/") for name in names if name.startswith("exactchange/docs/")
    }


def test_every_file_of_the_packages_is_in_the_wheel(names: frozenset[str]) -> None:
    tracked = run(["git", "ls-files", "judge", "adapters", "fixtures/exactchange_fixtures"], cwd=ROOT).splitlines()
    there = [path for path in tracked if (ROOT / path).is_file()]
    assert there
    assert {path.split("/", 1)[1] for path in there} - names == set()


def test_no_cache_or_compiled_file_is_in_the_wheel(names: frozenset[str]) -> None:
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []


def test_the_sdist_has_what_a_packager_needs_and_no_environment(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "Makefile", "pyproject.toml", "scripts/hatch_build.py"} <= inside
    assert [name for name in inside if name.startswith((".venv", ".git/"))] == []


@pytest.mark.slow
def test_the_wheel_works_where_the_checkout_is_out_of_reach(installed: Path, tmp_path: Path) -> None:
    code = "import exactchange, exactchange_adapters, exactchange_fixtures.shipped as s; print(s.task_dir())"
    folder = Path(run([installed, "-I", "-c", code], cwd=tmp_path).strip())
    assert ROOT not in folder.parents
    assert sorted(path.name for path in folder.rglob("*.yaml")) == sorted(
        path.name for path in task_dir().rglob("*.yaml")
    )


@pytest.mark.slow
def test_the_installed_command_knows_its_adapters(installed: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [str(installed), "-I", "-c", "from exactchange.cli import main; main()", "adapters", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    for kind in ("browser", "file", "sqlite", "tree"):
        assert f'"{kind}"' in done.stdout


@pytest.mark.slow
def test_the_installed_command_shows_the_page_that_a_message_names(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text("id: t\n", encoding="utf-8")
    command = [str(installed), "-I", "-c", "from exactchange.cli import main; main()"]
    done = subprocess.run(
        [*command, "check", "task.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    (named, *_) = re.findall(r"see exactchange docs (\S+)", done.stdout + done.stderr)
    assert run([*command, "docs", named], cwd=tmp_path).startswith("## A first task")


@pytest.mark.slow
def test_the_installed_demonstration_gives_the_verdicts_of_the_article(installed: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    command = [str(installed), "-I", "-c", "from exactchange.cli import main; main()", "demo", "--json"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert [item["outcome"] for item in report["episodes"]] == ["passed", "unmet", "vetoed"]
    assert round(report["summary"]["strict_pass_rate"], 2) == 0.33
    verdicts = {item["name"]: item["verdict"] for item in report["episodes"]}
    assert [change["address"] for change in verdicts["settings-timeout"]["unexplained"]] == ["server.retries"]
    crossed = [finding for finding in verdicts["book-flight"]["findings"] if finding["tier"] == "veto"]
    assert [(item["address"], item["step"]) for item in crossed[0]["evidence"]] == [("payments[id=3]", 7)]
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith(".")) == []


def test_a_checkout_has_its_own_tasks() -> None:
    assert task_dir() == ROOT / "tasks"
