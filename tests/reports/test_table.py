import dataclasses
import json
import pathlib
import re
from fractions import Fraction

import pytest
from tests.reports.golden import check_golden
from tests.reports.many import long, many, repeats
from tests.reports.samples import ALL, passed
from tests.reports.test_terminal import hostile

from exactchange.reports import Entry, render_table
from exactchange.verdict import Verdict

ATTACK = pathlib.Path(__file__).parents[2] / "fixtures/attacks/23-terminal-and-ci-commands/strings.json"
STRINGS: dict[str, str] = json.loads(ATTACK.read_text(encoding="utf-8"))


def entries() -> list[Entry]:
    return [*(Entry(name, make()) for name, make in ALL.items()), Entry("gone", None, "runs/gone: no such directory")]


@pytest.mark.parametrize("width", [48, 100, 160])
def test_a_table_reads_as_its_golden_file(width: int) -> None:
    check_golden(f"table-{width}.txt", render_table(entries(), width=width))


def test_the_last_line_is_the_strict_pass_rate() -> None:
    text = render_table(entries()[:4])
    assert text.splitlines()[-1].startswith("strict pass rate 1/4 (25 %)")


def test_the_table_names_the_change_and_the_red_line_with_its_step() -> None:
    text = render_table(entries(), width=160)
    assert "~ config server.retries 3 -> 5" in text
    assert "nothing is paid without confirmation: step 6: + db payments[id=1]" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_of_repeats_reads_as_its_golden_file(width: int) -> None:
    check_golden(f"table-many-{width}.txt", render_table(many(), width=width))


def test_of_many_repeats_the_tasks_are_shown_and_the_episodes_on_demand() -> None:
    entries = long(many(), 10)
    check_golden("table-190.txt", render_table(entries, width=100))
    assert "settings-timeout/1-0" in render_table(entries, width=100, full=True)


def test_a_table_with_colour_says_the_same_as_one_without() -> None:
    painted = render_table(many(), width=100, colour=True)
    lines = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", painted).splitlines()]
    assert lines == render_table(many(), width=100).splitlines()


def test_tasks_that_ran_once_are_not_told_of_again() -> None:
    text = render_table([entry for entry in many() if entry.name.endswith("/1")])
    assert "repeats" not in text and "flaky" not in text


def test_an_edited_task_is_warned_of() -> None:
    text = render_table([*repeats("t", passed()), *repeats("t", passed(), hash_="ee" * 32)])
    assert "warning: the task t was edited between these episodes" in text
    text = render_table([*repeats("t", passed(), passed()), *repeats("t", passed(), hash_="ee" * 32)])
    assert "t version aaaaaaaa" in text and "t version eeeeeeee" in text


@pytest.mark.parametrize("name", STRINGS)
def test_no_text_of_an_attack_drives_the_terminal_through_repeats(name: str) -> None:
    attack = STRINGS[name]
    verdict = dataclasses.replace(hostile(attack), outcome="unmet", score=Fraction(0))
    entries = [
        *repeats(f"t {attack}", verdict, verdict, params={attack: attack}),
        *repeats(f"t {attack}", verdict, verdict, hash_="ee" * 32, params={attack: 1}),
        *repeats(f"t {attack}", verdict, hash_="ff" * 32, params={attack: 1}),
    ]
    for width in (44, 100):
        for line in render_table(entries, width=width).split("\n"):
            assert line.isprintable() and not line.lstrip().startswith(("::", "##"))


@pytest.mark.parametrize("name", STRINGS)
def test_no_text_of_an_attack_drives_the_terminal_through_a_table(name: str) -> None:
    attack = STRINGS[name]
    verdicts: list[Verdict] = [hostile(attack)]
    for outcome in ("unmet", "undecided"):
        verdicts.append(dataclasses.replace(hostile(attack), outcome=outcome))
    text = render_table([*(Entry(attack, verdict) for verdict in verdicts), Entry(attack, None, attack)], width=70)
    for line in text.split("\n"):
        assert line.isprintable() and not line.lstrip().startswith(("::", "##"))
    assert "##vso[" not in text
    assert text.splitlines()[-1].startswith("strict pass rate 0/4")
