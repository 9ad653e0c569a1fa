"""Secrets on a page: what counts as one, and the only form in which it is kept."""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import is_
from typing import cast
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from exactchange.values import Value
from exactchange_adapters.browser.veil import MARK as MARK
from exactchange_adapters.browser.veil import Veil
from exactchange_adapters.secrets import counts_something, holds_secret
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
        """The text, hidden where its name looks like that of a secret; of data in JSON, the fields that do."""
        if self._secret(name) or _JWT.search(text) or holds_secret(text):
            return self.hide(text)
        return self._data(text) if text[:1] in ("{", "[") else text

    def _data(self, text: str) -> Value:
        """A text that is data, with `secret-…` for every secret in it, and as it is where it has none."""
        try:
            data: object = json.loads(text)
            cleaned = self._clean(data, hidden=False)
        except ValueError:
            return text  # no data: all of it is what a page says
        except RecursionError:
            return self.hide(text)
        return text if cleaned is data else json.dumps(cleaned, ensure_ascii=False, separators=(",", ":"))

    def _clean(self, data: object, *, hidden: bool) -> object:
        """The same object where nothing in it is secret. `hidden`: all in it is."""
        if isinstance(data, dict):
            pairs = cast("Mapping[str, object]", data)
            new = {name: self._clean(part, hidden=hidden or self._hides(name, part)) for name, part in pairs.items()}
            return pairs if all(new[name] is part for name, part in pairs.items()) else new
        if isinstance(data, list):
            parts = cast("Sequence[object]", data)
            done = [self._clean(part, hidden=hidden) for part in parts]
            return parts if all(map(is_, done, parts)) else done
        if not hidden or data is None or isinstance(data, bool) or data == "":
            return data
        self.veil.token(str(data))
        return f"secret-{self.print(str(data))[:16]}"

    def _hides(self, name: str, value: object) -> bool:
        return self._secret(name) and not (isinstance(value, int | float) and counts_something(name))

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
