"""What a caller of the Python API may hand over by mistake is refused, with what and where."""

import asyncio
import datetime as dt
import pathlib
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import pytest
from tests.episode.kit import CLICK, kit_task, new_desk

from exactchange import diff_values, load_task
from exactchange.errors import UsageError
from exactchange.session import Session
from exactchange.values import ABSENT, Value


def cyclic() -> dict[str, Any]:
    found: dict[str, Any] = {"kind": "click"}
    found["target"] = {"again": found}
    return found


def tower() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


NO_VALUES: list[tuple[Callable[[], Any], str]] = [
    (cyclic, "at target.again holds itself"),
    (tower, "nested deeper than 150 levels"),
    (lambda: {"a": {7: 1}}, "at a has the key 7; keys are texts"),
    (lambda: {"a": [1, Decimal(1)]}, "at a.1 is of the type Decimal"),
    (lambda: {"a": {1, 2}}, "at a is of the type set"),
    (lambda: {"a": ABSENT}, "at a is of the type Absent"),
    (object, "is of the type object"),
]


@pytest.mark.parametrize(("make", "said"), NO_VALUES)
def test_what_is_no_value_cannot_be_compared(make: Callable[[], Any], said: str) -> None:
    given = make()
    for name, pair in (("before", (given, 1)), ("after", (1, given))):
        with pytest.raises(UsageError) as refused:
            diff_values(*pair)
        assert str(refused.value).startswith(f"`{name}`") and said in str(refused.value)


def test_the_same_part_in_two_places_is_no_cycle() -> None:
    part: dict[str, Value] = {"x": [1, dt.date(2026, 1, 1)]}
    assert not diff_values({"a": part, "b": part}, {"a": part, "b": {**part}}).changes
    assert diff_values(ABSENT, part).changes[0].op == "added"


def in_session(folder: pathlib.Path, steps: Callable[[Session], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Session(kit_task(), world=new_desk(folder / "work").world, settle_s=0) as session:
            await steps(session)

    asyncio.run(run())


NO_ACTIONS: list[tuple[Callable[[], Any], str]] = [
    (lambda: None, "an action is a mapping"),
    (lambda: [("kind", "click")], "an action is a mapping"),
    *((lambda make=make: {"kind": "tool", "args": make()}, "the action at args") for make, _ in NO_VALUES[:6]),
    (lambda: {5: "click"}, "the action has the key 5"),
]


@pytest.mark.parametrize(("make", "said"), NO_ACTIONS)
def test_what_is_no_action_is_refused_and_the_run_goes_on(
    make: Callable[[], Any], said: str, tmp_path: pathlib.Path
) -> None:
    async def steps(session: Session) -> None:
        for call in (session.before, session.event, session.observed):
            with pytest.raises(UsageError, match=said):
                await call(make())
        assert (await session.before(CLICK)).go
        with pytest.raises(UsageError, match=said):
            await session.event(make())
        assert (await session.after()).go
        assert (await session.finish()).steps == 1

    in_session(tmp_path, steps)


def test_an_unknown_action_is_kept_and_does_not_end_a_run(tmp_path: pathlib.Path) -> None:
    async def steps(session: Session) -> None:
        assert (await session.before({"kind": 5})).go
        await session.after()
        await session.finish()

    in_session(tmp_path, steps)


def test_an_error_and_an_answer_are_texts(tmp_path: pathlib.Path) -> None:
    wrong: Any = ValueError("x")

    async def steps(session: Session) -> None:
        await session.before(CLICK)
        with pytest.raises(UsageError, match="`error` is a text or None, and no ValueError"):
            await session.after(error=wrong)
        await session.after(error="x")
        with pytest.raises(UsageError, match="`answer` is a text or None, and no ValueError"):
            await session.finish(wrong)
        await session.finish("done")

    in_session(tmp_path, steps)


@pytest.mark.parametrize(
    ("path", "said"),
    [(".", "is a directory"), ({"id": "x"}, "no dict; `exactchange.task.task_from_data`"), (None, "no NoneType")],
)
def test_what_is_no_task_file_is_refused(path: object, said: str) -> None:
    given: Any = path
    with pytest.raises(UsageError, match=said):
        load_task(given)


def test_params_are_a_mapping(tmp_path: pathlib.Path) -> None:
    wrong: Any = ["a=1"]
    with pytest.raises(UsageError, match="`params` is a mapping"):
        load_task(tmp_path / "x.yaml", params=wrong)
