"""Agents of every kind, good and bad, as a program: `python odd_agent.py KIND`. Standard library only."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

WORK = pathlib.Path(os.environ["EXACTCHANGE_WORKDIR"])
LOG = pathlib.Path(os.environ["EXACTCHANGE_LOG"])
CLICK = {"kind": "click", "target": {"css": "#save"}}


class Line:
    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["EXACTCHANGE_SOCKET"])
        self.stream = self.socket.makefile("rwb")

    def raw(self, line: bytes) -> dict[str, object]:
        self.stream.write(line + b"\n")
        self.stream.flush()
        answer = self.stream.readline()
        return json.loads(answer) if answer else {"type": "hung up"}

    def say(self, **message: object) -> dict[str, object]:
        return self.raw(json.dumps(message).encode())

    def act(self, do: object = None, **action: object) -> str:
        """One step; says how it went."""
        if self.say(type="before", action=action or CLICK)["type"] != "go":
            return "stop"
        if callable(do):
            do()
        return str(self.say(type="after", error=None)["type"])


def write(**document: object) -> None:
    (WORK / "doc.json").write_text(json.dumps(document))


def reach() -> None:
    write(a=2, b=1)


def good() -> None:
    line = Line()
    line.act(reach)
    line.say(type="finish", answer="a is 2")


def structured() -> None:
    line = Line()
    line.act(reach)
    line.say(type="finish", answer={"a": 2})


def veto() -> None:
    line = Line()
    assert line.act(kind="tool", tool="explode") == "stop"


def ignores_stop() -> None:
    line = Line()
    assert line.act(lambda: write(a=1, b=2)) == "stop"
    assert line.say(type="before", action=CLICK)["type"] == "stop"
    reach()
    while True:
        time.sleep(60)


def silent() -> None:
    reach()


def crash() -> None:
    Line().act(reach)
    sys.exit(3)


def crash_mid_action() -> None:
    line = Line()
    line.say(type="before", action=CLICK)
    reach()
    os.kill(os.getpid(), signal.SIGKILL)


def hang() -> None:
    Line().act(reach)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def finish_then_hang() -> None:
    good()
    while True:
        time.sleep(60)


def daemon() -> None:
    """Leaves a process behind that would undo the goal, in a session of its own."""
    line = Line()
    line.act(reach)
    late = f"import time, pathlib; time.sleep(1); pathlib.Path({str(WORK / 'doc.json')!r}).write_text('gone')"
    subprocess.Popen([sys.executable, "-c", late], start_new_session=True)
    line.say(type="finish", answer="done")


def log() -> None:
    reach()
    with LOG.open("a") as file:
        file.write(json.dumps(CLICK) + "\n")
        file.write('not json\n{"kind": "tool", "tool": "other"}\n')
        file.write(json.dumps({"kind": "finish", "answer": "a is 2"}) + "\n")


def log_veto() -> None:
    reach()
    LOG.write_text(json.dumps({"kind": "tool", "tool": "explode"}) + "\n")


def log_torn() -> None:
    reach()
    LOG.write_text(json.dumps(CLICK) + '\n{"kind": "tool", "tool": "expl')


def log_link() -> None:
    reach()
    LOG.unlink()
    LOG.symlink_to("/etc/hostname")


def log_fifo() -> None:
    reach()
    LOG.unlink()
    os.mkfifo(LOG)


def log_and_socket() -> None:
    LOG.write_text(json.dumps(CLICK) + "\n")
    good()


MALFORMED = (
    b"nonsense",
    b"[]",
    b"\xff",
    b'{"type": "dance"}',
    b'{"type": "before"}',
    b'{"type": "before", "action": 1}',
    b'{"type": "after"}',
    b'{"type": "before", "action": {"kind": "click", "kind": "tool"}}',
    b'{"type": "before", "action": ' + b"[" * 500 + b"]" * 500 + b"}",
    b'{"type": "before", "action": {"x": NaN}}',
    b'{"type": "finish", "ended": "passed"}',
)


def malformed() -> None:
    line = Line()
    for text in MALFORMED:
        assert line.raw(text)["type"] == "error", text
    line.act(reach)
    line.say(type="finish", answer=None)


def hopeless() -> None:
    line = Line()
    reach()
    while line.raw(b"nonsense")["type"] == "error":
        pass


def flood() -> None:
    line = Line()
    for size in (2**20, 2**21, 2**25):
        answer = line.say(type="before", action={"kind": "fill", "text": "x" * size})
        assert answer["type"] == "error" and "1 MiB" in str(answer["message"])
    assert line.act(reach) == "ack"
    line.say(type="finish", answer="done")


def flood_without_end() -> None:
    line = Line()
    line.act(reach)
    line.socket.sendall(b"x" * 2**21)
    assert json.loads(line.stream.readline())["type"] == "error"
    while True:
        try:
            line.socket.sendall(b"x" * 2**20)
        except OSError:
            return


def second() -> None:
    first = Line()
    first.act(reach)
    other = Line()
    assert json.loads(other.stream.readline())["type"] == "error"
    first.say(type="finish", answer=None)


def deep() -> None:
    """A tree that is too deep for anything that recurses, with a folder that cannot be entered."""
    here = os.getcwd()
    os.chdir(WORK)
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    os.mkdir("locked", 0o000)
    os.chdir(here)
    good()


def environment() -> None:
    line = Line()
    line.say(type="finish", answer=json.dumps({k: v for k, v in os.environ.items() if k.startswith("EXACTCHANGE_")}))


def talks() -> None:
    sys.stdout.write("hello from the agent \x1b[31m\n")
    sys.stdout.flush()
    good()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
