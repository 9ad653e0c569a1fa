"""Text as lines, and bytes as their hash and size."""

from hashlib import blake2b

from exactchange.values import Value


def text_lines(text: str) -> tuple[list[str], dict[str, Value]]:
    """The lines without their ends, and facets that tell the ends where they are not a single LF each.

    Together they tell the text: `@newlines` "crlf" where every line ends so (else a CR is part of its line), and
    `@unterminated` where the last line has no end.
    """
    facets: dict[str, Value] = {}
    if "\r\n" in text and text.count("\n") == text.count("\r\n"):
        text = text.replace("\r\n", "\n")
        facets["@newlines"] = "crlf"
    lines = text.split("\n")
    if lines[-1]:
        facets["@unterminated"] = True
    else:
        lines.pop()
    return lines, facets


def binary_facets(data: bytes) -> dict[str, Value]:
    """`@hash` (BLAKE2b-256, hexadecimal) and `@size` in bytes."""
    return hash_facets(blake2b(data, digest_size=32).hexdigest(), len(data))


def hash_facets(digest: str, size: int) -> dict[str, Value]:
    """The same from a hash that was taken while reading."""
    return {"@hash": digest, "@size": size}
