"""Takes docs/demo.svg, and docs/verdict.svg of one verdict, from a real run of `exactchange demo` on a terminal."""

import io
import os
import pathlib
import pty
import re
import subprocess
import sys

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

HOME = pathlib.Path(__file__).parents[1]
WIDTH = 100
PROMPT = "$ exactchange demo\n"
THEME = TerminalTheme(
    (22, 27, 34),
    (220, 226, 232),
    [(22, 27, 34), (255, 123, 114), (86, 211, 100), (227, 179, 65), (121, 192, 255), (226, 135, 245), (86, 212, 221)]
    + [(220, 226, 232)],
    [(139, 148, 158), (255, 161, 152), (126, 231, 135), (242, 204, 96), (165, 214, 255), (240, 170, 255)]
    + [(118, 227, 234), (255, 255, 255)],
)
_FONT_FACE = re.compile(r"@font-face \{.*?\}\n?", re.DOTALL)  # a picture in a README fetches nothing


def main() -> int:
    """Run the demonstration and write the pictures into the folder named in the arguments, or docs/."""
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HOME / "docs"
    code, text = on_a_terminal([str(pathlib.Path(sys.executable).with_name("exactchange")), "demo"])
    if code != 0:
        sys.stderr.write(f"the demonstration ended with {code}\n{text}")
        return 1
    first, *rest = re.split(r"(?m)^(?=told: )", text)
    last, table = re.split(r"(?m)^(?=\x1b\[1m  episode )", rest[-1])
    assert not first and last
    (folder / "demo.svg").write_text(picture(PROMPT + text), encoding="utf-8")
    (folder / "verdict.svg").write_text(picture(f"{PROMPT}…\n{rest[1]}…\n{table}"), encoding="utf-8")
    return 0


def on_a_terminal(words: list[str]) -> tuple[int, str]:
    """The exit code of a command and what it wrote to a terminal of WIDTH columns; stderr is passed on."""
    leader, follower = pty.openpty()
    env = {**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    with subprocess.Popen(words, stdout=follower, env=env) as process:
        os.close(follower)
        text = all_of(leader).decode("utf-8").replace("\r\n", "\n")
    return process.returncode, text


def picture(text: str) -> str:
    """The text, with its colours, as an SVG of a terminal."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text), soft_wrap=False)
    svg = console.export_svg(title="exactchange demo", theme=THEME, unique_id="demo")
    if str(HOME) in svg or str(pathlib.Path.home()) in svg.replace("/root", str(pathlib.Path.home())):
        raise ValueError("a path of this machine is in the picture")
    return _FONT_FACE.sub("", svg).replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")


def all_of(leader: int) -> bytes:
    """What is written to a terminal until its other end is closed."""
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:  # Linux says EIO when the other end is gone
            break
        if not part:
            break
        seen += part
    os.close(leader)
    return seen


if __name__ == "__main__":
    sys.exit(main())
