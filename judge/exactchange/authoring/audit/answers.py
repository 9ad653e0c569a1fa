"""Answers that nobody should pass with: empty or endless ones, and wrong ones that hold the right one somewhere."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from exactchange.authoring.audit.leaves import Leaf
from exactchange.authoring.audit.mutant import Mutant
from exactchange.case import ANSWER, Case
from exactchange.errors import UsageError
from exactchange.sources.variations import near_values
from exactchange.values import Value, dumps, parse_json

_FIELDS: Final = 24
_LONG: Final = 20_000
Told = Iterator[tuple[str, str]]


def empty_answers(instruction: str) -> Told:
    """Answers of an agent that found nothing out, each with what it is."""
    yield "answers an empty object", "{}"
    yield "answers an empty list", "[]"
    yield "answers true", "true"
    yield "repeats the instruction", instruction
    yield "answers at great length", "I did what was asked of me. " * (_LONG // 28)


def near_answers(said: str, wrong: Iterator[tuple[str, Value]], instruction: str) -> Told:
    """Answers that are nearly what the good run said. `wrong`: values near that text, which a matcher may take."""
    data = _object(said)
    if data is not None:
        for name, value in list(data.items())[:_FIELDS]:
            ways = [*near_values(value), *_around(value)]
            yield from ((f"{what} in the answer", dumps({**data, name: item})) for what, item in ways)
        yield "the answer in a list", dumps([data])
        yield "the answer in a field", dumps({"answer": data})
        return
    yield from ((f"{what} in the answer", item) for what, item in wrong if isinstance(item, str))
    yield from ((f"{what} in the answer", item) for what, item in _around(said) if isinstance(item, str))
    yield "the answer in a list", dumps([said])
    yield "the answer in a field", dumps({"answer": said})
    yield "the instruction before the answer", f"{instruction} {said}"
    yield "much else around the answer", f"{'Let me think. ' * 200}{said}{' Or so.' * 200}"


def answering(leaf: Leaf, case: Case, said: Told) -> Iterator[Mutant]:
    """The good run with other answers, and with none."""
    texts: list[tuple[str, str | None]] = [("no answer", None), *said]
    for what, text in texts:
        yield Mutant("near", what, replace(case, answer=text), ANSWER, (), leaf.title, leaf.condition.where)


def _around(value: Value) -> Iterator[tuple[str, Value]]:
    """The right value denied, or hidden among others so that one of them is right."""
    if isinstance(value, str):
        yield "a denial", f"not {value}"
        yield "all that it may be", f"A, B, C, D, {value}, none of them"
    elif value is None or isinstance(value, bool):
        return
    elif isinstance(value, int | float):
        yield "all that it may be", [value - 1, value, value + 1]
        yield "all that it may be, as a text", f"{value - 1}, {value}, {value + 1}"
    elif isinstance(value, list):
        yield "one more of them", [*value, "audit"]
    if not isinstance(value, Mapping | list):
        yield "a list of it", [value]


def _object(text: str) -> Mapping[str, Value] | None:
    try:
        data = parse_json(text)
    except UsageError:
        return None
    return data if isinstance(data, Mapping) else None
