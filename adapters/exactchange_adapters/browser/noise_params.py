"""What a task says of noise on pages: rules that are off or on, and rules of its own."""

from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator

from exactchange.address import parse_pattern
from exactchange.errors import UsageError
from exactchange.sources import NoiseRule
from exactchange.sources.standing import standing_at
from exactchange_adapters.browser.noise_like import check_like
from exactchange_adapters.browser.standings import STANDINGS

RULES: Final = (
    NoiseRule("csrf-token", "a hidden field with the name of a CSRF token holds another token", usual=True),
    NoiseRule("nonce", "a hidden field with the name of a nonce holds another token", usual=True),
    NoiseRule("generated-id", "an id or a field's name that a framework makes up is another one", usual=True),
    NoiseRule("hashed-class", "a class whose end a tool makes up is another one", usual=True),
    NoiseRule("relative-time", "`5 minutes ago` became `6 minutes ago`, and as much time has passed", usual=True),
    NoiseRule("cache-buster", "an address differs in the time at which it was asked for", usual=True),
    NoiseRule("csrf-cookie", "a cookie with the name of a CSRF token holds another token", usual=False),
    NoiseRule("clock", "`9:05` became `9:06`, and as much time has passed", usual=False),
    NoiseRule("counter", "one whole number in a text is another one, as in `Inbox (3)`", usual=False),
    NoiseRule("polling-request", "a script asks the same again and again", usual=False),
)
"""On where nothing that matters can hide behind what a rule takes; the others a task has to turn on."""
USUAL: Final = frozenset(rule.name for rule in RULES if rule.usual)
Usual: TypeAlias = Literal["csrf-token", "nonce", "generated-id", "hashed-class", "relative-time", "cache-buster"]
Unusual: TypeAlias = Literal["csrf-cookie", "clock", "counter", "polling-request"]


class OwnNoise(BaseModel):
    """A rule of the task's own: in this place, one text of this shape gives way to another."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str = Field(description="Where, as an address pattern.")
    like: str = Field(description="What the text is like, before and after: `Build <digits>`.")

    @field_validator("at")
    @classmethod
    def _at_is_a_pattern(cls, at: str) -> str:
        try:
            found = standing_at(parse_pattern(at), STANDINGS)
        except UsageError as error:
            raise ValueError(str(error)) from error
        if found.lost is not None:
            raise ValueError(f"no place of a page is ever called {at!r}; say where the text stands, such as `@text`")
        return at

    @field_validator("like")
    @classmethod
    def _like_is_a_shape(cls, like: str) -> str:
        try:
            check_like(like)
        except UsageError as error:
            raise ValueError(str(error)) from error
        return like


class NoiseParams(BaseModel):
    """Which rules there are: the usual ones, less `off`, with `on` and with `add`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    off: tuple[Usual, ...] = Field(default=(), description="Rules that are usually on, and here are not.")
    on: tuple[Unusual, ...] = Field(default=(), description="Rules that are usually off, and here are on.")
    add: tuple[OwnNoise, ...] = Field(default=(), description="Rules of the task's own: {at: …, like: …}.")

    @property
    def rules(self) -> frozenset[str]:
        """Names of the rules that are on."""
        return USUAL - set(self.off) | set(self.on)


def noise_of(said: "NoiseParams | Literal['off']") -> NoiseParams | None:
    """What is said of noise; None where all of it is off."""
    return None if said == "off" else said
