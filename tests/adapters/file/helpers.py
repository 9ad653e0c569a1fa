"""What the file adapter reads in a text, without facets that every file has."""

import pathlib
from collections.abc import Mapping

from exactchange.address import key as spelt_key
from exactchange.diff import Diff
from exactchange.limits import CountedBudget
from exactchange.sources import diff_snapshots
from exactchange.testing import Bench
from exactchange.values import Path, Value
from exactchange_adapters.file import KIND, FileParams
from exactchange_adapters.file.content import Compare, Reading, understand
from exactchange_adapters.file.dialects import Dialect
from exactchange_adapters.file.settle import SecretRule
from exactchange_adapters.file.state import visible

FIXTURES = pathlib.Path(__file__).parents[3] / "fixtures"


def keys(
    text: str | bytes,
    name: str = "a",
    dialect: Dialect | None = None,
    *,
    compare: Compare = "meaning",
    secret: SecretRule = "auto",
    unordered: tuple[str, ...] = (),
    key: str | None = None,
) -> Mapping[str, Value]:
    """Keys and facets of a text; asserts that all of it was read."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    content = understand(data, name, Reading(dialect, compare, secret, unordered, key))
    assert not content.unread, content.unread
    return visible(content.keys)


def spelt(node: Value) -> Value:
    """A plain value with its mapping keys spelt as path segments, as snapshots hold them."""
    if isinstance(node, Mapping):
        return {spelt_key(name): spelt(item) for name, item in node.items()}
    return [spelt(item) for item in node] if isinstance(node, list) else node


def unread(text: str | bytes, name: str = "a", dialect: Dialect | None = None) -> list[tuple[Path, str]]:
    """What of a text could not be read."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return list(understand(data, name, Reading(dialect)).unread)


def diff(before: pathlib.Path, after: pathlib.Path, **params: object) -> Diff:
    """The changes from one file to another, as `exactchange diff` finds them."""
    given = FileParams.model_validate({"path": str(before), **params})
    world = Bench(KIND, given, pathlib.Path("/nowhere"))
    old, new = (KIND.from_path(path, given, world=world, budget=CountedBudget()) for path in (before, after))
    return diff_snapshots(KIND, "f", old, new, params=given, budget=CountedBudget())


def diff_texts(folder: pathlib.Path, name: str, before: str, after: str, **params: object) -> Diff:
    """The changes from one text to another in a file of this name."""
    sides = [folder / "before" / name, folder / "after" / name]
    for path, text in zip(sides, (before, after), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return diff(sides[0], sides[1], **params)


def told(found: Diff) -> list[tuple[str, str, object, object]]:
    """Changes as (op, address, before, after)."""
    return [(item.op, item.address, item.before, item.after) for item in found.changes]
