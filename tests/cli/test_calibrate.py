import json
import pathlib
import sqlite3

import pytest
import yaml
from tests.cli.conftest import Command

TASK = """\
id: tour
instruction: Set the mark.
use: [shared.yaml]
must:
  - {name: the mark is set, change: {in: config, at: mark, to: true}}
"""
SHARED = """\
app: {seed: seed}
sources:
  config: {adapter: file, path: "{workdir}/settings.json"}
  db: {adapter: sqlite, path: "{workdir}/app.db"}
  files: {adapter: tree, path: "{workdir}"}
"""
TOUR = """\
import json, os, pathlib, secrets, sqlite3, sys
work = pathlib.Path(os.environ["EXACTCHANGE_WORKDIR"])
settings = json.loads((work / "settings.json").read_text())
settings |= {"seen": secrets.token_hex(4), "last": {"page": "wiki", "at": 5}}
settings.update(json.loads(sys.argv[1]) if sys.argv[1:] else {})
(work / "settings.json").write_text(json.dumps(settings))
(work / "cache").mkdir()
(work / "cache" / f"page-{secrets.token_hex(8)}.tmp").write_text("one line")
with sqlite3.connect(work / "app.db") as connection:
    row = (secrets.token_hex(16) + "a1", "admin")
    connection.execute("insert into session values (?, ?)", row)
    connection.executemany("insert into tag values (?, ?)", [("tag_a", 1), ("tag_b", 2), ("tag_c", 3)])
"""


@pytest.fixture
def task(tmp_path: pathlib.Path) -> pathlib.Path:
    """A task, and a tour of it that leaves noise of every sort."""
    (tmp_path / "task.yaml").write_text(TASK)
    (tmp_path / "shared.yaml").write_text(SHARED)
    (tmp_path / "tour.py").write_text(TOUR)
    (tmp_path / "seed").mkdir()
    (tmp_path / "seed" / "settings.json").write_text(json.dumps({"mark": False, "seen": ""}))
    with sqlite3.connect(tmp_path / "seed" / "app.db") as connection:
        connection.execute("create table session (cookie text, name text, primary key (cookie, name))")
        connection.execute("create table tag (name text primary key, n int)")
    connection.close()
    return tmp_path / "task.yaml"


def agent(task: pathlib.Path, *words: str) -> str:
    return " ".join(["{python}", str(task.with_name("tour.py")), *words])


def test_what_is_pasted_makes_the_tour_quiet_and_takes_no_more_than_it_says(
    task: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("calibrate", task, "--agent", agent(task))
    assert said.code == 1, said.err
    assert [(item["in"], item["at"], item["op"]) for item in yaml.safe_load(said.out)["ignore"]] == [
        ("config", "last", "added"),
        ("config", "seen", "modified"),
        ("db", "session[name=admin]", "added"),
        ("db", "tag[name=tag_*]", "added"),
        ("files", "cache/page-*.tmp", "added"),
    ]
    assert "Add what is noise to `ignore:` in shared.yaml" in said.out.replace("\n#   ", " ")
    task.with_name("noise.yaml").write_text(said.out)
    task.write_text(TASK.replace("[shared.yaml]", "[shared.yaml, noise.yaml]"))
    again = exactchange("calibrate", task, "--agent", agent(task), "--runs", "3")
    assert (again.code, again.out.splitlines()[-1]) == (0, "# nothing is left: the tour is quiet")
    good = exactchange("run", task, "--agent", agent(task, """'{"mark": true}'"""))
    assert good.code == 0, good.out
    bad = exactchange("run", task, "--agent", agent(task, """'{"mark": true, "seen2": 1}'"""))
    assert bad.code == 1 and "! not explained" in bad.out


def test_the_document_holds_each_rule_with_what_it_was_found_by(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("calibrate", task, "--agent", agent(task), "--json")
    document = said.document
    assert (document["schema"], document["runs"], document["quiet"]) == ("exactchange/calibrate/1", 2, False)
    (rule,) = [rule for rule in document["rules"] if rule["at"] == "session[name=admin]"]
    assert rule["line"] == '- {in: db, at: "session[name=admin]", op: added}'
    assert (rule["runs"], rule["changes"], rule["exact"]) == (2, 2, False)
    assert rule["hides"] == "any row added to session with name=admin"
    assert rule["example"]["after"]["name"] == "admin"


def test_a_veto_neither_ends_a_tour_nor_lets_what_it_speaks_of_be_ignored(
    task: pathlib.Path, exactchange: Command
) -> None:
    veto = "veto:\n  - {name: nobody logs in, change: {in: db, at: 'session[*]', op: added}}\n"
    task.with_name("shared.yaml").write_text(SHARED + veto)
    said = exactchange("calibrate", task, "--agent", agent(task))
    assert said.code == 1
    assert not [item for item in yaml.safe_load(said.out)["ignore"] if item["at"].startswith("session")]
    told = said.out.replace("\n#   ", " ")
    assert "not noise: + db session[cookie=" in told
    assert "the veto at shared.yaml:7:5 speaks of it: nobody logs in" in told
    document = exactchange("calibrate", task, "--agent", agent(task), "--json").document
    assert [item["in"] for item in document["not_noise"]] == ["db", "db"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--agent", "false"], 4, "the agent crashed"),
        (["--agent", "sleep 60", "--timeout", "0.5"], 4, "the agent's time was over"),
        (["--agent", "no-such-agent"], 2, "the agent cannot be started"),
        (["--agent", "true", "--runs", "1"], 2, "--runs"),
        ([], 2, "--agent"),
    ],
)
def test_a_tour_that_fails_tells_nothing(
    words: list[str], code: int, message: str, task: pathlib.Path, exactchange: Command
) -> None:
    said = exactchange("calibrate", task, *words)
    assert (said.code, said.out) == (code, "")
    assert message in said.err


def test_a_world_that_is_not_as_given_makes_no_tour(task: pathlib.Path, exactchange: Command) -> None:
    given = "given:\n  - {name: it is set, value: {in: config, at: mark, is: 7}}\n"
    task.with_name("shared.yaml").write_text(SHARED + given)
    said = exactchange("calibrate", task, "--agent", "true")
    assert said.code == 4
    assert "what is given does not hold: it is set (shared.yaml:7:5)" in said.err


def test_what_cannot_be_read_leaves_a_tour_incomplete(task: pathlib.Path, exactchange: Command) -> None:
    said = exactchange("calibrate", task, "--agent", "sh -c 'echo { > $EXACTCHANGE_WORKDIR/settings.json'")
    assert said.code == 3, said.out
    assert "? config is unread" in said.out and "nothing is left of what could be read" in said.out
