"""Whether a LIMIT cuts through rows that its ORDER BY leaves in one place: asked in two ways, it must take the same."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

Width: TypeAlias = Callable[[str], int]
"""How many columns a query gives. Raises Unreadable where it cannot be asked by itself."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The words of one query, without those of queries in brackets inside it, and where its text begins and ends."""

    words: "list[Token]"
    start: int
    end: int

    def first(self, kind: str, after: int = -1) -> "Token | None":
        return next((word for word in self.words if word.token_type.name == kind and word.start > after), None)

    @property
    def limit(self) -> "Token | None":
        """The LIMIT of a query that has an order; without one, the order in which rows are stored is turned around."""
        order = self.first("ORDER_BY")
        return None if order is None else self.first("LIMIT", order.start)


def tie_breakers(sql: str, width: Width) -> list[tuple[str, str]]:
    """Pairs of queries; the rows of each pair are the same unless some LIMIT of `sql` cuts through equals that differ.

    Each query with an ORDER BY and a LIMIT is asked by itself, those inside of others as well. Behind its order stand
    all of its columns, upwards in one and downwards in the other: of rows that are equal but for that, the first of one
    are the last of the other. Where an OFFSET skips rows, what it skips must be the same rows, too.
    """
    import sqlglot

    *inner, outer = _groups(sqlglot.tokenize(sql, dialect="sqlite"))
    head = _with(sql, outer)
    pairs: list[tuple[str, str]] = []
    for group in (*inner, outer):
        limit = group.limit
        if limit is None:
            continue
        text, moved = sql[group.start : group.end], -group.start
        if group is not outer and head and group.words[0].token_type.name != "WITH":
            text, moved = head + text, moved + len(head)
        at, columns = limit.start + moved, width(text)
        pairs += [
            (_broken(text[:at], tail, columns, "ASC"), _broken(text[:at], tail, columns, "DESC"))
            for tail in _tails(sql, group, limit)
        ]
    return pairs


def _groups(words: "Sequence[Token]") -> Iterator[_Group]:
    """Every query in brackets, inner ones first, and at last the whole."""
    end = max(word.end for word in words if word.token_type.name != "SEMICOLON") + 1
    open_ = [_Group([], 0, end)]
    for word in words:
        kind = word.token_type.name
        if kind == "L_PAREN":
            open_.append(_Group([], word.end + 1, end))
        elif kind == "R_PAREN" and len(open_) > 1:
            yield replace(open_.pop(), end=word.start)
        elif kind != "SEMICOLON":
            open_[-1].words.append(word)
    yield open_[0]


def _with(sql: str, outer: _Group) -> str:
    """The WITH clause of a query: what is inside of it may speak of its parts."""
    main = outer.first("SELECT")
    begins = bool(outer.words) and outer.words[0].token_type.name == "WITH"
    return sql[: main.start] if begins and main is not None else ""


def _tails(sql: str, group: _Group, limit: "Token") -> list[str]:
    """What stands from LIMIT on; with an OFFSET, limits up to what is skipped and up to the last one taken."""
    for kind in ("OFFSET", "COMMA"):
        mark = group.first(kind, limit.start)
        if mark is not None:
            left, right = sql[limit.end + 1 : mark.start], sql[mark.end + 1 : group.end]
            most, skipped = (left, right) if kind == "OFFSET" else (right, left)
            skipped = f"max(({skipped}), 0)"
            return [f"LIMIT {skipped}", f"LIMIT CASE WHEN ({most}) < 0 THEN -1 ELSE {skipped} + ({most}) END"]
    return [sql[limit.start : group.end]]


def _broken(front: str, tail: str, columns: int, way: str) -> str:
    """A query in whose order nothing ties but rows that are the same; by bytes, as collations take more for equal."""
    return f"{front}{''.join(f', {number} COLLATE BINARY {way}' for number in range(1, columns + 1))} {tail}"
