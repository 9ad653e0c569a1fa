"""Numbers by number of a page, of which versions share what is the same in them: an episode has one a step."""

from array import array
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final, TypeAlias

_BLOCK: Final = 256
_KIND: Final = "Q"
_Block: TypeAlias = "array[int] | None"


class Numbers:
    """A number for each page, 0 for most. Never changes: `plus` makes another one."""

    __slots__ = ("_blocks", "count")

    def __init__(self, blocks: tuple[_Block, ...] = (), count: int = 0) -> None:
        self._blocks = blocks
        self.count = count
        """How many of them are not 0."""

    def __getitem__(self, page: int) -> int:
        """The number of a page; 0 for one that there is none of."""
        at = page // _BLOCK
        block = self._blocks[at] if 0 <= at < len(self._blocks) else None
        return 0 if block is None else block[page % _BLOCK]

    def plus(self, numbers: Mapping[int, int], *, below: int | None = None) -> "Numbers":
        """The same with other numbers for these pages, and none for pages from `below` on."""
        blocks = list(self._blocks)
        count, fresh = self.count, set[int]()
        if below is not None:
            numbers = {page: number for page, number in numbers.items() if page < below}
            numbers |= {page: 0 for page in self._from(below)}
        for page, number in numbers.items():
            at, place = divmod(page, _BLOCK)
            if at not in fresh:
                fresh.add(at)
                blocks.extend([None] * (at + 1 - len(blocks)))
                old = blocks[at]
                blocks[at] = array(_KIND, bytes(8 * _BLOCK)) if old is None else old[:]
            block = blocks[at]
            assert block is not None
            count += (number != 0) - (block[place] != 0)
            block[place] = number
        return Numbers(tuple(blocks), count)

    def _from(self, below: int) -> Iterator[int]:
        for at in range(below // _BLOCK, len(self._blocks)):
            block = self._blocks[at]
            if block is not None:
                yield from (
                    at * _BLOCK + place for place, number in enumerate(block) if number and at * _BLOCK + place >= below
                )

    def __iter__(self) -> Iterator[int]:
        """The pages whose number is not 0, in order."""
        return self._from(0)

    def differing(self, other: "Numbers") -> Iterator[int]:
        """The pages whose numbers are not the same in both. Costs what is not shared."""
        none = array(_KIND, bytes(8 * _BLOCK))
        for at, (mine, theirs) in enumerate(zip_longest(self._blocks, other._blocks)):
            if mine is not theirs:
                one, two = mine or none, theirs or none
                if one != two:
                    yield from (at * _BLOCK + place for place in range(_BLOCK) if one[place] != two[place])
