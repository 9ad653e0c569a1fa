"""Whatever a task file holds, it is a task or a TaskError that names places; nothing else comes of it."""

import copy
import pathlib
import pickle
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactchange.task import TaskError, load_task, task_from_data
from exactchange.task.params import PATTERNS, TIERS
from exactchange.values import Value

SHIPPED = pathlib.Path(__file__).parents[2] / "tasks" / "article"
DATA = {file.stem: load_task(file).as_data() for file in sorted(SHIPPED.glob("*.yaml"))}
WORDS = st.sampled_from(
    "in at table where column css role name label is from to row rest op count when unless_after query pick matches "
    "has items one_of not exactly url json same generated number within time absent type all any order change value "
    "action request effort steps kind tool target text args max weight ge le added removed {person} {workdir} {{ a[ "
    "** * page db config files answer actions".split()
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def places(node: Value, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(found for key, item in inner for found in places(item, (*path, key)))]


def put(data: Value, path: tuple[str | int, ...], value: Value) -> None:
    for part in path[:-1]:
        data = data[part]  # type: ignore[index]  # a path of this very data
    data[path[-1]] = value  # type: ignore[index]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(sorted(DATA)), st.integers(1, 3))
def test_a_task_in_which_anything_stands_anywhere_loads_or_is_refused(
    draw: st.DataObject, name: str, times: int
) -> None:
    data = copy.deepcopy(DATA[name])
    for _ in range(times):
        path = draw.draw(st.sampled_from([path for path in places(data) if path]))
        put(data, path, draw.draw(ODD))
    load(data)


@settings(deadline=None, max_examples=100)
@given(st.sampled_from([*TIERS, *PATTERNS, "sources", "app", "params"]), ODD)
def test_any_section_may_hold_anything(section: str, body: Value) -> None:
    load({**DATA["settings-timeout"], section: [body]})
    load({**DATA["settings-timeout"], section: body})


def load(data: dict[str, Value]) -> None:
    try:
        task = task_from_data(data, name="odd")
    except TaskError as error:
        assert error.problems
        assert all(problem.where.startswith("odd") and problem.message for problem in error.problems)
    else:
        assert task_from_data(task.as_data(), name="again") == task


@pytest.mark.parametrize("path", ["", ".", "..", "/", "{workdir}", "a/"])
@pytest.mark.parametrize("source", ["config", "db", "files"])
def test_a_source_at_a_path_that_is_no_file_s_loads_or_is_refused(source: str, path: str) -> None:
    sources = cast("Mapping[str, Mapping[str, Value]]", DATA["settings-timeout"]["sources"])
    load({**DATA["settings-timeout"], "sources": {**sources, source: {**sources[source], "path": path}}})


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_file_with_any_slip_of_the_keyboard_loads_or_names_a_line(
    tmp_path: pathlib.Path, draw: st.DataObject
) -> None:
    text = (SHIPPED / "settings-timeout.yaml").read_text(encoding="utf-8")
    at = draw.draw(st.integers(0, len(text) - 1))
    slip = draw.draw(
        st.sampled_from(["", " ", "\n", "\t", ":", "{", "}", "[", "'", '"', "#", "&", "*", "x", "é", "\x00"])
    )
    file = tmp_path / "task.yaml"
    file.write_text(text[:at] + slip + text[at + 1 :], encoding="utf-8")
    try:
        load_task(file)
    except TaskError as error:
        for problem in error.problems:
            assert problem.where.rsplit(":", 2)[1].isdigit(), problem


@pytest.mark.parametrize("name", sorted(DATA))
def test_a_task_can_go_to_a_worker_process(name: str) -> None:
    task = load_task(SHIPPED / f"{name}.yaml")
    again = pickle.loads(pickle.dumps(task))  # noqa: S301  # our own bytes
    assert again == task and again.must[0].where == task.must[0].where


def test_what_a_caller_does_to_a_task_s_data_leaves_the_task_alone() -> None:
    task = load_task(SHIPPED / "settings-timeout.yaml")
    before = task.hash
    data = task.as_data()
    must = data["must"]
    assert isinstance(must, list)
    must.clear()
    assert task.as_data()["must"] != [] and task.hash == before
