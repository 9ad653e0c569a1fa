"""Secrets on a page: what counts as one, and the only form in which it is kept."""

import hashlib
import hmac
import re
import secrets
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from exactchange.values import Value

MARK = "@secret"
_LOOKS = re.compile(
    r"passw|passphrase|secret|token|csrf|xsrf|nonce|session|\bsid\b|otp|one-time|cvv|cvc|csc|card-?number|api-?key|"
    r"auth|jwt|credential|signature|pin$",
    re.IGNORECASE,
)


class Secrecy:
    """Keeps secrets as an HMAC whose key lives in this process only, so that equality is all that can be known."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def hide(self, text: str) -> Value:
        """The stored form of a secret: `{"@secret": "<hex>"}`."""
        return {MARK: self.print(text)}

    def print(self, text: str) -> str:
        """64 hexadecimal digits that stand for the text, the same for the same text within this process."""
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.blake2b).hexdigest()[:64]

    def digest(self, body: bytes) -> str:
        """As `print`, for bytes: a plain hash of a short secret could be found by trying."""
        return hmac.new(self._key, body, hashlib.blake2b).hexdigest()[:64]

    def named(self, name: str, text: str) -> Value:
        """The text, hidden where its name looks like that of a secret."""
        return self.hide(text) if looks_secret(name) else text

    def url(self, text: str) -> str:
        """An address without the values of those query fields that look secret, and without a user's password."""
        try:
            parts = urlsplit(text)
            if "@" in parts.netloc:
                parts = parts._replace(netloc=f"secret@{parts.netloc.rpartition('@')[2]}")
        except ValueError:
            return text
        if not parts.query or not looks_secret(parts.query):
            return urlunsplit(parts) if "@" in parts.netloc else text
        fields = [
            (name, f"secret-{self.print(value)[:16]}" if looks_secret(name) else value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
        query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in fields)
        return urlunsplit(parts._replace(query=query))


def looks_secret(name: str) -> bool:
    """Whether a field, cookie or storage key of this name probably holds a secret."""
    return _LOOKS.search(name) is not None
