"""`request`: a page sent something over the network."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Optional

from pydantic import Field, model_validator

from exactchange.conditions.counting import counted, shortened
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.licences import unlicensed
from exactchange.conditions.matchers import Matcher, MatcherField, parse_matcher
from exactchange.conditions.moments import Moments
from exactchange.conditions.place import AtLeast, Between, Model
from exactchange.snapshot import unread_whole
from exactchange.values import ABSENT, Value, canonical_bytes
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from exactchange.conditions.model import Condition

REQUESTS = "@requests"


class RequestRule(Model):
    """Requests that the browser of a source was seen to send."""

    in_: str = Field(alias="in", description="Name of the source, a page.")
    method: str | None = Field(default=None, description="GET, POST, …")
    url: str | dict[str, object] | None = Field(default=None, description="The URL, or its parts as in `url:`.")
    status: MatcherField | None = Field(default=None, description="Status of the answer.")
    body: MatcherField | None = Field(default=None, description="The body that was sent.")
    count: AtLeast | Between | None = Field(default=None, description="How many; at least one if left out.")
    unless_after: Optional["Condition"] = Field(
        default=None, description="It does not count after this; each hit of it licenses one."
    )

    @model_validator(mode="after")
    def _something(self) -> "RequestRule":
        if (self.method, self.url, self.status, self.body) == (None,) * 4:
            raise ValueError("say which requests: method, url, status or body")
        self.url_matcher()
        return self

    def url_matcher(self) -> Matcher | None:
        """`url:` as a matcher."""
        return None if self.url is None else parse_matcher({"url": self.url})  # type: ignore[dict-item]  # task data

    def check(self, evaluation: Evaluation) -> Result:
        """Whether such requests were seen."""
        hits, unread = self._hits(evaluation)
        sure = [(step, item) for step, item, truth in hits if truth is True]
        possible = [(step, item) for step, item, truth in hits if truth is None]
        truth = counted(len(sure), len(possible), self.count, more=bool(unread))
        evidence = shortened([_evidence(step, item) for step, item in sure or possible])
        if sure:
            step, item = sure[0]
            return Result(truth, f"{item.get('method')} {item.get('url')} at step {step}", evidence)
        return Result(truth, unread or "no such request" if truth is not None else unread or "cannot be told", evidence)

    def moments(self, evaluation: Evaluation) -> Moments:
        """The steps whose capture first shows such a request."""
        hits, unread = self._hits(evaluation)
        sure = tuple((step, 1) for step, _, truth in hits if truth is True)
        return Moments(sure, bool(unread) or any(truth is None for *_, truth in hits), unread)

    def _hits(self, evaluation: Evaluation) -> tuple[list[tuple[int, Mapping[str, Value], Truth]], str]:
        evidence = evaluation.case.evidence(self.in_)
        seen: set[bytes] = set()
        out: list[tuple[int, Mapping[str, Value], Truth]] = []
        unread = ""
        for number, snapshot in enumerate(evidence.captures):
            for item in snapshot.unread:
                if not item.path or item.path[0] == REQUESTS:
                    unread = f"{self.in_}: requests are unread: {item.reason}"
            tree = None if unread_whole(snapshot) else evidence.kind.row_at(snapshot, ())
            for entry in _requests(tree):
                identity = canonical_bytes(entry.get("seq", entry))
                if number > 0 and identity not in seen:
                    out.append((snapshot.mark.step, entry, self._fits(entry, evaluation)))
                seen.add(identity)
        return unlicensed(self.unless_after, evaluation, out, step=lambda hit: hit[0], truth=lambda hit: hit[2]), unread

    def _fits(self, entry: Mapping[str, Value], evaluation: Evaluation) -> Truth:
        context = evaluation.context()
        parts: list[Truth] = []
        if self.method is not None:
            parts.append(entry.get("method") == self.method.upper())
        url = self.url_matcher()
        for matcher, name in ((url, "url"), (self.status, "status"), (self.body, "body")):
            if matcher is not None:
                value = entry.get(name, ABSENT)
                known = name == "url" or value is not ABSENT
                parts.append(matcher.match(value, context).truth if known else None)
        return False if False in parts else None if None in parts else True


def _requests(tree: Mapping[str, Value] | None) -> list[Mapping[str, Value]]:
    items = (tree or {}).get(REQUESTS)
    if not isinstance(items, Sequence) or isinstance(items, str | bytes):
        return []
    return [item for item in items if isinstance(item, Mapping)]


def _evidence(step: int, item: Mapping[str, Value]) -> Mapping[str, Value]:
    return {"kind": "request", "step": step, **{n: item[n] for n in ("method", "url", "status") if n in item}}
