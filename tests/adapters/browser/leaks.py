"""What the tests of secrets share: every stored byte of an episode, and every way in which a secret may stand there."""

import base64
import html
import json
import pathlib
import zlib
from urllib.parse import quote, quote_plus


def stored(folder: pathlib.Path) -> dict[str, bytes]:
    """Every file below a folder by its name, and what a compressed one holds."""
    out: dict[str, bytes] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            out[file.name] = data
            try:
                out[f"{file.name} inflated"] = zlib.decompress(data)
            except zlib.error:
                continue
    return out


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
