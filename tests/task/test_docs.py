"""Every example of docs/task-language.md is loaded."""

import pathlib
import re
import textwrap

import pytest
import yaml
from tests.judging.kit import case, database
from tests.task.writing import said

from exactchange.conditions.matchers.parse import PARSERS, parse_matcher
from exactchange.judging import judge
from exactchange.reports.lines import render
from exactchange.reports.problems import problem_lines
from exactchange.task import TaskError, load_task
from exactchange.task.reading import KEYS
from exactchange.task.yaml12 import read_document

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "task-language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
(CODE,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
WHOLE = [block for block in BLOCKS if block.startswith("id: ") and "five-mistakes" not in block]
PARTS = [block for block in BLOCKS if not block.startswith(("id: ", "# "))]
HEAD = """\
id: example
instruction: Do it.
sources:
  config: {adapter: file, path: "{workdir}/settings.yaml"}
  db: {adapter: sqlite, path: "{workdir}/app.db"}
  page: {adapter: browser, start: "http://127.0.0.1:{port}/"}
  files: {adapter: tree, path: "{workdir}"}
"""


def write(folder: pathlib.Path, text: str) -> pathlib.Path:
    shop = next(block for block in BLOCKS if block.startswith("# shop.yaml"))
    (folder / "shop.yaml").write_text(shop, encoding="utf-8")
    (folder / "checks.py").write_text(CODE, encoding="utf-8")
    file = folder / "task.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("block", WHOLE, ids=lambda block: block.split("\n")[0])
def test_a_whole_example_loads_without_a_warning(tmp_path: pathlib.Path, block: str) -> None:
    assert load_task(write(tmp_path, block)).warnings == ()


@pytest.mark.parametrize("block", PARTS, ids=lambda block: block.split(":")[0])
def test_a_part_of_a_task_loads_where_it_belongs(tmp_path: pathlib.Path, block: str) -> None:
    must = "" if "must:" in block else "must: [{change: {in: config, at: server.timeout, to: 30}}]\n"
    assert load_task(write(tmp_path, HEAD + block + must), trust="python:" in block).warnings == ()


def test_there_are_as_many_examples_as_were_looked_at() -> None:
    assert (len(WHOLE), len(PARTS), len(BLOCKS)) == (3, 10, 16)


@pytest.mark.parametrize(
    ("flight", "outcome", "why"),
    [
        ("XC 204", "passed", "nothing is cheaper than 90 (a guard: it held from the start)"),
        ("XC 7", "unmet", "XC 7 costs 120, and there was one for 90"),
    ],
)
def test_the_function_of_the_page_judges_as_the_page_says(
    flight: str, outcome: str, why: str, tmp_path: pathlib.Path
) -> None:
    block = next(block for block in PARTS if "checks.py:cheapest" in block)
    task = load_task(write(tmp_path, re.sub("(?m)^  (?:config|page|files).*\n", "", HEAD) + block), trust=True)
    offers = "CREATE TABLE offers(flight, price); INSERT INTO offers VALUES('XC 204', 90), ('XC 7', 120);"
    scripts = [offers + "CREATE TABLE bookings(id INTEGER PRIMARY KEY, flight)"]
    run = case(database("db", tmp_path, [*scripts, f"INSERT INTO bookings(flight) VALUES('{flight}')"]))
    verdict = judge(task, run)
    assert (verdict.outcome, verdict.findings[1].why) == (outcome, why)


def test_the_mistakes_of_the_page_are_named_as_the_page_says(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, next(block for block in BLOCKS if "five-mistakes" in block))
    with pytest.raises(TaskError) as caught:
        load_task("task.yaml")
    assert len(caught.value.problems) == 5
    shown = re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    assert render(problem_lines(caught.value.problems[0], width=100), colour=False) == shown[1]
    assert all(re.match(r"\d+:\d+: ", said(problem)) for problem in caught.value.problems)


def test_the_table_of_keys_names_them_all() -> None:
    table = PAGE.partition("| key | what stands there |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.split("\n")[2:]))) == set(KEYS)


def test_the_table_of_matchers_names_them_all_and_each_is_one() -> None:
    table = PAGE.partition("| matcher | fits |")[2].partition("\n\n")[0]
    written = [found for line in table.split("\n")[2:] for found in re.findall(r"`([^`]+)`", line.split("|")[1])]
    named: set[str] = set()
    for text in written:
        body = f"{{{text}: 1}}" if text in PARSERS else text if text == "within_episode" else f"{{{text}}}"
        document, problems = read_document(f"is: {body}".encode(), name="t", shown="t")
        assert problems == [] and isinstance(document.data, dict)
        parse_matcher(document.data["is"])
        named |= {key for key in yaml.safe_load(textwrap.dedent(body))} if body.startswith("{") else set()
    assert named - {"within", "unit"} == set(PARSERS)
