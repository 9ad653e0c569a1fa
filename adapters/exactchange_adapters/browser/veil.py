"""Texts that were seen as secrets: hidden wherever the same text stands again, beyond the place that holds it.

Two kinds are told apart. What was *typed* as one (a password, a one-time code, the number of a card, what an agent says
that it types there) is looked for from 6 characters on, and for the whole run. A *token* (a hidden field, a cookie, a
stored item) is made by a server and is long: from 16 characters on, and the latest 256 of them. A mere word or number
is found where it stands alone, all else within longer texts, too.

Nothing is hidden that stood openly in the last capture already: it is no secret any more, and an agent that types the
word `delete` as a password hides no button by it. What is hidden becomes a secret as a whole, so that no rule takes it
for another text; and where a rule would look for it by a selector, the page says that it cannot tell.
"""

import base64
import html
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, quote_plus

from exactchange.values import Value, sealed

SHORTEST_TYPED: Final = 6
SHORTEST_TOKEN: Final = 16
LONGEST: Final = 4096
"""Characters of a secret that is looked for elsewhere; what is longer is a text or a key file, and no password."""
MOST_TYPED: Final = 1000
MOST_TOKENS: Final = 256
MARK: Final = "@secret"


def _nothing() -> str:
    return ""


@dataclass
class Veil:
    """The secrets that are looked for. `digest`: the keyed hash that stands for a text."""

    digest: Callable[[str], str]
    stored: Callable[[], str] = _nothing
    """All that stands openly in the last capture, as JSON in ASCII, and documents as they are stored."""
    torn: bool = False
    """Whether more was typed than is looked for: then nobody knows what a page shows."""
    version: int = 0
    """Grows with every text that is looked for from now on."""
    _typed: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _tokens: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _open: set[str] = field(default_factory=set[str])

    def __bool__(self) -> bool:
        return bool(self._typed or self._tokens)

    def typed(self, text: str, *, names: Collection[str] = ()) -> None:
        """Somebody typed this as a secret into a field of these names; a field's own name is none."""
        if text in self._typed or not SHORTEST_TYPED <= len(text) <= LONGEST or not any(map(str.isalnum, text)):
            return
        if text.casefold() in {name.casefold() for name in names} or self._stands_open(text):
            return
        if len(self._typed) >= MOST_TYPED:
            self.torn = True
            return
        self._typed[text] = spellings(text)
        self.version += 1

    def token(self, text: str) -> None:
        """A page, a cookie or a request holds this in a place for secrets."""
        if not SHORTEST_TOKEN <= len(text) <= LONGEST or text in self._typed:
            return
        spelt = self._tokens.pop(text, None)  # the latest last
        if spelt is None and self._stands_open(text):
            return
        self._tokens[text] = spelt or spellings(text)
        self.version += spelt is None
        if len(self._tokens) > MOST_TOKENS:
            del self._tokens[next(iter(self._tokens))]

    def hides(self, text: str, *, cut_at: int = -1) -> bool:
        """Whether a secret stands in a text, or, in one of `cut_at` characters, six of one at its end."""
        return self.typed_in(text, cut_at=cut_at) or _any_in(text, self._tokens.values(), cut_at)

    def typed_in(self, text: str, *, cut_at: int = -1) -> bool:
        """As `hides`, of what was typed."""
        return _any_in(text, self._typed.values(), cut_at)

    def near(self, text: str) -> bool:
        """Whether one may stand in a long text; `hides` tells of each piece of it. Never False wrongly."""
        every = (spelling for known in (self._typed, self._tokens) for spelt in known.values() for spelling in spelt)
        return any(spelling[:SHORTEST_TYPED] in text for spelling in every)

    def over(self, value: Value) -> Value:
        """The value with each text in it hidden that holds a secret; the same object where none does."""
        if isinstance(value, str):
            return {MARK: self.digest(value)} if self.hides(value) else value
        if isinstance(value, Mapping):
            items = {self.key(name): self.over(item) for name, item in value.items()}
            return value if sealed(value) or all(items.get(name) is item for name, item in value.items()) else items
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            out = [self.over(item) for item in value]
            return value if all(new is old for new, old in zip(out, value, strict=True)) else out
        return value

    def key(self, name: str) -> str:
        """A key without a secret in it."""
        return f"secret-{self.digest(name)[:16]}" if self.hides(name) else name

    def said(self, text: str) -> str:
        """A message for people, without secrets."""
        return f"a text with a secret in it ({self.digest(text)[:16]})" if self.hides(text) else text

    def _stands_open(self, text: str) -> bool:
        if text not in self._open and _any_in(self.stored(), [spellings(text)], -1):
            self._open.add(text)
        return text in self._open


def spellings(text: str) -> tuple[str, ...]:
    """The ways in which a text is looked for: as it is, in an address, escaped for JSON and HTML, in Base64."""
    data = text.encode("utf-8", "surrogatepass")
    quoted = quote(data, safe="")
    found = (
        text,
        quoted,
        quote(data),
        quote_plus(data),
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        html.escape(text),
        html.escape(text, quote=False),
        base64.b64encode(data).decode().rstrip("="),
    )
    return tuple(dict.fromkeys(found))


def _any_in(text: str, known: Iterable[Sequence[str]], cut_at: int) -> bool:
    if not text:
        return False
    for spelt in known:
        for spelling in spelt:
            if spelling in text and _whole(text, spelling):
                return True
        if len(text) == cut_at and _begins_at_end(text, spelt[0]):
            return True
    return False


def _whole(text: str, part: str) -> bool:
    """Whether a part stands in a text; a mere word or number as one of its own, and not within a longer one."""
    if not (part.isalpha() or part.isdecimal()):
        return part in text
    at = text.find(part)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(part) : at + len(part) + 1]
        if not (before.isalnum() and part[0].isalnum()) and not (after.isalnum() and part[-1].isalnum()):
            return True
        at = text.find(part, at + 1)
    return False


def _begins_at_end(text: str, secret: str) -> bool:
    """Whether a text was cut off within a secret: at least six of its characters stand at the end."""
    return any(text.endswith(secret[:count]) for count in range(SHORTEST_TYPED, len(secret)))
