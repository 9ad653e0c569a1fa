"""Reads an episode and judges it again and again, and prints every different document: `rejudge.py EPISODE TIMES`."""

import json
import pathlib
import sys

from tests.episode.kit import kit_task

from exactchange.session import judge_episode
from exactchange.verdict import verdict_json, write_verdict


def main() -> None:
    """Print each distinct document as one line: how often it came, and its bytes in hexadecimal."""
    episode, times = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    found: dict[bytes, int] = {}
    for number in range(times):
        verdict = judge_episode(kit_task(), episode)
        if number == 0:
            written = pathlib.Path("verdict.json").absolute()
            write_verdict(verdict, written)
            document = written.read_bytes()
        else:
            document = (json.dumps(verdict_json(verdict), indent=1, allow_nan=False) + "\n").encode("ascii")
        found[document] = found.get(document, 0) + 1
    for document, count in found.items():
        sys.stdout.write(f"{count} {document.hex()}\n")


if __name__ == "__main__":
    main()
