"""The forest of an image, worked out once, or carried forward from the image that it was made over."""

from collections.abc import Mapping

from exactchange_adapters.sqlite.engine import Unreadable
from exactchange_adapters.sqlite.forest import Forest, carried, planted
from exactchange_adapters.sqlite.image import Image
from exactchange_adapters.sqlite.order import in_order
from exactchange_adapters.sqlite.pages import Foreign, Pages, differing

_TABLES = "SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
_SCHEMA = 1
"""First page of the table that holds the schema."""


def first_pages(image: Image) -> Mapping[str, tuple[int, str]]:
    """Of every table in the file the first page of its tree, and its statement. Raises Unreadable, Foreign."""
    found: dict[str, tuple[int, str]] = {}
    try:
        for name, root, sql in image.engine.rows(_TABLES):
            if not isinstance(name, str) or not isinstance(root, int) or name in found:
                raise Foreign("a schema with something else in it than tables")
            found[name] = (root, str(sql))
    except UnicodeDecodeError as error:
        raise Foreign("a schema that is no text") from error
    return found


def forest_of(image: Image, pages: Pages) -> Forest:
    """The trees of all of its tables. Raises Unreadable, Foreign."""
    if image.forest is None:
        image.forest = planted(pages, _roots(first_pages(image)))
    return image.forest


def carries(earlier: Image, image: Image) -> bool:
    """Whether an image that was made over a sound one is as sound as that one, as far as its pages tell.

    False where only SQLite can say it.
    """
    try:
        tables = first_pages(image)
        if tables != first_pages(earlier):
            return False
        with Pages(earlier) as before, Pages(image) as after:
            changed = differing(before, after)
            image.forest = carried(forest_of(earlier, before), before, after, changed, _roots(tables))
            return in_order(image.forest, after, changed)
    except (Foreign, Unreadable, IndexError, ValueError):
        return False


def _roots(tables: Mapping[str, tuple[int, str]]) -> set[int]:
    return {_SCHEMA, *(root for root, _ in tables.values())}
