import pytest

from exactchange.task import Problem, TaskError
from exactchange.task.problem import did_you_mean, nearest, one_of


@pytest.mark.parametrize(
    ("line", "column", "width", "shown", "carets"),
    [
        ("a: chnage", 4, 6, "a: chnage", "   ^^^^^^"),
        ("a:\tx", 4, 1, "a: x", "   ^"),
        ("日本: x", 5, 1, "日本: x", "      ^"),
        ("x: 日本", 4, 2, "x: 日本", "   ^^^^"),
        ("e\u0301: x", 5, 1, "e\u0301: x", "   ^"),
        ("a: \x1b[31mx", 4, 1, "a: \ufffd[31mx", "   ^"),
        ("a: \u202ex", 4, 2, "a: \ufffdx", "   ^^"),
        ("", 1, 1, "", "^"),
        ("x" * 300 + "WRONG" + "y" * 300, 301, 5, "… " + "x" * 50 + "WRONG" + "y" * 45 + " …", " " * 52 + "^^^^^"),
    ],
)
def test_the_carets_stand_under_what_is_wrong(line: str, column: int, width: int, shown: str, carets: str) -> None:
    text = str(Problem("t.yaml:1:1", "wrong", None, line, column, width))
    assert text.split("\n")[1:] == [f"    {shown}", f"    {carets}"]


def test_a_problem_reads_like_a_compiler_s() -> None:
    problem = Problem(
        "task.yaml:17:5", "unknown key 'chnage' in a condition", "did you mean 'change'?", "  - {chnage: 1}", 6, 6
    )
    assert str(problem).split("\n") == [
        "task.yaml:17:5: unknown key 'chnage' in a condition; did you mean 'change'?",
        "      - {chnage: 1}",
        "         ^^^^^^",
    ]


def test_a_problem_without_a_line_is_one_line() -> None:
    assert str(Problem("task.yaml", "there is no such file")) == "task.yaml: there is no such file"


def test_the_error_prints_every_problem_once() -> None:
    first, second = Problem("a.yaml:1:1", "one"), Problem("a.yaml:2:1", "two")
    error = TaskError([first, second, first])
    assert error.problems == (first, second)
    assert str(error) == "a.yaml:1:1: one\na.yaml:2:1: two"
    assert error.exit_code == 2


@pytest.mark.parametrize(
    ("word", "known", "near"),
    [
        ("chnage", ["change", "value"], "change"),
        ("Server", ["server", "sever"], "server"),
        ("Must", ["must", "veto"], "must"),
        ("xyz", ["change", "value"], None),
        ("change", [], None),
    ],
)
def test_only_a_near_word_is_suggested(word: str, known: list[str], near: str | None) -> None:
    assert nearest(word, known) == near
    assert did_you_mean(word, known) == (None if near is None else f"did you mean {near!r}?")


def test_words_are_listed_as_people_list_them() -> None:
    assert [one_of(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a or b", "a, b or c"]
