"""The source kinds that are installed: built-in adapters enter by the same entry points as anybody's."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeAlias, cast

from exactchange.errors import UsageError
from exactchange.sources.kind import SourceKind

GROUP = "exactchange.adapters"
AnyKind: TypeAlias = "SourceKind[Any, Any, Any]"  # a registry holds kinds of every parameter type


@cache
def kinds() -> dict[str, EntryPoint]:
    """Entry points by name. Raises UsageError when two distributions offer the same name."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name in found and found[point.name].value != point.value:
            raise UsageError(
                f"two adapters are called {point.name!r}: {found[point.name].value} and {point.value}; uninstall one"
            )
        found[point.name] = point
    return dict(sorted(found.items()))


@cache
def kind_named(name: str) -> AnyKind:
    """The kind of this name, imported now. Raises UsageError when there is none or it does not fit the contract."""
    point = kinds().get(name)
    if point is None:
        raise UsageError(f"no adapter is called {name!r}; installed: {', '.join(kinds()) or 'none'}")
    kind = point.load()
    missing = [part for part in _NEEDED if not hasattr(kind, part)]
    if missing:
        raise UsageError(f"adapter {name!r} ({point.value}) lacks {', '.join(missing)}")
    return cast("AnyKind", kind)


_NEEDED = (
    "name params selector style open from_path claims narrow describe find select rows row_at row_shape in_scope scope "
    "value_types save load needs_browser"
).split()
