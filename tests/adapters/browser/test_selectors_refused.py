"""A selector that can stand for nothing is refused: a veto on it could never fire, and nobody would be told."""

from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from exactchange_adapters.browser.params import ElementSelector


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ({"label": "Two-factor", "field": "cheked"}, "did you mean checked?"),
        ({"label": "Two-factor", "field": "value.x"}, "no element has a field 'value.x'"),
        ({"label": "Two-factor", "field": "@"}, "no element has a field '@'"),
        ({"label": "Two-factor", "field": "@a b"}, "no element has a field '@a b'"),
        ({"label": "Two-factor", "tab": 0}, "counted from 1"),
        ({"css": "[style*=red]"}, "the attribute style is not kept"),
        ({"css": "a:not([ data-CSRF-x='1'])"}, "the attribute data-CSRF-x is not kept"),
        ({"css": "button[onclick]"}, "the attribute onclick is not kept"),
        ({"css": "a", "field": "@onclick"}, "the attribute onclick is not kept"),
        ({"label": " "}, "`label` is empty"),
        ({"text": ""}, "`text` is empty"),
        ({"testid": ""}, "`testid` is empty"),
        ({"role": "buton"}, "did you mean button?"),
        ({"role": "Button"}, "did you mean button?"),
        ({"role": ""}, "no element has the role ''"),
    ],
)
def test_what_can_stand_for_nothing_is_refused(place: Mapping[str, object], says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ElementSelector.model_validate(place)
    assert says in str(caught.value)


@pytest.mark.parametrize("css", ["a[href='[style]']", "[data-on]", "[class~=token]", "[lang|=de]"])
def test_other_attributes_are_kept(css: str) -> None:
    assert ElementSelector(css=css).css == css


@pytest.mark.parametrize(
    "field", ["value", "checked", "text", "hidden", "name", "role", "disabled", "@href", "@data-id"]
)
def test_what_elements_have_is_a_field(field: str) -> None:
    assert ElementSelector(label="x", field=field, tab=1).field == field
