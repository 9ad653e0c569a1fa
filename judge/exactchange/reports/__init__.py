"""Reports: verdicts, tables, numbers and diffs as text for people and as JSON documents."""

from exactchange.reports.allow import allow_line
from exactchange.reports.diff_text import diff_json, render_diff, render_stat
from exactchange.reports.entries import Entry, TaskName, exit_code
from exactchange.reports.report import report_json
from exactchange.reports.sanitise import quoted, shown
from exactchange.reports.stored import read_verdict, verdict_of, verdict_schema
from exactchange.reports.summary import Summary, summarise
from exactchange.reports.table import render_table
from exactchange.reports.terminal import render_verdict

__all__ = [
    "Entry",
    "Summary",
    "TaskName",
    "allow_line",
    "diff_json",
    "exit_code",
    "quoted",
    "read_verdict",
    "render_diff",
    "render_stat",
    "render_table",
    "render_verdict",
    "report_json",
    "shown",
    "summarise",
    "verdict_of",
    "verdict_schema",
]
