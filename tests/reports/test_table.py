import json
import pathlib

import pytest
from tests.reports.golden import check_golden
from tests.reports.samples import ALL
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


@pytest.mark.parametrize("name", STRINGS)
def test_no_text_of_an_attack_drives_the_terminal_through_a_table(name: str) -> None:
    attack = STRINGS[name]
    verdicts: list[Verdict] = [hostile(attack)]
    for outcome in ("unmet", "undecided"):
        import dataclasses

        verdicts.append(dataclasses.replace(hostile(attack), outcome=outcome))
    text = render_table([*(Entry(attack, verdict) for verdict in verdicts), Entry(attack, None, attack)], width=70)
    for line in text.split("\n"):
        assert line.isprintable() and not line.lstrip().startswith(("::", "##"))
    assert "##vso[" not in text
    assert text.splitlines()[-1].startswith("strict pass rate 0/4")
