"""What a task says of noise on pages: rules that are off, on, and its own; what is no rule is refused."""

import pathlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest
from tests.adapters.browser.test_noise_rules import page
from tests.language.pages import case_of

from exactchange.judging import judge
from exactchange.task import Task, TaskError, load_task
from exactchange.task.yaml12 import read_document
from exactchange_adapters.browser.noise_like import SHAPES
from exactchange_adapters.browser.noise_params import RULES, NoiseParams
from exactchange_adapters.browser.params import BrowserParams


def task_of(folder: pathlib.Path, noise: str) -> Task:
    """A task that is met by a title, on a page of which nothing else in its text may change."""
    said = f"noise: {noise}, " if noise else ""
    page_ = f'{{adapter: browser, {said}start: "http://127.0.0.1:{{port}}/", closed: [text]}}'
    rules = "must: [{value: {in: page, at: '@title', is: Done}}]"
    (folder / "t.yaml").write_text(
        f"id: t\ninstruction: Do it.\nsources: {{page: {page_}}}\n{rules}\n", encoding="utf-8"
    )
    return load_task(folder / "t.yaml")


def judged_by(task: Task, before: str, after: str) -> tuple[str, list[str], list[str]]:
    """The outcome of a run that meets it, what is left over, and by which rules what is ignored."""
    pages = [page({"@text": [before], "@title": ""}), page({"@text": [after], "@title": "Done"}, after_s=60, step=1)]
    params = task.sources["page"].params(lambda text: text)
    assert isinstance(params, BrowserParams)
    case = case_of(pages, closed=["text"])
    case = replace(case, sources={"page": replace(case.sources["page"], params=params)})
    verdict = judge(task, case)
    return verdict.outcome, [c.address for c in verdict.unexplained], [item.where for item in verdict.ignored]


AGO = ("5 minutes ago", "6 minutes ago")
WHOLE: list[tuple[str, tuple[str, str], tuple[str, list[str], list[str]]]] = [
    ("{}", AGO, ("passed", [], ["noise rule relative-time"])),
    ("'off'", AGO, ("unmet", ["@text[0]"], [])),
    ("off", AGO, ("unmet", ["@text[0]"], [])),
    ("{off: [relative-time]}", AGO, ("unmet", ["@text[0]"], [])),
    ("{}", ("5 minutes ago", "6 minutes ago, paid"), ("unmet", ["@text[0]"], [])),
    ("{}", ("Inbox (3)", "Inbox (4)"), ("unmet", ["@text[0]"], [])),
    ("{on: [counter]}", ("Inbox (3)", "Inbox (4)"), ("passed", [], ["noise rule counter"])),
    (
        "{add: [{at: '@text', like: 'Build <hex>'}]}",
        ("Build a1", "Build b2"),
        ("passed", [], ['noise rule "Build <hex>"']),
    ),
]


@pytest.mark.parametrize(("noise", "texts", "wanted"), WHOLE)
def test_a_task_turns_rules_off_and_on_and_adds_its_own(
    noise: str, texts: tuple[str, str], wanted: tuple[str, list[str], list[str]], tmp_path: pathlib.Path
) -> None:
    assert judged_by(task_of(tmp_path, noise), *texts) == wanted


WRONG: list[tuple[str, str]] = [
    ("{off: [relative-tme]}", "did you mean 'relative-time'?"),
    ("{on: [countr]}", "did you mean 'counter'?"),
    ("{of: [counter]}", "did you mean 'off'?"),
    ("of", "did you mean 'off'?"),
    ("{add: [{at: '@text', lik: x}]}", "did you mean 'like'?"),
    ("{add: [{at: '@text', like: x}]}", "nothing that may differ"),
    ("{add: [{at: '@text', like: 'x <digts>'}]}", "knows no part <digts>"),
    ("{add: [{at: '@text', like: 'a < b'}]}", "write `<<`"),
    ("{add: [{at: '@text[', like: '<digits>'}]}", "not an address"),
]


@pytest.mark.parametrize(("noise", "said"), WRONG)
def test_what_is_no_rule_is_refused_with_a_suggestion(noise: str, said: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(TaskError) as caught:
        task_of(tmp_path, noise)
    assert said in str(caught.value)


def test_what_is_said_of_noise_is_part_of_the_tasks_hash(tmp_path: pathlib.Path) -> None:
    assert len({task_of(tmp_path, noise).hash for noise in ("", "off", "{on: [counter]}")}) == 3


PAGE = (pathlib.Path(__file__).parents[3] / "docs/browser.md").read_text(encoding="utf-8").partition("## Noise")[2]


def test_the_page_on_pages_names_every_rule_and_whether_it_is_on_and_every_part_of_a_shape() -> None:
    rows = re.findall(r"^\| (`[^|]*) \| (on|off) \|", PAGE, re.MULTILINE)
    told = {name: usual == "on" for names, usual in rows for name in re.findall(r"`([^`]*)`", names)}
    assert told == {rule.name: rule.usual for rule in RULES}
    assert [name for name in SHAPES if f"`<{name}>`" not in PAGE] == []
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE.partition("\n## ")[0], re.DOTALL)
    document, wrong = read_document(text.encode(), name="page", shown="page")
    assert wrong == []
    example = cast("Mapping[str, Mapping[str, object]]", document.data)["sources"]["page"]
    said = BrowserParams.model_validate(example).noise
    assert isinstance(said, NoiseParams)
    assert (said.off, said.on, len(said.add)) == (("relative-time",), ("counter", "polling-request"), 1)
