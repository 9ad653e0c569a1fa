"""Secrets in snapshots: kept as a keyed hash, so that a change shows and the text does not (design 11.5).

The key is made once per process and is written nowhere, least of all into an episode: equal texts seal alike within
one judging process, and a stored seal tells nobody the text, not even by guessing it.
"""

import re
import secrets
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from exactchange.values import Value, canonical_bytes

PREFIX: Final = "hmac:"
_KEY: Final = secrets.token_bytes(32)

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    "password passwords passwd passphrase passcode pass pwd secret secrets token tokens credential credentials "
    "apikey apikeys authkey privatekey secretkey accesskey otp".split()
)
_KEY_OWNERS = frozenset("api private secret access auth encryption signing master session deploy license".split())
_KEY_MATERIAL = re.compile(r"\s*(?:\$ANSIBLE_VAULT;|-----BEGIN [A-Z ]*PRIVATE KEY-----)")
_PASSWORD_IN_ADDRESS = re.compile(r"://[^/@\s:]{0,200}:[^/@\s]{1,200}@")
_TEXT_LOOKED_AT = 4096  # characters of a value that are searched for the signs of a secret


def seal(text: str) -> str:
    """The seal of a text, `hmac:` and 64 hexadecimal digits. Equal texts have equal seals in this process only."""
    return _seal(b"text:" + text.encode("utf-8", "surrogatepass"))


def seal_value(value: Value) -> str:
    """The seal of any value; of text the same as `seal`. 1 and "1" have different seals."""
    return seal(value) if isinstance(value, str) else _seal(b"value:" + canonical_bytes(value))


def seal_bytes(data: bytes) -> str:
    """The seal of bytes, such as those of a file that may hold secrets."""
    return _seal(b"bytes:" + data)


def looks_secret(name: str) -> bool:
    """Whether a key's name says that its value is a secret: `DB_PASS`, `apiKey`, `auth.token`; not `max_tokens_seen`.

    The last word decides, since `password_min_length` and `token_url` are no secrets.
    """
    words = _words(name)
    if not words:
        return False
    if words[-1] in _SECRET_WORDS:
        return True
    pairs = zip(words, words[1:], strict=False)
    return (
        words[-1] == "key" and any(a in _KEY_OWNERS and b == "key" for a, b in pairs) or "secret key" in " ".join(words)
    )


def counts_something(name: str) -> bool:
    """Whether a number under this secret-looking name is rather an amount (`max_tokens`, `tokens`) than a secret."""
    words = _words(name)
    return bool(words) and (words[-1] in ("tokens", "secrets", "passwords", "credentials") or words[0] in _AMOUNTS)


def is_key_material(text: str) -> bool:
    """Whether a text is a private key or an encrypted vault."""
    return _KEY_MATERIAL.match(text[:_TEXT_LOOKED_AT]) is not None


def holds_secret(text: str) -> bool:
    """Whether a text is a secret by itself, whatever its key: key material, or an address with a password in it."""
    return is_key_material(text) or _PASSWORD_IN_ADDRESS.search(text[:_TEXT_LOOKED_AT]) is not None


def is_sealed(value: object) -> bool:
    """Whether a value has the form of a seal. Anyone may write such a text, so it proves nothing by itself."""
    return isinstance(value, str) and value.startswith(PREFIX) and len(value) == len(PREFIX) + 64


def any_secret(names: Sequence[str]) -> bool:
    """Whether one of these names, such as the keys on the way to a value, looks secret."""
    return any(map(looks_secret, names))


def _words(name: str) -> list[str]:
    words = [word.casefold() for word in _WORDS.findall(name)]
    while len(words) > 1 and words[-1].isdigit():  # password2 is one as well
        words.pop()
    return words


def _seal(data: bytes) -> str:
    return PREFIX + blake2b(data, key=_KEY, digest_size=32).hexdigest()


_AMOUNTS = frozenset("max min num number count total limit".split())
