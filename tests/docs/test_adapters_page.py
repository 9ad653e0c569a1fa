"""The adapter on the page about adapters keeps the contract, and the page names every optional part there is."""

import importlib.util
import pathlib
import re
import sys
from collections.abc import Iterator

import pytest
from tests.task.writing import said

import exactchange
from exactchange.sources import registry
from exactchange.task import TaskError, load_task
from exactchange.testing import parts

PAGE = (pathlib.Path(exactchange.__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```python\n# (\w+)\.py\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in FILES:
        sys.modules.pop(name, None)


def test_the_adapter_of_the_page_keeps_the_contract(folder: pathlib.Path) -> None:
    spec = importlib.util.spec_from_file_location("test_lines", folder / "test_lines.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    world = folder / "world"
    world.mkdir()
    module.test_lines_keep_the_contract(world)


def test_a_task_on_a_place_that_it_does_not_have_is_refused(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = importlib.import_module("lines").KIND
    known, point = registry.kinds(), next(iter(registry.kinds().values()))

    def named(name: str) -> registry.AnyKind:
        assert name == "lines"
        return lines  # type: ignore[no-any-return]  # of a module that the page holds

    monkeypatch.setattr("exactchange.task.declared.kinds", lambda: {**known, "lines": point})
    monkeypatch.setattr("exactchange.task.declared.kind_named", named)
    head = "id: t\ninstruction: Do it.\nsources: {l: {adapter: lines, path: a}}\n"
    (folder / "task.yaml").write_text(f"{head}must: [{{change: {{in: l, at: a.b, to: x}}}}]\n", encoding="utf-8")
    with pytest.raises(TaskError) as caught:
        load_task(folder / "task.yaml")
    assert [said(item) for item in caught.value.problems] == [
        "4:29: in 'l', a text never holds 'b'; a name stands alone"
    ]


def test_every_optional_part_is_on_the_page() -> None:
    names = {part.__name__ for part in (*parts.OF_KINDS, *parts.OF_READERS)}
    table = PAGE.partition("## Optional parts")[2]
    assert names == set(re.findall(r"`([A-Z]\w+)`", "".join(re.findall(r"^\| .*?\|", table, re.MULTILINE))))
