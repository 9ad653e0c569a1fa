"""Getting a browser: bounded in time, told step by step, and with ways out where it cannot be had."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from exactchange_adapters.browser.finder import NoBrowser
from exactchange_adapters.browser.install import install_browser

MODULE = "exactchange_adapters.browser.install"


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a driver, without a browser, whose user may not install packages."""
    monkeypatch.setattr("exactchange_adapters.browser.finder.USUAL", {})
    monkeypatch.setattr(f"{MODULE}.can_apt", lambda: False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "downloads"))
    monkeypatch.delenv("EXACTCHANGE_BROWSER", raising=False)
    return tmp_path


@pytest.fixture
def silent_host() -> Iterator[tuple[int, list[socket.socket]]]:
    """A loopback server that accepts and never says a word: (port, the connections it holds)."""
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    held.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], held
        server.shutdown(socket.SHUT_RDWR)
        thread.join(timeout=10)
    for connection in held:
        connection.close()


def test_a_browser_that_is_there_is_used_and_nothing_is_done(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bare / "chromium"
    path.write_text("#!/bin/sh\necho Chromium 156\n")
    path.chmod(0o755)
    said: list[str] = []
    assert install_browser(said.append) == f"{path} (installed, on PATH)"
    assert said == []


@pytest.mark.slow
def test_a_download_that_fails_ends_in_the_ways_out(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]  # closed again at once: nobody listens there
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", f"http://127.0.0.1:{port}")
    said: list[str] = []
    with pytest.raises(NoBrowser, match="three ways out"):
        install_browser(said.append)
    assert [line for line in said if line.startswith("the download failed: exit 1")]


@pytest.mark.slow
def test_a_host_that_stays_silent_holds_nobody_past_the_limit(
    bare: Path, monkeypatch: pytest.MonkeyPatch, silent_host: tuple[int, list[socket.socket]]
) -> None:
    port, held = silent_host
    monkeypatch.setattr(f"{MODULE}.DOWNLOAD_LIMIT_S", 4.0)
    monkeypatch.setenv("PLAYWRIGHT_DOWNLOAD_HOST", f"http://127.0.0.1:{port}")
    said: list[str] = []
    with pytest.raises(NoBrowser):
        install_browser(said.append)
    assert "the download failed: not done within 4 s" in said
    assert held, "the download never reached the host: the limit was not what ended it"
    for connection in held:  # the worker that held the connection has ended too, not only its parent
        connection.settimeout(10)
        while connection.recv(65536):
            pass
