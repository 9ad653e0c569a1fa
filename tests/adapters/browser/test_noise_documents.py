"""Stored documents that cannot be read, or are too large, make nothing noise and end no judge."""

import json

import pytest
from tests.adapters.browser.test_noise_rules import page

from exactchange.diff import Change
from exactchange_adapters.browser import KIND
from exactchange_adapters.browser.params import BrowserParams
from exactchange_adapters.browser.snapshot import PageSnapshot, StoredDocument, pack

GOOD: list[object] = [
    [-1, "html", {}, 1],
    [0, "input", {"name": "csrf_token", "id": "x1700000001"}, 0, {"t": "hidden", "v": "a"}],
]
TOO_MANY = "[" + ",".join(['[-1,""]'] * 300_001) + "]"
BAD = {
    "no zlib": b"no zlib",
    "cut off": pack(json.dumps(GOOD))[:-4],
    "no JSON": pack("[["),
    "no nodes": pack('[["a"]]'),
    "no state": pack(json.dumps([*GOOD, [0, "input", {}, 0, {"t": "file", "f": 5}]])),
    "deep": pack("[" * 100_000),
    "too many": pack(TOO_MANY),
}


def with_document(packed: bytes, secret: str) -> PageSnapshot:
    value = {"input": {"name=csrf_token": {"value": {"@secret": secret * 64}}}}
    taken = page(value)
    return PageSnapshot("browser", taken.tree, taken.mark, documents=(StoredDocument((), packed, 1, "1"),))


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_of_a_document_that_cannot_be_read_nothing_is_noise(bad: bytes) -> None:
    params = BrowserParams(closed=("controls",))
    path = ("input", "name=csrf_token", "value")
    change = Change("page", "modified", "x", path, {"@secret": "a" * 64}, {"@secret": "b" * 64})
    good = pack(json.dumps(GOOD))
    for one, other in ((good, bad), (bad, good), (bad, bad)):
        before, after = with_document(one, "a"), with_document(other, "b")
        assert list(KIND.noise([change], before=before, after=after, params=params)) == [None]
        assert len(KIND.made_anew("page", before=before, after=after, params=params)) == 0
    both = with_document(good, "a"), with_document(good, "b")
    assert list(KIND.noise([change], before=both[0], after=both[1], params=params)) == ["csrf-token"]
