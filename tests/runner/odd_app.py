"""Applications of every kind: `python odd_app.py PORT WORKDIR [HABIT]`."""

import http.server
import os
import pathlib
import signal
import sys
import time
from types import FrameType

PORT, WORK = int(sys.argv[1]), pathlib.Path(sys.argv[2])
HABIT = sys.argv[3] if len(sys.argv) > 3 else ""


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(500 if HABIT == "wrong-status" else 200)
        self.end_headers()
        if HABIT == "dies":
            sys.stdout.flush()
            os._exit(7)  # the answer is on its way already

    def log_message(self, format: str, *args: object) -> None:
        return


def leave(_number: int, _frame: FrameType | None) -> None:
    if HABIT == "writes-at-end":
        time.sleep(0.2)
        (WORK / "farewell.txt").write_text("bye")
    sys.exit(0)


if __name__ == "__main__":
    sys.stdout.write("the odd application says hello\n")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, leave)
    if HABIT == "never-starts":
        sys.exit(5)
    if HABIT == "late":
        time.sleep(0.5)
    http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Health).serve_forever()
