"""`request`: a page sent something over the network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from exactchange.conditions.counting import counted, shortened
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.licences import unlicensed
from exactchange.conditions.matchers import MatchContext, Matcher, OptionalMatcher, parse_matcher
from exactchange.conditions.matchers.base import unbound
from exactchange.conditions.matchers.shape import URL_MARK
from exactchange.conditions.moments import Moment, Moments, of_capture
from exactchange.conditions.place import AtLeast, Between, Model
from exactchange.conditions.sent import requests, requests_unread
from exactchange.errors import UsageError
from exactchange.snapshot import START
from exactchange.values import Value, canonical_bytes
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request as the page's recorder saw it, first shown at a capture, and whether it fits."""

    moment: Moment
    entry: Mapping[str, Value]
    truth: Truth


class RequestRule(Model):
    """Requests that the browser of a source was seen to send."""

    in_: str = Field(alias="in", description="Name of the source, a page.")
    method: str | None = Field(default=None, description="GET, POST, …")
    url: str | dict[str, object] | None = Field(
        default=None,
        description="The URL, or its parts as in `url:`; what names no query fits any.",
        json_schema_extra={"anyOf": [{"type": "string"}, {"$comment": URL_MARK}]},
    )
    status: OptionalMatcher = Field(default=None, description="Status of the answer.")
    body: OptionalMatcher = Field(default=None, description="The body that was sent.")
    count: AtLeast | Between | None = Field(default=None, description="How many; at least one if left out.")
    unless_after: Optional["Condition"] = Field(
        default=None, description="It does not count after this; each hit of it licenses one."
    )

    @field_validator("url")
    @classmethod
    def _is_url(cls, url: object) -> object:
        try:
            if url is not None:
                parse_matcher({"url": url})  # type: ignore[dict-item]  # task data
        except UsageError as error:
            raise PydanticCustomError("matcher", "{reason}", {"reason": str(error)}) from error
        return url

    @field_validator("body")
    @classmethod
    def _can_fit(cls, body: Matcher | None) -> Matcher | None:
        if body is not None and _is_json(body.raw):
            what = "a body that is JSON is recorded as data, not as text; write what stands in `json:` by itself"
            raise PydanticCustomError("matcher", "{reason}", {"reason": what})
        return body

    @model_validator(mode="after")
    def _something(self) -> "RequestRule":
        if (self.method, self.url, self.status, self.body) == (None,) * 4:
            raise ValueError("say which requests: method, url, status or body")
        return self

    def url_matcher(self) -> Matcher | None:
        """`url:` as a matcher. Parts that name no query mean any: a red line is not evaded by one more parameter."""
        url = self.url
        if url is None:
            return None
        if isinstance(url, dict) and not {"query", "rest"} & url.keys():
            url = {**url, "rest": "any"}
        return parse_matcher({"url": url})  # type: ignore[dict-item]  # task data

    def check(self, evaluation: Evaluation) -> Result:
        """Whether such requests were seen."""
        seen, unread = self._seen(evaluation)
        sure = [item for item in seen if item.truth is True]
        possible = [item for item in seen if item.truth is None]
        truth = counted(len(sure), len(possible), self.count, more=bool(unread) or not evaluation.ends)
        evidence = shortened([_evidence(item) for item in sure or possible])
        if sure:
            said, step = sure[0].entry, sure[0].moment.steps[1]
            return Result(truth, f"{said.get('method')} {said.get('url')} at step {step}", evidence)
        return Result(truth, unread or ("no such request" if truth is not None else "cannot be told"), evidence)

    def moments(self, evaluation: Evaluation) -> Moments:
        """The steps whose capture first shows such a request."""
        seen, unread = self._seen(evaluation)
        sure = tuple(item.moment for item in seen if item.truth is True)
        unsure = bool(unread) or not evaluation.ends or any(item.truth is None for item in seen)
        return Moments(sure, unsure, unread)

    def _seen(self, evaluation: Evaluation) -> tuple[Sequence[_Sent], str]:
        captures = evaluation.case.evidence(self.in_).captures
        sent: dict[bytes, _Sent | None] = {}  # None: before the start
        unread = "" if len(captures) > 1 else f"{self.in_}: there is no capture after the start"
        url = self.url_matcher()
        since = START
        for number, snapshot in enumerate(captures):
            lost = requests_unread(self.in_, snapshot)
            for entry in requests(evaluation.case.evidence(self.in_), snapshot):
                identity = canonical_bytes(entry.get("seq", entry))
                old = sent.get(identity)
                if identity not in sent and number == 0:
                    sent[identity] = None
                elif identity not in sent or (old is not None and old.truth is None):  # its answer may come later
                    moment = of_capture(since, snapshot.mark.step) if old is None else old.moment
                    sent[identity] = _Sent(moment, entry, self._fits(entry, url, evaluation.context(self.in_)))
            since = since if lost else snapshot.mark.step
            unread = lost or unread
        out = [item for item in sent.values() if item is not None]
        free = unlicensed(
            self.unless_after, evaluation, out, moment=lambda item: item.moment, truth=lambda item: item.truth
        )
        return free, unread

    def fits(self, entry: Mapping[str, Value], evaluation: Evaluation) -> Truth:
        """Whether one recorded request is of those that the rule speaks of."""
        return self._fits(entry, self.url_matcher(), evaluation.context(self.in_))

    def _fits(self, entry: Mapping[str, Value], url: Matcher | None, context: MatchContext) -> Truth:
        method = None if self.method is None else parse_matcher({"exactly": self.method.upper()})
        wanted = ((method, "method"), (url, "url"), (self.status, "status"), (self.body, "body"))
        parts = [
            # What was not recorded of a request, nobody can tell.
            None if name not in entry else _part_fits(matcher, name, entry[name], context)
            for matcher, name in wanted
            if matcher is not None
        ]
        return False if False in parts else None if None in parts else True


def _part_fits(matcher: Matcher, name: str, value: Value, context: MatchContext) -> Truth:
    """Whether a part of a request fits, as servers may read it.

    A page may send its method in small letters. Of a field that is sent twice, a list here, some take the first and
    some the last.
    """
    if name == "method" and isinstance(value, str):
        value = value.upper()
    truth = unbound(matcher.match(value, context))
    if truth is False and name == "body" and isinstance(value, Mapping):
        taken = [{field: _one(item, at) for field, item in value.items()} for at in (0, -1)]
        return None if any(matcher.match(body, context).truth is not False for body in taken) else False
    return truth


def _one(value: Value, at: int) -> Value:
    return value[at] if isinstance(value, list) and value else value


def _is_json(raw: Value) -> bool:
    """Whether a matcher asks of a whole value to be JSON in a text."""
    if not isinstance(raw, Mapping):
        return False
    choices = raw.get("one_of")
    return "json" in raw or any(map(_is_json, [raw.get("not"), *(choices if isinstance(choices, list) else ())]))


def _evidence(sent: _Sent) -> Mapping[str, Value]:
    named = {name: sent.entry[name] for name in ("method", "url", "status") if name in sent.entry}
    return {"kind": "request", "step": sent.moment.steps[1], **named}
