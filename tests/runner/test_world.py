import asyncio
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.runner.kit import AGENT, processes_with, run, task_on_disk

from exactchange.errors import InfrastructureError, UsageError
from exactchange.runner import environment, run_task
from exactchange.runner.processes import end_group, end_marked, start, tail
from exactchange.runner.ready import free_port, wait_ready
from exactchange.runner.scratch import plant, remove, scratch
from exactchange.runner.stage import brought_up
from exactchange.task import App, Task

APP = pathlib.Path(__file__).with_name("odd_app.py")


@pytest.fixture
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    made = tmp_path / "t"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


def _app(tmp_path: pathlib.Path, *words: str, ready: bool = True, finish: list[str] | None = None) -> Task:
    app: dict[str, object] = {"seed": "seed", "start": ["{python}", str(APP), "{port}", "{workdir}", *words]}
    if ready:
        app["ready"] = "http://127.0.0.1:{port}/health"
    if finish:
        app["finish"] = finish
    return task_on_disk(tmp_path, app=app)  # type: ignore[arg-type]


def test_an_application_is_up_for_the_agent_and_gone_afterwards(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    result = run(_app(tmp_path), "good")
    assert result.verdict.passed and not result.verdict.warnings
    assert not list(place.iterdir()) and not processes_with(str(place))


def test_the_application_may_lie_beside_the_task(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    shutil.copy(APP, tmp_path / "app.py")
    start = ["{python}", "{here}/app.py", "{port}", "{workdir}"]
    task = task_on_disk(tmp_path, app={"seed": "seed", "start": start, "ready": "http://127.0.0.1:{port}/health"})
    assert run(task, "good").verdict.passed


def test_an_application_without_a_ready_page_is_awaited_at_its_port(
    tmp_path: pathlib.Path, place: pathlib.Path
) -> None:
    async def knock() -> bool:
        async with brought_up(
            _app(tmp_path, "late", ready=False), headless=True, keep=False, say=lambda _: None
        ) as stage:
            with socket.create_connection(("127.0.0.1", stage.world.port or 0), timeout=1):
                return True

    assert asyncio.run(knock())
    assert not list(place.iterdir())


def test_what_an_application_writes_when_it_closes_counts(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    verdict = run(_app(tmp_path, "writes-at-end"), "good").verdict
    assert {change.path[0] for change in verdict.unexplained} == {"farewell.txt"}


def test_finish_closes_the_application(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    closing = ["{python}", "-c", "import pathlib; pathlib.Path(r'{workdir}/closed.txt').touch()"]
    verdict = run(_app(tmp_path, finish=closing), "good").verdict
    assert {change.path[0] for change in verdict.unexplained} == {"closed.txt"}


def test_a_finish_that_fails_gives_no_verdict(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    verdict = run(_app(tmp_path, finish=["{python}", "-c", "raise SystemExit(3)"]), "good").verdict
    assert (verdict.outcome, verdict.cause, verdict.score) == ("undecided", "infrastructure", None)
    assert not list(place.iterdir())


def test_an_application_that_died_or_would_not_end_is_said(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    said = run(_app(tmp_path, "dies"), "good").verdict.warnings
    assert "had ended by itself" in said[0].message


@pytest.mark.parametrize("word", ["never-starts", "wrong-status"])
def test_an_application_that_is_never_ready_is_the_infrastructures_fault_and_its_words_are_shown(
    tmp_path: pathlib.Path, place: pathlib.Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exactchange.runner.stage.READY_LIMIT_S", 1.0)
    with pytest.raises(InfrastructureError, match="the odd application says hello"):
        run(_app(tmp_path, word), "good")
    assert not list(place.iterdir()) and not processes_with(str(place))


def test_an_application_that_is_not_there_is_wrong_usage(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    task = task_on_disk(tmp_path, app={"start": ["no-such-program-anywhere"]})
    with pytest.raises(UsageError, match="app.start cannot be started"):
        run(task, "good")
    assert not list(place.iterdir())


def test_a_work_directory_is_kept_on_request(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    said: list[str] = []
    task = task_on_disk(tmp_path)
    agent = [sys.executable, str(AGENT), "good"]
    result = asyncio.run(run_task(task, agent=agent, keep=True, progress=said.append))
    assert result.kept is not None and json.loads((result.kept / "doc.json").read_text()) == {"a": 2, "b": 1}
    assert str(result.kept) in said[-1]
    assert list(result.timings) == ["up", "agent", "judging"]


class _Answers(http.server.BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def server() -> Iterator[str]:
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_address[1]}/x?y=1"
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize(("status", "ready"), [(200, True), (204, True), (302, False), (404, False), (500, False)])
def test_ready_means_an_answer_of_two_hundred_and_something(
    server: str, status: int, ready: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Answers, "status", status)
    waiting = wait_ready(server, None, output=tmp_path / "none", limit_s=0.05)
    if ready:
        asyncio.run(waiting)
    else:
        with pytest.raises(InfrastructureError, match=f"it answers {status}"):
            asyncio.run(waiting)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "https://127.0.0.1/", "ftp://x/", "http://", "nonsense"])
def test_only_plain_http_is_asked_whether_it_is_ready(url: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(UsageError, match="no http:// address"):
        asyncio.run(wait_ready(url, None, output=tmp_path / "none", limit_s=1))


def test_free_ports_differ() -> None:
    assert len({free_port() for _ in range(20)}) > 10


def test_a_free_port_is_none_that_the_system_gives_to_outgoing_connections() -> None:
    """A browser has many of those: such a port was taken before the application came to listen on it."""
    first, last = map(int, pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not any(first <= free_port() <= last for _ in range(50))


_FAMILY = """
    import os, signal, subprocess, sys, time
    if len(sys.argv) > 1:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for own_session in (False, True):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=own_session)
    print("ready", flush=True)
    time.sleep(300)
"""


@pytest.mark.parametrize("stubborn", [False, True])
def test_a_group_is_ended_whole_and_what_left_it_is_found_by_its_mark(tmp_path: pathlib.Path, stubborn: bool) -> None:
    mark = f"EXACTCHANGE_TEST={tmp_path}"
    output = tmp_path / "output"

    async def end() -> tuple[bool, int]:
        command = [sys.executable, "-c", textwrap.dedent(_FAMILY), *(["stubborn"] if stubborn else [])]
        env = {**os.environ, "EXACTCHANGE_TEST": str(tmp_path)}
        process = start(command, cwd=None, env=env, output=output, what="a family")
        while "ready" not in tail(output):
            await asyncio.sleep(0.01)
        return await end_group(process, patience_s=0.5), await end_marked(mark)

    polite, found = asyncio.run(end())
    assert polite is not stubborn
    assert found >= 1
    assert not processes_with(str(tmp_path))


def test_a_hostile_tree_is_removed_and_what_it_links_to_is_left(tmp_path: pathlib.Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("kept")
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "link").symlink_to(kept)
    (root / "a" / "loop").symlink_to(root)
    os.mkfifo(root / "a" / "fifo")
    (root / os.fsdecode(b"\xff\n\x1b")).mkdir()
    (root / ".removing-0").mkdir()
    (root / ".removing-0" / "inner").mkdir()
    (root / "a" / "b" / "locked").mkdir(mode=0o000)
    remove(root)
    assert not root.exists() and (kept / "file").read_text() == "kept"


def test_a_seed_is_copied_with_its_links_as_links(tmp_path: pathlib.Path) -> None:
    seed = tmp_path / "seed"
    seed.mkdir()
    (seed / "run.sh").write_text("#!/bin/sh\n")
    (seed / "run.sh").chmod(0o750)
    (seed / "link").symlink_to("/etc/hostname")
    with scratch() as made:
        plant("seed", task_file=tmp_path / "task.yaml", workdir=made.workdir)
        assert (made.workdir / "run.sh").stat().st_mode & 0o777 == 0o750
        assert os.readlink(made.workdir / "link") == "/etc/hostname"
        assert (made.workdir / "link").is_symlink()
        assert made.root.stat().st_mode & 0o777 == 0o700
    assert not made.root.exists()


def test_a_program_or_seed_that_is_not_there_is_named_with_the_remedy(tmp_path: pathlib.Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o700)
    task = task_on_disk(tmp_path, app={"start": ["later"]})
    for command, said in {
        "{here}/a/../serve": f"there is no {tmp_path}/serve; install it; or correct app.start",
        "no-such-program": "there is no no-such-program; install it; or correct app.start",
        "{here}/script": f"{script} is there, but not what its first line asks for; install it again; or correct",
    }.items():
        with pytest.raises(UsageError, match=re.escape(said)):
            run(replace(task, app=App(start=[command])), "good")
    with scratch() as made, pytest.raises(UsageError, match="missing is not there; make it, or correct app.seed"):
        plant("missing", task_file=tmp_path / "task.yaml", workdir=made.workdir)


@pytest.mark.parametrize("seed", ["missing", "pipe"])
@pytest.mark.timeout(10)
def test_a_seed_that_cannot_be_copied_is_wrong_usage(tmp_path: pathlib.Path, seed: str) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "fifo")
    with scratch() as made, pytest.raises(UsageError, match="app.seed"):
        plant(seed, task_file=tmp_path / "task.yaml", workdir=made.workdir)


def test_an_application_imports_nothing_from_where_an_agent_can_write(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted modules lie in the working directory, in HOME and in a user's site-packages."""
    home, marker = tmp_path / "home", tmp_path / "marker"
    site = home / ".local" / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    site.mkdir(parents=True)
    for folder in (home, site):
        for name in ("json", "sitecustomize", "usercustomize", "exactchange_fixtures"):
            (folder / f"{name}.py").write_text(f"open({str(marker)!r}, 'a').write('{name}')")
    (site / "planted.pth").write_text(f"import os; open({str(marker)!r}, 'a').write('pth')\n")
    env = environment.application(home)
    code = "import json, exactchange_fixtures; print(exactchange_fixtures.__file__)"
    for command in ([sys.executable, "-c", code], [sys.executable, "-m", "exactchange_fixtures.form", "--help"]):
        said = subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=60)
        assert said.returncode == 0, said.stderr
        assert str(home) not in said.stdout
    assert not marker.exists()


def test_an_application_gets_a_clean_environment(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SECRET_TOKEN", "PYTHONSTARTUP", "PYTHONHOME", "LD_PRELOAD", "PYTHONPATH", "BASH_ENV"):
        monkeypatch.setenv(name, str(tmp_path))
    env = environment.application(tmp_path)
    assert not {name for name, value in env.items() if value == str(tmp_path)} - {"HOME"}
    assert env["PATH"].split(":")[0] == os.path.dirname(sys.executable)


_RUNS = """
    import asyncio, pathlib, sys, tempfile
    from exactchange.runner import run_task, run_to_end
    from exactchange.task import load_task
    tempfile.tempdir = sys.argv[2]
    run_to_end(run_task(load_task(sys.argv[1]), agent=[sys.executable, sys.argv[3], "hang"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(tmp_path: pathlib.Path, place: pathlib.Path, number: signal.Signals) -> None:
    task = _app(tmp_path)
    command = [sys.executable, "-c", textwrap.dedent(_RUNS), str(task.file), str(place), str(AGENT)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while not list(place.glob("*/*/doc.json")) or '"a": 2' not in next(place.glob("*/*/doc.json")).read_text():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (128 + number, -number), errors
    assert not list(place.iterdir()) and not processes_with(str(place))


def test_bringing_up_is_undone_when_the_block_fails(tmp_path: pathlib.Path, place: pathlib.Path) -> None:
    async def fail() -> None:
        async with brought_up(_app(tmp_path), headless=True, keep=False, say=lambda text: None):
            raise KeyError("somewhere else")

    with pytest.raises(KeyError):
        asyncio.run(fail())
    assert not list(place.iterdir()) and not processes_with(str(place))
