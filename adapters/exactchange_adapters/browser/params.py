"""What a task says of a browser: the source's parameters, and the selectors of a place on a page."""

from difflib import get_close_matches
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from exactchange.sources import SourceParams
from exactchange_adapters.browser.facets import ALWAYS, OPTIONAL
from exactchange_adapters.browser.keys import STATES
from exactchange_adapters.browser.noise_params import NoiseParams
from exactchange_adapters.browser.roles import KNOWN_ROLES

_FIELDS: Final = (*sorted(STATES), "text", "hidden", "name", "role", "disabled")


class BrowserParams(SourceParams):
    """A browser as a source of state."""

    adapter: Literal["browser"] = "browser"
    start: str | None = Field(default=None, description="The address that is opened in the first tab at bring-up.")
    cdp: str | None = Field(
        default=None,
        description="The debugging address of a running browser, http://127.0.0.1:PORT or ws://…, not one of ours.",
    )
    closed: tuple[str, ...] = Field(
        default=(),
        description="Facets in which nothing else may change, beyond cookies, storage and downloads.",
        json_schema_extra={"items": {"enum": list(OPTIONAL)}},
    )

    witness: bool = Field(
        default=True, description="Hear what is done to the pages, as evidence beside the agent's own log."
    )

    noise: NoiseParams | Literal["off"] = Field(
        default=NoiseParams(), description='Which changes are noise by rule: {off: […], on: […], add: […]}, or "off".'
    )

    @field_validator("closed")
    @classmethod
    def _facets_are_known(cls, closed: tuple[str, ...]) -> tuple[str, ...]:
        for facet in closed:
            if facet not in OPTIONAL and facet not in ALWAYS:
                raise ValueError(f"no facet of a page is called {facet!r}; there are {', '.join(OPTIONAL)}")
        return closed


class ElementSelector(BaseModel):
    """An element, by exactly one of css, role, label, testid, text; `field` says what of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    css: str | None = Field(default=None, description="A CSS selector; in every frame and open shadow tree.")
    role: str | None = Field(default=None, description="An ARIA role such as button, textbox, checkbox.")
    name: str | None = Field(default=None, description="With `role`: the accessible name, white space as one space.")
    label: str | None = Field(default=None, description="The accessible name of a control.")
    testid: str | None = Field(default=None, description="The value of data-testid (or data-test, data-cy, data-qa).")
    text: str | None = Field(
        default=None, description="All that a person can read of the smallest such element, white space as one space."
    )
    field: str | None = Field(
        default=None,
        description="What of the element: value, checked, open, files, text, hidden (text that nobody can see), name, "
        "disabled, or @ATTRIBUTE. Default: its state if it is a control that has one, else its text.",
    )
    tab: int | None = Field(default=None, description="Only in this tab, counted from 1 as tabs were opened.")

    @field_validator("field")
    @classmethod
    def _field_is_known(cls, field: str | None) -> str | None:
        """A misspelt one would be left out of every element without a word, and no veto on it could ever fire."""
        if field is None or field in _FIELDS:
            return field
        if field.startswith("@") and field[1:].split() == [field[1:]]:
            from exactchange_adapters.browser.css import why_no_attribute

            if (why := why_no_attribute(field[1:])) is not None:
                raise ValueError(f"no element has a field {field!r}: {why}")
            return field
        near = get_close_matches(field, _FIELDS, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"no element has a field {field!r}; {meant}there are {', '.join(_FIELDS)}, and @ATTRIBUTE")

    @field_validator("tab")
    @classmethod
    def _tab_is_one(cls, tab: int | None) -> int | None:
        if tab is not None and tab < 1:
            raise ValueError("tabs are counted from 1, as they were opened")
        return tab

    @field_validator("role")
    @classmethod
    def _role_is_known(cls, role: str | None) -> str | None:
        if role is None or role in KNOWN_ROLES:
            return role
        near = get_close_matches(role, sorted(KNOWN_ROLES), n=1)
        raise ValueError(f"no element has the role {role!r}" + (f"; did you mean {near[0]}?" if near else ""))

    @model_validator(mode="after")
    def _one_way(self) -> "ElementSelector":
        given = [name for name in ("css", "role", "label", "testid", "text") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"an element is selected by one of css, role, label, testid, text; here: {', '.join(given) or 'none'}"
            )
        if not getattr(self, given[0]).strip():
            raise ValueError(f"`{given[0]}` is empty; say what it is of the element")
        if self.name is not None and self.role is None:
            raise ValueError("`name` goes with `role`; to select by the accessible name alone, use `label`")
        if self.css is not None:
            from exactchange_adapters.browser.css import why_no_selector

            why = why_no_selector(self.css)
            if why is not None:
                raise ValueError(f"`css` is no selector: {self.css!r}: {why}")
        return self
