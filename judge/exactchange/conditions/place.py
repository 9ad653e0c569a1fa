"""Places and patterns: which changes and which values a rule speaks of."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from exactchange.conditions.matchers import MatcherField, OptionalMatcher

OWN_FIELDS = ("css", "role", "name", "label", "testid", "text", "field", "tab")
"""Place fields that are the source kind's own selector, beside `at` and `table`."""
_ELEMENTS = ("css", "role", "label", "testid", "text")

AtLeast = Annotated[int, Field(ge=0)]


class Model(BaseModel):
    """Base of all that a task file holds: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, strict=True)


class Between(Model):
    """How many: at least `ge`, at most `le`."""

    ge: AtLeast | None = Field(default=None, description="At least so many.")
    le: AtLeast | None = Field(default=None, description="At most so many.")

    @model_validator(mode="after")
    def _some(self) -> "Between":
        if self.ge is None and self.le is None:
            raise ValueError("say `ge`, `le` or both")
        if self.ge is not None and self.le is not None and self.ge > self.le:
            raise ValueError(f"no number is at least {self.ge} and at most {self.le}")
        return self


class Place(Model):
    """Where: an address pattern, rows of a table, or what the source's own selector finds."""

    in_: str = Field(alias="in", description="Name of the source.")
    at: str | None = Field(
        default=None, description='Address pattern: `server.timeout`, `orders[id=7].*`, `""` for all.'
    )
    table: str | None = Field(default=None, description="Table whose rows are meant.")
    where: dict[str, MatcherField] | None = Field(default=None, description="Column values that choose the rows.")
    column: str | None = Field(default=None, description="Column of those rows.")
    css: str | None = Field(default=None, description="CSS selector on the page.")
    role: str | None = Field(default=None, description="ARIA role, with `name`.")
    name: str | None = Field(default=None, description="Accessible name, with `role`.")
    label: str | None = Field(default=None, description="Text of the control's label.")
    testid: str | None = Field(default=None, description="The element's test id.")
    text: str | None = Field(default=None, description="The whole text of the element that a person can see.")
    field: str | None = Field(default=None, description="Which property of the element: value, checked, text, …")
    tab: int | None = Field(default=None, description="Which tab, counted from 1 as tabs were opened.")

    @model_validator(mode="after")
    def _one_way(self) -> "Place":
        ways = [name for name in ("at", "table", *_ELEMENTS) if getattr(self, name) is not None]
        if len(ways) > 1:
            raise ValueError(f"one place, one way: {' and '.join(ways)} stand together")
        if self.table is None and (self.where is not None or self.column is not None):
            raise ValueError("`where` and `column` choose rows of a `table`")
        if self.role is None and self.name is not None:
            raise ValueError("`name` goes with `role`")
        if not any(getattr(self, name) for name in _ELEMENTS) and (self.field is not None or self.tab is not None):
            raise ValueError("`field` and `tab` go with css, role, label, testid or text")
        return self

    def own(self) -> dict[str, Any]:
        """The fields of the source kind's own selector."""
        return {name: value for name in OWN_FIELDS if (value := getattr(self, name)) is not None}


class Pattern(Place):
    """Which changes: a place, and what happened there."""

    op: Literal["added", "removed", "modified"] | None = Field(default=None, description="What happened.")
    from_: OptionalMatcher = Field(default=None, alias="from", description="What stood there before.")
    to: OptionalMatcher = Field(default=None, description="What stands there after.")
    row: dict[str, MatcherField] | None = Field(default=None, description="Columns of an added or removed row.")
    rest: Literal["default", "any"] = Field(default="default", description="What unlisted columns may hold.")

    @property
    def tests_values(self) -> bool:
        """Whether it says what stood or stands at its place. Without, a change of anything in its place fits, too."""
        return any(item is not None for item in (self.from_, self.to, self.row))

    @model_validator(mode="after")
    def _possible(self) -> "Pattern":
        if self.row is not None and self.op == "modified":
            raise ValueError("`row` speaks of added or removed rows; of a modified row name the column in `at`")
        return self


class Allowed(Pattern):
    """A pattern of `allow` or `ignore`; `max` bounds how many changes it allows."""

    max: AtLeast | None = Field(default=None, description="At most so many changes (allow only).")
    why: str | None = Field(default=None, description="Why what it lets through does no harm: for people and `audit`.")

    @model_validator(mode="after")
    def _said(self) -> "Allowed":
        if self.why is not None and not self.why.strip():
            raise ValueError("`why` is empty; say why what it lets through does no harm")
        return self


class Hole(Pattern):
    """What an audit finds that a task lets through, and why that is all right: at a place, by a rule, or in a param."""

    in_: str = Field(default="", alias="in", description="Name of the source, of a place that nothing else looks at.")
    rule: str | None = Field(default=None, description="Name of the rule that lets it through, or cannot be tried.")
    param: str | None = Field(default=None, description="Name of the param that the verdict does not depend on.")
    why: str = Field(description="Why it does no harm.")

    @model_validator(mode="after")
    def _one_thing(self) -> "Hole":
        if not self.why.strip():
            raise ValueError("`why` is empty; say why it does no harm")
        given = [name for name, item in (("in", self.in_), ("rule", self.rule), ("param", self.param)) if item]
        if len(given) != 1:
            raise ValueError("a hole is at a place (`in` and `at`), of a `rule`, or of a `param`: say one of the three")
        if not self.in_ and self.model_fields_set - {given[0], "why"}:
            raise ValueError(f"a hole of a `{given[0]}` has no place of its own")
        return self
