"""Mistakes and warnings of task files as lines: the place, what is wrong, the very words, a remedy, an explanation."""

from collections.abc import Collection, Sequence

from exactchange.reports.lines import Line, Span, Style, folded, line
from exactchange.reports.sanitise import shown
from exactchange.task.problem import Problem, window


def problem_lines(problem: Problem, *, width: int) -> list[Line]:
    """One problem. Its first line begins with `file:line:column: error:`, as editors and CI know it from compilers."""
    word, style = _word(problem)
    where = Span(f"{shown(problem.where)}:", "bold")
    out = [line(where, " ", Span(f"{word}:", style), " ", Span(shown(problem.message), "bold"))]
    number = problem.where.rsplit(":", 2)[-2] if problem.line_text is not None else ""
    gutter = " " * (len(number) + 2)
    hint = "" if problem.suggestion is None else shown(problem.suggestion)
    if problem.line_text is not None:
        text, pad, marked = window(problem.line_text, problem.column, problem.width)
        out.append(line(Span(f" {number} | ", "dim"), shown(text)))
        room = width - len(gutter) - 2 - pad - marked - 1
        beside = hint if len(hint) <= room else ""
        carets: list[str | Span] = [Span(f"{gutter}| ", "dim"), " " * pad, Span("^" * marked, style)]
        out.append(line(*carets, Span(f" {beside}", "good")) if beside else line(*carets))
        hint = "" if beside else hint
    lead = f"{gutter}= "
    for number_of, part in enumerate(folded(hint, cells=width - len(lead), lead="", more="") if hint else ()):
        out.append(line(Span(lead if not number_of else " " * len(lead), "dim"), Span(part, "good")))
    if problem.see is not None:
        out.append(line(Span(f"{lead}see {problem.see}", "dim")))
    return out


def listed(problems: Sequence[Problem], *, width: int, known: Collection[object] = ()) -> list[Line]:
    """Problems with a blank line behind each; those that are `known` already are left out."""
    out: list[Line] = []
    for problem in problems:
        if problem not in known:
            out += [*problem_lines(problem, width=width), ()]
    return out


def _word(problem: Problem) -> tuple[str, Style]:
    return ("warning", "warn") if problem.kind else ("error", "bad")
