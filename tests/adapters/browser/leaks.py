"""What the tests of secrets share: every stored byte of an episode, and every way in which a secret may stand there."""

import base64
import html
import json
import pathlib
import threading
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import quote, quote_plus


def stored(folder: pathlib.Path) -> dict[str, bytes]:
    """Every file below a folder by its name, and what a compressed one holds."""
    return {name: data for file in sorted(folder.rglob("*")) if file.is_file() for name, data in _both(file)}


def _both(file: pathlib.Path) -> Iterator[tuple[str, bytes]]:
    data = file.read_bytes()
    yield file.name, data
    with suppress(zlib.error):
        yield f"{file.name} inflated", zlib.decompress(data)


@contextmanager
def watched(folder: pathlib.Path) -> Generator[dict[str, bytes]]:
    """All that stands in a folder at any moment meanwhile, half written files included: what a cut would leave."""
    seen: dict[str, bytes] = {}
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.002):
            for file in [*folder.rglob("*"), *folder.rglob(".*")]:
                with suppress(OSError):
                    if file.is_file() and (file.name not in seen or file.stat().st_size != len(seen[file.name])):
                        seen.update(_both(file))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def ways(secret: str) -> list[bytes]:
    """The secret, and its first eight characters, in every spelling."""
    out: list[bytes] = []
    for text in (secret, secret[:8]):
        data = text.encode()
        spelt = [text, quote(text), quote(text, safe=""), quote_plus(text), html.escape(text), json.dumps(text)[1:-1]]
        twice = [json.dumps(item)[1:-1] for item in spelt]
        coded = [base64.b64encode(data[: len(data) // 3 * 3]), data.hex().encode(), text[::-1].encode()]
        out += [item.encode() for item in (*spelt, *twice)] + coded
        out += [text.encode(name) for name in ("utf-16-le", "utf-16-be", "utf-32-le")]
    return out


def found(data: dict[str, bytes], *secrets: str) -> list[tuple[str, bytes]]:
    """Where one of the secrets stands, and the bytes around it."""
    hits: list[tuple[str, bytes]] = []
    for name, content in data.items():
        for way in (way for secret in secrets for way in ways(secret)):
            at = content.find(way)
            if at >= 0:
                hits.append((name, content[max(at - 120, 0) : at + len(way) + 40]))
    return hits
