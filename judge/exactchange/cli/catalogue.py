"""The commands by name: where each lives and what it does in one line, so that help imports none of them."""

from typing import Final

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("exactchange.cli.demo:demo", "The three tasks of the article on a real browser, database and file."),
    "run": ("exactchange.cli.run:run", "Bring a task's world up, let an agent work, judge it."),
    "judge": ("exactchange.cli.judge:judge", "Judge recorded episodes, or two copied directories."),
    "explain": ("exactchange.cli.explain:explain", "Say why a verdict is what it is."),
    "calibrate": (
        "exactchange.cli.calibrate:calibrate",
        "Find what changes when nobody does anything.",
    ),
    "audit": ("exactchange.cli.audit:audit", "Test tasks themselves, with recorded good runs."),
    "diff": ("exactchange.cli.diff:diff", "Compare two files, directories or databases."),
    "sql": ("exactchange.cli.sql:sql", "Say what SQL statements do, without running them."),
    "snapshot": ("exactchange.cli.snapshot:snapshot", "Print the state of a source as a value."),
    "check": ("exactchange.cli.check:check", "Find every mistake in task files."),
    "init": ("exactchange.cli.init:init", "Write a first task to start from."),
    "doctor": ("exactchange.cli.doctor:doctor", "Say what this machine has, what is missing and how to mend it."),
    "adapters": ("exactchange.cli.adapters:adapters", "List the kinds of source, with their parameters."),
    "schema": ("exactchange.cli.schema:schema", "Print the JSON Schema of task files or verdicts."),
    "docs": ("exactchange.cli.docs:docs", "Show a page of the documentation."),
    "serve-stdio": ("exactchange.cli.serve:serve_stdio", "Judge for a runner that speaks on stdin and stdout."),
}
