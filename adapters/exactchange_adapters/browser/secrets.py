"""Secrets on a page: what counts as one, and the only form in which it is kept."""

import hashlib
import hmac
import re
import secrets
from functools import lru_cache
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from exactchange.values import Value
from exactchange_adapters.browser.veil import MARK as MARK
from exactchange_adapters.browser.veil import Veil
from exactchange_adapters.secrets import holds_secret
from exactchange_adapters.secrets import looks_secret as shared_looks_secret

_ALSO = re.compile(
    r"""(?:token|password|passwd|secret)\Z |
        (?:\A|[^a-z])(?:csrf|xsrf|nonce|cvv2?|cvc|csc|pin|jwt|sid|auth|authorization)\Z |
        \A(?:session|pass)\Z | sess(?:ion)?[_.-]?(?:id|key)\Z | \A(?:one-time-code|cc-number)\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_JWT = re.compile(r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+")


class Secrecy:
    """Keeps secrets as an HMAC whose key lives in this process only, so that equality is all that can be known."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key or secrets.token_bytes(32)
        self.names: set[str] = set()
        """Names of the fields that were seen to hold secrets, whatever they are called."""
        self.keys = 0
        """How many keys were hidden: each as another."""
        self.veil = Veil(self.print)
        """What was hidden once is hidden elsewhere, too."""

    def hide(self, text: str) -> Value:
        """The stored form of a secret: `{"@secret": "<hex>"}`; of none, "", which is no secret."""
        self.veil.token(text)
        return {MARK: self.print(text)} if text else ""

    def print(self, text: str) -> str:
        """64 hexadecimal digits that stand for the text, the same for the same text within this process."""
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.blake2b).hexdigest()[:64]

    def digest(self, body: bytes) -> str:
        """As `print`, for bytes: a plain hash of a short secret could be found by trying."""
        return hmac.new(self._key, body, hashlib.blake2b).hexdigest()[:64]

    def named(self, name: str, text: str) -> Value:
        """The text, hidden where its name looks like that of a secret."""
        return self.hide(text) if self._secret(name) or _JWT.search(text) or holds_secret(text) else text

    def _secret(self, name: str) -> bool:
        return name in self.names or looks_secret(name)

    def url(self, text: str) -> str:
        """An address without the values of those query fields that look secret, and without a user's password."""
        try:
            parts = urlsplit(text)
            if "@" in parts.netloc:
                parts = parts._replace(netloc=f"secret@{parts.netloc.rpartition('@')[2]}")
        except ValueError:
            return text
        fields = parse_qsl(parts.query, keep_blank_values=True)
        if not any(self._secret(name) for name, _ in fields):
            return urlunsplit(parts) if "@" in parts.netloc else text
        fields = [(n, f"secret-{self.print(v)[:16]}" if self._secret(n) else v) for n, v in fields]
        query = "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in fields)
        return urlunsplit(parts._replace(query=query))


@lru_cache(maxsize=50_000)  # a page's fields are asked about in every capture
def looks_secret(name: str) -> bool:
    """Whether a field, cookie or storage key of this name is likely to hold a secret, as in files and as on pages."""
    return shared_looks_secret(name) or _ALSO.search(name) is not None
