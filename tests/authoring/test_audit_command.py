"""`exactchange audit`: which episodes it takes, what it prints, and with which exit code it leaves."""

import asyncio
import json
import pathlib
import re
from typing import Any

import pytest
from tests.authoring.test_audit_page import CLOSE, SHOP, sql
from tests.docs.examples import run

from exactchange.cli.shapes import AuditShape
from exactchange.episode import RunWorld
from exactchange.session import Session
from exactchange.task import load_task

SOUND = """\
id: pay
instruction: Mark order {order} as paid.
params: {order: 7}
sources:
  db: {adapter: sqlite, path: "{workdir}/shop.db"}
veto:
  - {name: no order is lost, change: {in: db, at: "orders[*]", op: removed}}
must:
  - {name: it is paid, change: {in: db, at: "orders[id={order}].state", from: open, to: paid}}
allow:
  - {in: db, at: "log[*]", op: added, rest: any, max: 1, why: how the shop words its log is its own business}
"""


def write(folder: pathlib.Path, text: str, name: str = "pay.yaml") -> pathlib.Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def record(folder: pathlib.Path, name: str, *, order: int = 7, script: str = CLOSE) -> None:
    """An episode of the task in a folder; nothing of it stays in the way of another one."""

    async def play() -> None:
        work = folder / f"{name}-work"
        work.mkdir()
        sql(work / "shop.db", SHOP)
        task = load_task(folder / "pay.yaml", params={"order": order})
        async with Session(task, world=RunWorld(work), record=folder / name, settle_s=0) as session:
            await session.before({"kind": "click", "target": {"css": "#paid"}})
            sql(work / "shop.db", script)
            await session.after()
            await session.finish(None)

    asyncio.run(play())


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A sound task, a good run of it, one of another variant, and one that is not good."""
    folder = tmp_path_factory.mktemp("shop")
    write(folder, SOUND)
    (folder / "episodes").mkdir()
    record(folder, "episodes/good")
    record(folder, "episodes/eight", order=8, script=CLOSE.replace("7", "8"))
    record(folder, "bad", script=f"{CLOSE}; DELETE FROM orders WHERE id = 8")
    return folder


def document(folder: pathlib.Path, *words: str) -> tuple[dict[str, Any], int]:
    done = run(" ".join(["exactchange audit", *words, "--json"]), folder)
    return json.loads(done.stdout), done.returncode


def test_a_sound_task_leaves_with_0_and_is_told_whole_as_a_document(shop: pathlib.Path) -> None:
    found, code = document(shop, "pay.yaml", "--episodes", "episodes")
    assert code == 0
    assert found["schema"] == "exactchange/audit/1" and found["sound"] is True
    AuditShape.model_validate_json(json.dumps(found))
    (task,) = found["tasks"]
    assert task["task"] == "pay" and task["caught"] < task["total"] and task["unused"] == []
    assert [agent["passed"] for agent in task["agents"]] == [False] * 10
    assert set(task["mutants"]) == {"undone", "near", "elsewhere", "tolerated", "forbidden"}
    assert [(hole["lets"], hole["where"], hole["why"]) for hole in task["holes"]] == [
        ("allow", "pay.yaml:11:5", "how the shop words its log is its own business")
    ]
    assert [(variant["name"], variant["outcome"]) for variant in task["variants"]] == [
        *((f"the same run under order={order}", "unmet") for order in (8, 70, -7, 0)),
        ("the run eight", "unmet"),
        ("this run, by eight", "unmet"),
    ]


def test_the_variant_that_is_asked_for_is_tested_with_its_own_run(shop: pathlib.Path) -> None:
    found, code = document(shop, "pay.yaml", "--episodes", "episodes", "--param", "order=8")
    assert code == 0
    names = [variant["name"] for variant in found["tasks"][0]["variants"]]
    orders = [f"the same run under order={order}" for order in (9, 80, -8, 0)]
    assert names == [*orders, "the run good", "this run, by good"]


def test_a_hole_that_nobody_explains_leaves_with_1(shop: pathlib.Path) -> None:
    write(shop, SOUND.replace(", why: how the shop words its log is its own business", ""), "open.yaml")
    done = run("exactchange audit open.yaml --episode episodes/good", shop)
    assert done.returncode == 1
    assert "1 hole not explained" in done.stdout and "allow log[*]  open.yaml:11:5" in done.stdout
    assert "1 of 1 not explained" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pay.yaml", r"no good episode of the task 'pay'.*exactchange run pay.yaml --agent CMD --record DIR"),
        ("pay.yaml --episode bad", r"the good run does not pass: it is vetoed \(veto 'no order is lost'"),
        ("pay.yaml --episode nowhere", r"--episode nowhere: there is no such directory"),
        ("pay.yaml --episode episodes/good --param order=9", r"no good episode was recorded with these params"),
        ("pay.yaml --episode episodes", r"episode"),
    ],
)
def test_without_a_good_run_it_says_what_is_missing_and_leaves_with_2(
    words: str, said: str, shop: pathlib.Path
) -> None:
    done = run(f"exactchange audit {words}", shop)
    assert done.returncode == 2
    assert re.search(said, done.stderr), done.stderr
    assert done.stdout == ""


def test_an_episode_is_left_as_it_was(shop: pathlib.Path) -> None:
    def files() -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in sorted((shop / "episodes").rglob("*")) if p.is_file()}

    before = files()
    document(shop, "pay.yaml", "--episodes", "episodes")
    assert files() == before


def test_two_audits_print_the_same_bytes(shop: pathlib.Path) -> None:
    one, two = (run("exactchange audit pay.yaml --episodes episodes --all", shop).stdout for _ in range(2))
    assert one == two and "mutation score" in one
