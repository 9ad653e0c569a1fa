"""Pages that a browser saved in one file with what belongs to them (MHTML, RFC 2557): a mail of many parts."""

import email.policy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Final, cast

from exactchange.errors import UsageError

_BEGINS: Final = re.compile(rb"\s*(?:from|mime-version|subject|date|snapshot-[\w-]+|content-[\w-]+)\s*:", re.IGNORECASE)

_SHADOW: Final = re.compile(rb"(<template\s(?:[\w-]+(?:=\"[^\"<>]*\")?\s)*)shadowmode=", re.IGNORECASE)
"""How Chromium writes a shadow tree in an archive; in markup of pages that means nothing."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The page's own address and bytes; documents of its frames, with their addresses, by what their elements name."""

    url: str
    page: bytes
    frames: Mapping[str, tuple[str, bytes]] = field(default_factory=dict[str, tuple[str, bytes]])


def is_archive(data: bytes) -> bool:
    """Whether a file begins as such an archive does, and not with markup."""
    return _BEGINS.match(data) is not None


def read_archive(data: bytes) -> Archive:
    """What an archive holds. Raises UsageError when there is no page in it."""
    message = cast("EmailMessage", BytesParser(policy=email.policy.compat32).parsebytes(data))
    frames: dict[str, tuple[str, bytes]] = {}
    pages: list[bytes] = []
    for part in message.walk():
        if part.get_content_type() not in ("text/html", "application/xhtml+xml"):
            continue
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            content = _SHADOW.sub(rb"\1shadowrootmode=", content)
            pages.append(content)
            identity, url = str(part.get("Content-ID", "")).strip().strip("<>"), str(part.get("Content-Location", ""))
            for name in (f"cid:{identity}" if identity else "", url.strip()):
                if name:
                    frames.setdefault(name, (url.strip() or "about:srcdoc", content))
    if not pages:
        raise UsageError("it holds no markup")
    return Archive(str(message.get("Snapshot-Content-Location", "")).strip(), pages[0], frames)
