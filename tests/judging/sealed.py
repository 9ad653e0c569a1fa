"""Judges a large case, full of text that looks like code, in a process that reports whatever it does to the world.

`main` prints the outcome of the verdict, then each event of the interpreter that does more than look at values.
"""

import json
import os
import pathlib
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from typing import Final

CODE: Final = [
    "__import__('os').system('touch {folder}/harm')", "{{7*7}}", "${jndi:ldap://127.0.0.1/a}",
    "'; DROP TABLE items; --",
    "!!python/object/apply:os.system ['touch {folder}/harm']", "$(touch {folder}/harm)", "`touch {folder}/harm`",
    "(a+)+$", "file:///etc/hostname", "http://127.0.0.1:9/", "../../../harm", "<script>alert(1)</script>", "%s%n", "**",
]  # fmt: skip
"""What an agent might write where values stand, and a task's author where texts do."""
RULES: Final = r"""
id: sealed
instruction: INSTRUCTION
params: {word: WORD, n: 3}
sources:
  cfg:   {adapter: file, path: "{workdir}/settings.yaml"}
  db:    {adapter: sqlite, path: "{workdir}/app.db"}
  files: {adapter: tree, path: "{workdir}/tree"}
given:
  - {value: {in: db, query: "SELECT count(*) FROM items WHERE note = :word", is: {ge: 0}}}
veto:
  - {change: {in: db, op: removed, unless_after: {action: {kind: reply, text: {mentions: "{word}"}}}}}
  - {action: {tool: "{word}", args: {a: "{word}"}}}
  - {value: {in: cfg, at: "**", is: {matches: "{word}(b+)+"}, pick: any, when: ever}}
  - {order: [{action: {kind: reply}}, {change: {in: cfg, at: "*.*"}}]}
  - {value: {in: db, query: "SELECT count(*) FROM items WHERE instr(note, :word) > 900", is: {ge: 1}, when: ever}}
must:
  - change:
      in: cfg
      at: "words.*"
      to: {one_of: [{contains: a}, {text: b}, {mentions: "7"}, {not: {url: {path: /}}}]}
      count: {ge: 1}
  - {change: {in: db, table: items, where: {id: 1}, column: note, to: {not: {json: {has: {a: 1}}}}}}
  - {change: {in: db, at: "items[*]", op: added, row: {id: {generated: next}, note: {type: str}}, rest: any, count: 2}}
  - {change: {in: db, table: items, where: {id: 2}, column: note, to: {same: other}}}
  - any:
      - {change: {in: files, at: "**/*.txt", op: added, count: {ge: 1}}}
      - {value: {in: answer, at: "", is: {time: "2026-11-30T09:00:00Z"}}}
  - {value: {in: actions, at: "[*].kind", is: {type: str}, pick: every}}
bonus:
  - {effort: {steps: 99, corrections: 99, redundant: 99}}
  - {value: {in: answer, at: "", is: {number: 3, within: 1, unit: "{word}"}}}
allow:
  - {in: db, at: "items[*].note", to: {not: {has: {a: {items: [1, {generated: uuid}]}}}}}
  - {in: files, at: "**", op: modified}
ignore:
  - {in: files, at: "**", op: modified, to: {matches: ".*x.*"}}
"""
QUIET: Final = frozenset({"array.__new__", "builtins.id", "marshal.dumps", "object.__getattr__", "sys._getframe"})
"""Events that look at values alone."""
WRITES: Final = "def check(case):\n    open('written', 'w').close()\n    return case.answer is not None\n"
"""What a task's own function may do where it is trusted, and nothing else may."""


def world(folder: pathlib.Path, size: int) -> tuple[pathlib.Path, pathlib.Path]:
    """Two copies of a work directory, `size` items each, whose values look like code."""
    texts = [item.replace("{folder}", str(folder)) for item in CODE]
    copies = (folder / "before", folder / "after")
    for number, copy in enumerate(copies):
        (copy / "tree").mkdir(parents=True)
        words = {f"k{n}": f"{texts[n % len(texts)]}{number if n % 3 == 0 else ''}" for n in range(size)}
        (copy / "settings.yaml").write_text(json.dumps({"words": words}), encoding="utf-8")
        for n in range(size // 10 + number):
            (copy / "tree" / f"file{n}.txt").write_text(texts[n % len(texts)] + str(number), encoding="utf-8")
        with sqlite3.connect(copy / "app.db") as connection:
            connection.execute("CREATE TABLE items(id INTEGER PRIMARY KEY, note TEXT)")
            rows = [(n, texts[n % len(texts)] + (str(number) if n < 9 else "")) for n in range(1, size + 2 * number)]
            connection.executemany("INSERT INTO items VALUES(?, ?)", rows)
        connection.close()
    lines = [
        json.dumps({"kind": "click" if n % 2 else "tool", "tool": texts[n % len(texts)]}) for n in range(size // 10)
    ]
    (folder / "actions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return copies


def judging(folder: pathlib.Path, size: int, *, trust: bool) -> Callable[[], str]:
    """What judges such a world, as far as everything is read."""
    from exactchange import judge, load_task
    from exactchange.episode import case_from_directories
    from exactchange.judging import vetoed_so_far
    from exactchange.verdict import verdict_json

    before, after = world(folder, size)
    word = json.dumps(CODE[0].replace("{folder}", str(folder))).replace("{", "{{").replace("}", "}}")
    text = RULES.replace("INSTRUCTION", json.dumps(CODE[4].replace("{folder}", "x"))).replace("WORD", word)
    if trust:
        (folder / "checks.py").write_text(WRITES, encoding="utf-8")
        text = text.replace("must:", "must:\n  - {python: 'checks.py:check'}")
    (folder / "task.yaml").write_text(text, encoding="utf-8")
    loaded = load_task(folder / "task.yaml", trust=trust)
    case = case_from_directories(loaded, before, after, actions=folder / "actions.jsonl", answer=CODE[1])

    def verdict() -> str:
        load_task(
            folder / "task.yaml", trust=trust
        )  # a task is judged by what it says: loading it runs nothing, either
        vetoed_so_far(loaded, case)
        found = verdict_json(judge(loaded, case))
        return f"{found['outcome']} {json.dumps(found, sort_keys=True).count('holds')}"

    return verdict


def watch(folder: pathlib.Path, harm: list[str]) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that notes every event but the reading of the task's own file, and of the judge's own copies."""
    task, copies = str(folder / "task.yaml"), str(pathlib.Path(tempfile.gettempdir(), "exactchange-sqlite-"))
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def hook(event: str, args: tuple[object, ...]) -> None:
        reads = event == "open" and (
            (args[0] == task and args[1] in ("r", "rb"))
            or (str(args[0]).startswith(copies) and isinstance(args[2], int) and not args[2] & writing)
        )
        if event not in QUIET and not reads:
            harm.append(f"{event} {str(args)[:200]}")

    return hook


def main(folder: str, *, trust: bool = False) -> None:
    """`folder`: where the worlds are made. `trust`: judge by a function of the task's as well."""
    home = pathlib.Path(folder)
    judging(home / "warm", 20, trust=trust)()  # what is imported on first use is imported now
    verdict = judging(home / "large", 2000, trust=trust)
    harm: list[str] = []
    sys.addaudithook(watch(home / "large", harm))
    said = verdict()
    seen = sorted(set(harm))
    sys.stdout.write("\n".join([said, *seen]))
