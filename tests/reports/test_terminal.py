import dataclasses
import json
import pathlib
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from tests.reports.golden import check_golden
from tests.reports.samples import ALL, changed, unmet

from exactchange.reports import Entry, render_table, render_verdict
from exactchange.reports.findings import evidence_text
from exactchange.snapshot import Unread
from exactchange.values import Value
from exactchange.verdict import Finding, Freed, NearMiss, Settled, Verdict, Warned

ATTACK = pathlib.Path(__file__).parents[2] / "fixtures/attacks/23-terminal-and-ci-commands/strings.json"
STRINGS: dict[str, str] = json.loads(ATTACK.read_text(encoding="utf-8"))
OUTCOMES = ("PASSED", "UNMET", "VETOED", "UNDECIDED", "NO VERDICT")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
OURS = re.compile(
    r"(task |  [A-Z]|  signs: |  [-+~>?] |      (\||value:|reason:|why:|before:|after:|seen:|near:|if that|and \d)"
    r"|      likely cause: "
    r"|        - \{in: "
    r"|  [✓✗?-] (given|veto|must|bonus) |  freed: |  warning: |  and \d|    \| |everything else|looked at|next: "
    r"|PASSED|UNMET|VETOED|UNDECIDED|NO VERDICT|$)"
)


@pytest.mark.parametrize("width", [48, 100])
@pytest.mark.parametrize("name", ALL)
def test_a_verdict_reads_as_its_golden_file(name: str, width: int) -> None:
    text = render_verdict(ALL[name](), width=width, seconds=1.24, next_step="exactchange explain runs/1")
    check_golden(f"verdict-{name}-{width}.txt", text)


def test_a_verdict_in_full_and_in_colour_reads_as_its_golden_file() -> None:
    check_golden("verdict-unmet-full.ansi", render_verdict(unmet(), width=100, colour=True, full=True))


@pytest.mark.parametrize("name", ALL)
def test_colour_never_carries_meaning_alone(name: str) -> None:
    painted = render_verdict(ALL[name](), colour=True)
    plain = render_verdict(ALL[name](), colour=False)
    assert "\x1b" not in plain
    assert [line.rstrip() for line in COLOUR.sub("", painted).split("\n")] == plain.split("\n")


def hostile(text: str) -> Verdict:
    """A verdict in which this text stands wherever judged text can stand."""
    value: dict[str, Value] = {text: [text, {text: text}]}
    change = dataclasses.replace(changed(text, "modified", text, text, value, path=(text,)), likely_cause=text)
    shown: dict[str, Value] = {
        "kind": "change",
        "step": 1,
        "source": text,
        "op": "modified",
        "address": text,
        "before": text,
    }
    finding = Finding(
        "veto",
        text,
        text,
        True,
        text,
        evidence=(
            shown,
            {"kind": text, text: text},
            {"kind": "request", "url": text},
            {"kind": "sql", "sql": text, "effects": [text], "why": text, "reported_by": text},
        ),
        explains=(change,),
        near=(NearMiss(change, text, text),),
    )
    return Verdict(
        task=text,
        outcome="vetoed",
        score=None,
        findings=(finding, dataclasses.replace(finding, tier="must"), dataclasses.replace(finding, tier="bonus")),
        unexplained=(change, changed(text, "added", text, after=text, path=(text,))),
        allowed=(Settled(change, text),),
        ignored=(Settled(changed(text, "removed", text, before=text, path=(text,)), text),),
        freed=(Freed(text, text, text),),
        unread=((text, Unread((text,), text, text)),),
        scope=(text, text),
        warnings=(Warned(text, text),),
    )


def check_printable(text: str) -> None:
    for line in text.split("\n"):
        assert line.isprintable(), line
        assert not line.lstrip().startswith(("::", "##"))
    assert "##vso[" not in text


def check_harmless(text: str) -> None:
    check_printable(text)
    lines = text.split("\n")
    assert lines[-1] == ""
    for line in lines[:-1]:
        assert OURS.match(line), line
    assert [number for number, line in enumerate(lines) if line.startswith(OUTCOMES)] == [len(lines) - 2]


@pytest.mark.parametrize("width", [40, 100])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", STRINGS)
def test_no_text_of_an_attack_drives_the_terminal_or_begins_a_line(name: str, full: bool, width: int) -> None:
    check_harmless(render_verdict(hostile(STRINGS[name]), width=width, full=full, next_step=STRINGS[name]))


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=60), st.integers(40, 120))
def test_no_text_at_all_drives_the_terminal_or_begins_a_line(text: str, width: int) -> None:
    check_harmless(render_verdict(hostile(text), width=width))


@pytest.mark.parametrize("text", ["PASSED   score 100 · bonus 2/2", "x\nPASSED   score 100", " " * 90 + "PASSED"])
def test_only_the_last_line_begins_with_an_outcome(text: str) -> None:
    check_harmless(render_verdict(hostile(text), width=60))


@pytest.mark.parametrize("width", [44, 60, 100, 160])
@pytest.mark.parametrize("name", ALL)
def test_lines_keep_to_the_width_but_for_what_is_to_be_pasted(name: str, width: int) -> None:
    for line in render_verdict(ALL[name](), width=width).split("\n"):
        assert cell_len(line) <= width or "- {in: " in line, line


def test_wide_characters_keep_the_columns() -> None:
    verdict = dataclasses.replace(
        unmet(),
        unexplained=(
            changed("config", "modified", "名前", "東京", "大阪"),
            changed("config", "modified", "n", "a", "b"),
        ),
    )
    check_golden("verdict-wide-characters.txt", render_verdict(verdict, width=80))


def test_right_to_left_values_stand_on_lines_of_their_own() -> None:
    verdict = dataclasses.replace(unmet(), unexplained=(changed("config", "modified", "name", "שלום", "עולם"),))
    text = render_verdict(verdict, width=100)
    assert '      before: "שלום"\n      after:  "עולם"\n' in text
    check_golden("verdict-right-to-left.txt", text)


def test_very_long_values_and_addresses_are_cut_and_their_length_is_said() -> None:
    long = changed("config", "modified", "k" * 300, "a" * 9_999, "b" * 10_000, path=("k" * 300,))
    text = render_verdict(dataclasses.replace(unmet(), unexplained=(long,)), width=100)
    assert "(9,999 characters)" in text and "(10,000 characters)" in text and "(300 characters)" in text
    check_golden("verdict-long.txt", text)


def test_many_changes_are_capped_and_counted_unless_all_are_asked_for() -> None:
    many = tuple(changed("config", "modified", f"k{number}", 1, 2) for number in range(500))
    verdict = dataclasses.replace(unmet(), unexplained=many)
    assert "and 462 more changes" in render_verdict(verdict)
    assert "more changes" not in render_verdict(verdict, full=True)


def test_a_change_at_fault_carries_its_ready_allow_line_unless_a_must_speaks_of_its_place() -> None:
    line = "- {in: config, at: server.retries, op: modified}"
    assert line in render_verdict(ALL["unmet"](), width=100)
    text = render_verdict(ALL["near"](), width=100)
    assert "add to allow" not in text
    assert 'near: config server.timeout: wanted to 30 (int), got "30" (str)' in text
    asked = render_verdict(ALL["unmet"](), width=100, asked=lambda change: f"a must is at {change.address}")
    assert "add to allow" not in asked
    assert "no line may allow it: a must is at server.retries" in asked


def test_a_run_that_changed_a_million_things_is_shown_at_once() -> None:
    one = changed("config", "modified", "k", "a" * 1_000_000, "a" * 999_999 + "b")
    verdict = dataclasses.replace(unmet(), unexplained=(one,) * 1_000_000)
    begun = time.process_time()
    text = render_verdict(verdict)
    table = render_table([Entry("x", verdict)])
    assert "and 999,962 more changes" in text and "and 999,998 more" in table
    assert time.process_time() - begun < 10  # it takes under one second; building every row took minutes


def test_a_statement_is_shown_with_what_it_does_and_why() -> None:
    told: dict[str, Value] = {"kind": "sql", "step": 3, "sql": "DELETE FROM t", "effects": ["delete"]}
    line = evidence_text({**told, "why": "nothing restricts the rows of t", "reported_by": "agent"})
    assert line == "step 3: sql DELETE FROM t: delete (nothing restricts the rows of t) (reported by the agent)"
    bare = evidence_text({"kind": "sql", "step": 3, "reported_by": "runner", "args": {"text": None}})
    assert bare == 'step 3: sql reported_by: "runner", args: {text: null}'
