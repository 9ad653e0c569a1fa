import json
import pathlib
import re
import unicodedata
from collections.abc import Mapping

import pytest
import yaml
from rich.cells import cell_len
from tests.authoring.kit import PLAIN, TABLES, Tree, noise, some_task, toured
from tests.reports.golden import check_golden

from exactchange.address import Style, key
from exactchange.authoring.calibration import Calibration, calibration_json, hides, ignore_line, render_calibration
from exactchange.authoring.noise import propose
from exactchange.authoring.proposal import Proposal, Refused
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import NoSelector, SourceParams, TreeKind
from exactchange.sources.registry import AnyKind
from exactchange.values import Value

ATTACK = pathlib.Path(__file__).parents[2] / "fixtures/attacks/23-terminal-and-ci-commands/strings.json"
STRINGS: dict[str, str] = json.loads(ATTACK.read_text(encoding="utf-8"))
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Files(TreeKind[SourceParams, NoSelector, TreeSnapshot]):
    name = "files"
    style = Style.SLASHED


def state(number: int) -> Tree:
    """A state with noise of every sort, other in every run."""
    session: dict[str, Value] = {"sid": "admin", "last_visit": 1_772_442_000 + number}
    seen: dict[str, Value] = {} if number == 1 else {"seen": "yes"}
    cookie = f"{number}dd0a5c1e{number}"
    login: dict[str, Value] = {"cookie": cookie, "name": "admin", "ip": "127.0.0.1"}
    words = ("constraints", "href", "tickets", "time")
    tags: dict[str, Value] = {f"name=query_{word}": {"name": f"query_{word}", "n": number} for word in words if number}
    return {
        "auth_cookie": {f'cookie={cookie},name=admin,ip="127.0.0.1"': login} if number else {},
        "session": {"sid=admin": {**session, **seen}},
        "tag": tags,
        **({"made": {"at": number, "by": "the application", "for": "you"}} if number else {}),
    }


def found(*, refused: bool = False, quiet: bool = False) -> Calibration:
    tours = toured(some_task(), state(0), [state(1), state(2)], kind=TABLES)
    proposal = Proposal(()) if quiet else propose(tours, styles={"s": TABLES.style}, refuse=lambda _: None)
    if refused:
        rules, said = proposal.rules, "the veto at shared.yaml:7:5 speaks of it: nobody logs in"
        proposal = Proposal(rules[1:], (Refused(rules[0], said),))
    return Calibration("trac-look", tours, proposal, "shared.yaml")


@pytest.mark.parametrize("width", [80, 100])
def test_a_calibration_reads_as_its_golden_file(width: int) -> None:
    check_golden(f"calibrate-noise-{width}.txt", render_calibration(found(), width=width))


def test_what_is_no_noise_and_what_is_quiet_read_as_their_golden_files() -> None:
    check_golden("calibrate-refused.txt", render_calibration(found(refused=True)))
    check_golden("calibrate-quiet.txt", render_calibration(found(quiet=True)))


def test_colour_never_carries_meaning_alone() -> None:
    painted = render_calibration(found(refused=True), colour=True)
    assert COLOUR.sub("", painted) == render_calibration(found(refused=True))


def rules_of(text: str) -> list[Mapping[str, str]]:
    document: dict[str, list[dict[str, str]]] = yaml.safe_load(text)
    assert list(document) == ["ignore"]
    rules = document["ignore"]
    return [{**rule, "at": rule["at"].replace("{{", "{").replace("}}", "}")} for rule in rules]


@pytest.mark.parametrize("name", STRINGS)
def test_all_of_it_is_yaml_with_the_rules_in_it_whatever_an_application_writes(name: str) -> None:
    text = STRINGS[name]
    after: Tree = {key(text): {key(text): text, "b": 1, "c": 2}, "t": {key(text): text}, key(f"{text}\u2028x: y"): text}
    proposal = noise({"t": {}}, after, after)
    printed = render_calibration(Calibration(text, (), proposal, text), width=60)
    assert [(rule["at"], rule["op"]) for rule in rules_of(printed)] == [(r.at, r.example.op) for r in proposal.rules]
    assert not [char for char in printed if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl") and char != "\n"]
    assert "##" not in printed


def test_lines_keep_to_the_width_but_for_what_is_to_be_pasted() -> None:
    for width in (44, 80, 100):
        for line in render_calibration(found(refused=True), width=width).split("\n"):
            assert cell_len(line) <= width or line.startswith("  - {in: "), line


def stored(*themes: str) -> Tree:
    return {"local": {f"http://127.0.0.1:{port}": {"theme": theme} for port, theme in enumerate(themes, start=8080)}}


HIDDEN: list[tuple[AnyKind, Tree, list[Tree], str]] = [
    (
        TABLES,
        {"t": {}},
        [{"t": {f"id={n}": {"id": n}}} for n in (71, 83)],
        "any item added to t, or anything added in one",
    ),
    (
        PLAIN,
        {"local": {}},
        [stored("day"), {"local": {"http://127.0.0.1:9": {"theme": "day"}}}],
        "theme added to anything of local, or anything added in one",
    ),
    (Files(), {}, [{f"tmp/x/{n}.pid": 1} for n in (71, 83)], "any file tmp/x/*.pid added, or anything added in one"),
    (
        Files(),
        {"a.json": {"k": {}}},
        [{"a.json": {"k": {f"id-{n}": 1}}} for n in (71, 83)],
        "anything added to a.json.k named id-*, or anything added in one",
    ),
    (PLAIN, {"a": {}}, [{"a": {"made": {"x": 1, "y": 2}}}] * 2, "anything added to a.made"),
]


@pytest.mark.parametrize(("kind", "before", "afters", "wanted"), HIDDEN)
def test_what_a_wide_rule_hides_is_said(kind: AnyKind, before: Tree, afters: list[Tree], wanted: str) -> None:
    (rule,) = noise(before, *afters, kind=kind).rules
    assert hides(rule) == wanted


def test_a_line_of_a_page_or_more_is_left_to_the_document() -> None:
    after: Tree = {"k" * 5_000: 1}
    found_ = Calibration("t", (), noise({}, after, after), "t.yaml")
    assert "its address has 5,000 characters: --json has the line" in render_calibration(found_)
    assert str(calibration_json(found_)["rules"]).count("k" * 5_000) > 0


def test_an_exact_rule_hides_nothing_else() -> None:
    (rule,) = noise({"a": 1}, {"a": 2}, {"a": 3}).rules
    assert (hides(rule), ignore_line(rule)) == ("", "- {in: s, at: a, op: modified}")


def test_the_document_says_what_was_left_and_whether_all_was_read() -> None:
    document = calibration_json(found(refused=True))
    assert (document["schema"], document["quiet"], document["complete"]) == ("exactchange/calibrate/1", False, True)
    assert [len(document[name]) for name in ("rules", "not_noise", "unread")] == [4, 1, 0]  # type: ignore[arg-type]
    assert calibration_json(found(quiet=True))["quiet"] is True
