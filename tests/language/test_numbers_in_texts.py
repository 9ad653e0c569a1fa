"""Rules 23 and 24: `gt`, `ge`, `lt` and `le` compare numbers; of texts, those of a URL that are numbers."""

import pathlib

import pytest
from tests.language.worlds import judged, must, refused, veto

NESTED = ("{gt: 100}", "{not: {le: 100}}", "{one_of: [{ge: 100}, x]}", "{gt: 5, lt: 9}")


@pytest.mark.parametrize("wanted", NESTED)
@pytest.mark.parametrize("tier", ["veto", "must"])
def test_rule_23_a_bound_on_a_source_of_texts_is_refused_since_it_would_see_nothing(
    wanted: str, tier: str, tmp_path: pathlib.Path
) -> None:
    state = {"app.ini": "[s]\nn = 1\n", "cfg.env": "A=1\n", "a.yaml": "x: 1\n"}
    for rule in (
        f"{{change: {{in: app, at: s.n, to: {wanted}}}}}",
        f"{{value: {{in: cfg, at: A, is: {wanted}}}}}",
        f"{{value: {{in: answer, at: '', is: {wanted}}}}}",
    ):
        rules = "must: [{change: {in: a, at: x, to: 2}}]\n" if tier == "veto" else ""
        assert "never" in refused(tmp_path, f"{rules}{tier}: [{rule}]", state), rule


def test_rule_23_a_text_is_no_number_where_a_source_has_numbers_of_its_own(tmp_path: pathlib.Path) -> None:
    rules = "must: [{change: {in: app, at: n, to: {gt: 100}}}]"
    for text, holds in (("200", True), ('"200"', False), ('"200 x"', False)):
        verdict = judged(tmp_path, rules, {"app.yaml": "n: 1\n"}, {"app.yaml": f"n: {text}\n"})
        assert must(verdict).holds is holds


PARTS: list[tuple[str, str, bool | None]] = [
    ("{gt: 100}", "200", True), ("{gt: 100}", "50", False), ("{gt: 100}", "-200", False), ("{ge: 100}", "100", True),
    ("{gt: 100, lt: 300}", "200", True), ("{lt: 100}", "99.5", True), ("{gt: 100}", "abc", False),
    # With anything beside the number nobody can tell: it may be a unit, or what an application leaves out.
    ("{gt: 100}", "200%20x", None), ("{gt: 100}", "2%20h", None), ("{gt: 100}", "$200", None),
    ("{gt: 100}", "200ms", None),
    ("{not: {gt: 100}}", "200x", None), ("{one_of: [{gt: 100}, 200x]}", "200x", True),
    # What is no one number is none.
    ("{gt: 100}", "10.20.30.200", False), ("{gt: 100}", "2026-11-30", False), ("{gt: 100}", "true", False),
    # Two numbers, by where one reads it.
    ("{gt: 100}", "1.234", None), ("{gt: 1}", "1.234", True), ("{gt: 2000}", "1.234", False),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "text", "holds"), PARTS)
def test_rule_24_a_bound_reads_a_parameter_of_a_url_that_is_a_number(
    wanted: str, text: str, holds: bool | None, tmp_path: pathlib.Path
) -> None:
    rule = f"{{value: {{in: app, at: u, is: {{url: {{query: {{n: {wanted}}}}}}}}}}}"
    before, after = {"app.yaml": "{u: 1, m: 1}"}, {"app.yaml": f"{{u: 'http://a.test/?n={text}', m: 2}}"}
    rest = "allow: [{in: app, at: u}]\nmust: [{change: {in: app, at: m}}"
    assert veto(judged(tmp_path, f"{rest}]\nveto: [{rule}]", before, after)).holds is holds
    verdict = judged(tmp_path, f"{rest}, {rule}]", before, after)
    assert (must(verdict, 1).holds, verdict.outcome) == (
        holds,
        {True: "passed", False: "unmet", None: "undecided"}[holds],
    )
