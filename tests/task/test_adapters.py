"""What a task needs of the adapters that are installed."""

import pathlib
from collections.abc import Iterator

import pytest
from tests.task.writing import HEAD, MUST, load, one

from exactchange.errors import UsageError
from exactchange.sources import kind_named, kinds


@pytest.fixture
def install(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    """A folder on the path; what is put there counts as installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    kinds.cache_clear()
    kind_named.cache_clear()
    yield folder
    kinds.cache_clear()
    kind_named.cache_clear()


def offer(folder: pathlib.Path, name: str, value: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[exactchange.adapters]\n{name} = {value}\n")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module_here:KIND", "No module named 'no_such_module_here'"),
        ("half_an_adapter:KIND", "has no attribute 'KIND'"),
        ("half_an_adapter:HALF", "lacks name, params, selector"),
    ],
)
def test_an_adapter_that_cannot_be_used_is_named_where_it_is_asked_for(
    install: pathlib.Path, tmp_path: pathlib.Path, value: str, reason: str
) -> None:
    (install / "half_an_adapter.py").write_text("HALF = object()\n")
    offer(install, "gopher", value)
    said = one(tmp_path, HEAD + "  x: {adapter: gopher}\n" + MUST)
    assert said.startswith("9:16: the adapter 'gopher' cannot be used: ") and reason in said
    assert said.endswith("; see `exactchange doctor`")


def test_an_adapter_of_somebody_else_s_is_checked_by_its_own_models(
    install: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    (install / "gopher_adapter.py").write_text(
        "from pydantic import Field\n"
        "from exactchange.sources import SourceParams, TreeKind\n"
        "class Params(SourceParams):\n"
        "    host: str\n"
        "    port: int = Field(ge=1, le=65535)\n"
        "class Kind(TreeKind):\n"
        "    name = 'gopher'\n"
        "    params = Params\n"
        "KIND = Kind()\n"
    )
    offer(install, "gopher", "gopher_adapter:KIND")
    said = one(tmp_path, HEAD + "  x: {adapter: gopher, hots: a, port: 70}\n" + MUST)
    assert said == "9:24: unknown key 'hots' in a gopher source; did you mean 'host'?"
    said = one(tmp_path, HEAD + "  x: {adapter: gopher, host: a, port: 70000}\n" + MUST)
    assert said == "9:39: `port` is at most 65535, not 70000"
    task = load(tmp_path, HEAD + '  x: {adapter: gopher, host: a, port: "{port}"}\n' + MUST)
    assert getattr(task.sources["x"].params(lambda text: text.replace("{port}", "70")), "port") == 70  # noqa: B009


def test_params_that_the_world_makes_wrong_name_the_source_s_place(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, HEAD + '  x: {adapter: sqlite, path: p, largest: "{port}"}\n' + MUST)
    with pytest.raises(UsageError) as caught:
        task.sources["x"].params(lambda text: text.replace("{port}", "none"))
    where = "task.yaml:9:6: source 'x': "
    assert str(caught.value) == f'{where}`largest` takes a whole number, not the text "none"'


def test_the_texts_of_a_source_are_expanded_however_deep(tmp_path: pathlib.Path) -> None:
    task = load(tmp_path, HEAD + '  x: {adapter: file, path: "{workdir}/{{1}}", only: ["{port}"]}\n' + MUST)
    params = task.sources["x"].params(lambda text: f"<{text}>")
    assert params.only == ("<{port}>",)
    assert getattr(params, "path") == "<{workdir}/{{1}}>"  # noqa: B009
