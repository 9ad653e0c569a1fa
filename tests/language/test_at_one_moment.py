"""Rule 15: what a veto asks of several values under `all` stands at one and the same moment."""

import pathlib
from collections.abc import Sequence

import pytest
from tests.language.worlds import State, judged, veto

A, B, C = (f"{{value: {{in: {name}, at: x, is: 1}}}}" for name in ("a", "b", "c"))


def world(*rows: Sequence[int | None]) -> list[State]:
    """A state for each row: the values of a, b and c; what is None cannot be read."""
    return [
        {
            f"{name}.yaml": "{x: [\n" if value is None else f"x: {value}\n"
            for name, value in zip("abc", row, strict=True)
        }
        for row in rows
    ]


RULES: list[tuple[str, Sequence[Sequence[int | None]], bool | None]] = [
    (f"{{all: [{A}, {B}]}}", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], False),
    (f"{{all: [{A}, {B}]}}", [(0, 0, 0), (1, 1, 0), (0, 0, 0)], True),
    (f"{{all: [{A}, {B}]}}", [(1, 1, 0), (0, 0, 0)], True),
    (f"{{all: [{A}, {B}]}}", [(0, 0, 0), (1, None, 0), (0, 1, 0)], None),
    (f"{{all: [{A}, {B}]}}", [(0, 0, 0), (0, None, 0), (1, 0, 0)], False),
    (f"{{all: [{A}, {B}, {C}]}}", [(0, 0, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1)], False),
    (f"{{all: [{A}, {{all: [{B}, {C}]}}]}}", [(0, 0, 0), (1, 0, 0), (0, 1, 1)], False),
    (f"{{all: [{A}, {{any: [{B}, {C}]}}]}}", [(0, 0, 0), (0, 1, 0), (1, 0, 1)], True),
    (f"{{all: [{A}, {{any: [{B}, {C}]}}]}}", [(0, 0, 0), (0, 1, 1), (1, 0, 0)], False),
    (f"{{any: [{{all: [{A}, {B}]}}, {{all: [{B}, {C}]}}]}}", [(0, 0, 0), (1, 0, 1), (0, 1, 0)], False),
    (f"{{not: {{not: {{all: [{A}, {B}]}}}}}}", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], False),
    # What says its own time, and what says that something changed, is asked by itself.
    (f"{{all: [{A}, {B[:-2]}, when: ever}}}}]}}", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], True),
    (f"{{all: [{A[:-2]}, when: ever}}}}, {B[:-2]}, when: end}}}}]}}", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], True),
    (f"{{all: [{A}, {{change: {{in: b, at: x, to: 1}}}}]}}", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], True),
    (f"{{all: [{A}, {B}, {{change: {{in: c, at: x}}}}]}}", [(0, 0, 0), (1, 1, 0), (0, 0, 1)], True),
    (f"{{all: [{A}, {B}, {{change: {{in: c, at: x}}}}]}}", [(0, 0, 0), (1, 0, 1), (0, 1, 1)], False),
    (f"{{any: [{A}, {B}]}}", [(0, 0, 0), (0, 1, 0)], True),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "rows", "holds"), RULES)
def test_rule_15_values_under_all_in_a_veto_stand_there_at_one_moment(
    rule: str, rows: Sequence[Sequence[int | None]], holds: bool | None, tmp_path: pathlib.Path
) -> None:
    verdict = judged(tmp_path, f"must: [{{change: {{in: c, at: y}}}}]\nveto: [{rule}]", *world(*rows))
    assert veto(verdict).holds is holds


ANSWERED: list[tuple[Sequence[Sequence[int | None]], str | None, bool | None]] = [
    ([(0, 0, 0), (1, 0, 0)], "done", True), ([(0, 0, 0), (1, 0, 0), (0, 0, 0)], "done", False),
    ([(0, 0, 0), (1, 0, 0)], "no", False), ([(0, 0, 0), (1, 0, 0)], None, False),
    ([(0, 0, 0), (None, 0, 0)], "done", None),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "answer", "holds"), ANSWERED)
def test_rule_15_an_answer_is_given_at_the_end(
    rows: Sequence[Sequence[int | None]], answer: str | None, holds: bool | None, tmp_path: pathlib.Path
) -> None:
    rule = f"{{all: [{A}, {{value: {{in: answer, at: '', is: done}}}}]}}"
    verdict = judged(tmp_path, f"must: [{{change: {{in: c, at: y}}}}]\nveto: [{rule}]", *world(*rows), answer=answer)
    assert veto(verdict).holds is holds
