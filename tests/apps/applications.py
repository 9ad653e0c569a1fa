"""The real applications that `make apps` installs: how each is started on a copy of its seed, and stopped again."""

import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

CHECKOUT = pathlib.Path(__file__).parents[2]
INSTALLED = CHECKOUT / ".apps"
FIXTURES = CHECKOUT / "fixtures" / "applications"
START_LIMIT_S = 60.0
STOP_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Application:
    """How one is run. In `command` and `environment`: {app} where it is installed, {here} its fixtures, {data}, {port}.

    `health`: the path that answers once it is up. `heavy`: its pages take long, so that `make test` looks at a few of
    them only, and `make apps-test` at all.
    """

    name: str
    command: Sequence[str]
    health: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    heavy: bool = True


APPLICATIONS = {
    application.name: application
    for application in (
        Application(
            "radicale",
            [
                *("{app}/bin/python", "-m", "radicale", "--config", "", "--server-hosts", "127.0.0.1:{port}"),
                *("--storage-filesystem-folder", "{data}/collections", "--auth-type", "htpasswd"),
                *("--auth-htpasswd-filename", "{data}/users", "--auth-htpasswd-encryption", "plain"),
            ],
            "/.web/",
            heavy=False,
        ),
        Application(
            "datasette",
            [
                *("{app}/bin/datasette", "serve", "{data}/library.db", "--host", "127.0.0.1", "--port", "{port}"),
                *("--secret", "fixed"),
            ],
            "/-/versions.json",
            heavy=False,
        ),
        Application(
            "jupyterlab",
            [
                *("{app}/bin/python", "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
                *("--port={port}", "--ServerApp.port_retries=0", "--ServerApp.root_dir={data}/work"),
                *("--IdentityProvider.token=till", "--LabApp.news_url=None"),
            ],
            "/api",
            {
                "JUPYTER_CONFIG_DIR": "{data}/config",
                "JUPYTER_DATA_DIR": "{data}/share",
                "JUPYTER_RUNTIME_DIR": "{data}/runtime",
                "IPYTHONDIR": "{data}/ipython",
                "JUPYTERLAB_SETTINGS_DIR": "{data}/config/lab/user-settings",
                "JUPYTERLAB_WORKSPACES_DIR": "{data}/config/lab/workspaces",
            },
        ),
        Application(
            "wagtail",
            ["{app}/bin/python", "{here}/manage.py", "runserver", "--noreload", "127.0.0.1:{port}"],
            "/admin/login/",
            {"DEMO_DATA": "{data}"},
        ),
        Application(
            "node-red",
            [
                *("{app}/bin/node", "{app}/node_modules/node-red/red.js"),
                *("--userDir", "{data}", "--settings", "{here}/settings.js", "--port", "{port}"),
            ],
            "/settings",
            heavy=False,
        ),
        Application(
            "trac",
            [
                *("{app}/bin/tracd", "-s", "--hostname", "127.0.0.1", "--port", "{port}"),
                *("--basic-auth=*,{data}/htpasswd,Demo", "{data}"),
            ],
            "/wiki",
            heavy=False,
        ),
    )
}
PLACES = {"trac": CHECKOUT / ".trac"}
"""Where one is installed that is more than a page to look at; else below `.apps`."""


@contextmanager
def running(name: str, data: pathlib.Path) -> Generator[str]:
    """The address of an application that works on a copy of its seed in `data`, a folder that is made."""
    application = APPLICATIONS[name]
    installed = PLACES.get(name, INSTALLED / name)
    if not (installed / "seed").exists():
        pytest.skip(f"{name} is not installed; `make apps trac` does it")
    shutil.copytree(installed / "seed", data)
    places = {"app": str(installed), "here": str(FIXTURES / name), "data": str(data), "port": str(_free_port())}
    command = [part.format_map(places) for part in application.command]
    own = {key: value.format_map(places) for key, value in application.environment.items()}
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(data), "PYTHONDONTWRITEBYTECODE": "1", **own}
    log = data.with_name(f"{data.name}.log")
    with (
        log.open("wb") as output,
        subprocess.Popen(command, stdout=output, stderr=output, env=environment, cwd=data) as server,
    ):
        try:
            _wait(f"http://127.0.0.1:{places['port']}{application.health}", server, log)
            yield f"http://127.0.0.1:{places['port']}"
        finally:
            server.terminate()
            try:
                server.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                server.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(address: str, server: "subprocess.Popen[bytes]", log: pathlib.Path) -> None:
    """Until it answers, whatever it answers."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        assert server.poll() is None, f"the application ended:\n{log.read_text(errors='replace')[-2000:]}"
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)  # until it listens
    raise AssertionError(f"the application did not answer at {address}:\n{log.read_text(errors='replace')[-2000:]}")
