import pathlib
import subprocess
import sys

import pytest
from tests.adapters.file.helpers import diff_texts, keys

from exactchange.address import parse_pattern
from exactchange.limits import CountedBudget
from exactchange.testing import Bench, MemoryStore
from exactchange.values import same
from exactchange_adapters.file import KIND, FileParams
from exactchange_adapters.secrets import is_sealed, looks_secret, seal, seal_bytes, seal_value

SECRET = """password DB_PASS dbPassword smtp-passwd apiKey API_KEY api.key auth_token AWS_SECRET_ACCESS_KEY
    SECRET_KEY_BASE clientSecret private_key credentials password2 PGPASSWORD_PWD""".split()
OPEN = """user key keys monkey compass bypass passenger token_url password_min_length max_tokens_seen secretary
    primary_key keyboard .. hash passport tokenizer""".split()


@pytest.mark.parametrize("name", SECRET)
def test_a_key_that_ends_in_a_word_for_secrets_looks_secret(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize("name", OPEN)
def test_a_key_that_only_resembles_one_does_not(name: str) -> None:
    assert not looks_secret(name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("db: {password: hunter2}\n", "a.yaml"),
        ("tokens: [hunter2, x]\n", "a.yaml"),
        ("auth: {token: {value: hunter2}}\n", "a.yaml"),
        ('{"apiKey": "hunter2"}', "a.json"),
        ('secret = "hunter2"\n', "a.toml"),
        ("[db]\npassword = hunter2\n", "a.ini"),
        ("DB_PASS=hunter2\n", ".env"),
        ("url: 'postgres://u:hunter2@db/x'\n", "a.yaml"),
        ("curl http://u:hunter2@host/\n", "run.sh"),
        ("-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n", "id"),
        ("$ANSIBLE_VAULT;1.1;AES256\nhunter2\n", "vault.txt"),
    ],
)
def test_no_secret_stands_in_a_snapshot(text: str, name: str, tmp_path: pathlib.Path) -> None:
    assert "hunter2" not in repr(keys(text, name))
    assert "hunter2" in repr(keys(text, name, secret="none"))
    found = diff_texts(tmp_path, name, text, text.replace("hunter2", "hunter3"))
    assert found.changes, "a changed secret is a change"
    assert "hunter" not in repr(found)


def test_amounts_and_switches_are_judged_in_clear() -> None:
    text = "max_tokens: 4096\nuse_token: true\npassword: null\nsecret: ''\npassword_min_length: 8\npasswd: 1234\n"
    found = dict(keys(text, "a.yaml"))
    assert is_sealed(found.pop("passwd"))
    assert found == {"max_tokens": 4096, "use_token": True, "password": None, "secret": "", "password_min_length": 8}


def test_a_task_may_say_itself_what_is_secret() -> None:
    text = "password: a\nnote: b\nlist: [{x: c}]\n"
    found = keys(text, "a.yaml", secret=("note", "list[*].x"))
    assert found["password"] == "a" and is_sealed(found["note"])
    assert "'c'" not in repr(found["list"])


def test_equal_secrets_seal_alike_and_types_are_told_apart() -> None:
    assert seal("a") == seal_value("a") and seal("a") != seal("b")
    assert len({seal("1"), seal_value(1), seal_value(1.0), seal_value(b"1"), seal_bytes(b"1")}) == 5


def test_the_key_is_another_in_each_process() -> None:
    code = "from exactchange_adapters.secrets import seal; import sys; sys.stdout.write(seal('a'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert is_sealed(done.stdout) and done.stdout != seal("a")


def test_nothing_that_is_stored_tells_a_secret_or_allows_a_guess(tmp_path: pathlib.Path) -> None:
    """Not even the hash of the file: with few possible secrets it would be as good as the text."""
    (tmp_path / "a.env").write_text("PIN_TOKEN=hunter2\n")
    snapshot = Bench(KIND, FileParams(path="a.env"), tmp_path).capture()
    store = MemoryStore()
    record = KIND.save(snapshot, base=None, store=store)  # type: ignore[arg-type]
    loaded = KIND.load(record, base=None, store=store, budget=CountedBudget())
    assert same(loaded.tree, snapshot.tree)  # type: ignore[attr-defined]
    assert "hunter2" not in repr(loaded.tree) + repr(record)
    found = KIND.find(loaded, parse_pattern("**"), budget=CountedBudget())
    assert not any("@layout" in match.path or "@also" in match.path for match in found)
