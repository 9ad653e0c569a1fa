"""The laws of the diff, on generated pairs of values, and on a corpus of pairs that broke one or seemed likely to.

`make fuzz` holds them on 200,000 pairs, and adds what breaks one to the corpus.
"""

import json
import pathlib
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.core.diff_pairs import (
    Dice,
    kinds_of,
    lawful,
    lawful_unordered,
    pair,
    pairs,
    unordered,
    unordered_pair,
    values,
)

from exactchange.diff import Op, compare, diff_values
from exactchange.values import State, Value, canonical_bytes, from_json, same, same_bytes, to_json

CORPUS = pathlib.Path(__file__).with_name("diff_corpus.jsonl")
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
SHARES = {
    "moved": 0.05, "keyed": 0.1, "typed": 0.01, "nested": 0.1, "added": 0.1, "removed": 0.1, "modified": 0.15,
    "by position": 0.2, "equal": 0.02, "unordered": 0.15,
}  # fmt: skip
"""Of the generated pairs, the least share of each kind; most pairs are of several."""
Law = Callable[..., tuple[Op, ...]]


def _look(law: Law, before: State, after: State, kinds: Counter[str]) -> None:
    ops = law(before, after)
    kinds.update(["pairs", *kinds_of(before, after, ops), *(["unordered"] if law is lawful_unordered else [])])


def _keep(law: Law, before: State, after: State) -> None:
    """Add a pair that broke a law to the corpus."""
    line = {"law": law.__name__, "before": to_json(before), "after": to_json(after)}
    with CORPUS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def test_a_diff_replays_with_types_leads_back_and_names_every_place_that_differs_and_no_other() -> None:
    kinds: Counter[str] = Counter()

    @settings(max_examples=600, deadline=None, suppress_health_check=CALM)
    @given(pairs())
    def ordered(two: tuple[State, State]) -> None:
        _look(lawful, *two, kinds)

    @settings(max_examples=200, deadline=None, suppress_health_check=CALM)
    @given(unordered())
    def mixed(two: tuple[State, State]) -> None:
        _look(lawful_unordered, *two, kinds)

    ordered()
    mixed()
    assert _rare(kinds) == {}, "the pairs are not of all kinds"


def _rare(kinds: Counter[str]) -> dict[str, float]:
    """The kinds of which there are too few, with their shares."""
    shares = {kind: kinds[kind] / kinds["pairs"] for kind in SHARES}
    return {kind: share for kind, share in shares.items() if share < SHARES[kind]}


def _pool(size: int) -> list[Value]:
    found: list[Value] = []

    @settings(max_examples=size, deadline=None, suppress_health_check=CALM, database=None)
    @given(values)
    def fill(value: Value) -> None:
        found.append(value)

    fill()
    return found


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("batch", range(10))
def test_the_laws_hold_for_two_hundred_thousand_pairs(
    batch: int, record_property: Callable[[str, object], None]
) -> None:
    """Thrown with dice, since Hypothesis takes longer to make a pair than the laws take to be held."""
    kinds: Counter[str] = Counter()
    by = Dice(random.Random(random.SystemRandom().getrandbits(64)), _pool(2_000))
    for number in range(20_000):
        law: Law = lawful_unordered if number % 5 == 4 else lawful
        before, after = unordered_pair(by) if law is lawful_unordered else pair(by)
        try:
            _look(law, before, after, kinds)
        except BaseException:
            _keep(law, before, after)
            raise
    for kind, number in sorted(kinds.items()):
        record_property(kind, number)
    assert _rare(kinds) == {}, f"the pairs of batch {batch} are not of all kinds"


def _corpus() -> list[tuple[str, State, State]]:
    lines = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    return [(item["law"], from_json(item["before"]), from_json(item["after"])) for item in lines]


@pytest.mark.parametrize(("law", "before", "after"), _corpus())
def test_the_laws_hold_for_every_pair_that_broke_a_law_or_nearly(law: str, before: State, after: State) -> None:
    laws: dict[str, Law] = {"lawful": lawful, "lawful_unordered": lawful_unordered}
    laws[law](before, after)


@given(values)
def test_a_value_has_no_difference_from_itself(value: Value) -> None:
    assert compare(value, value) == ()


@given(values)
def test_the_json_form_is_read_back_as_the_same_value(value: Value) -> None:
    assert same(from_json(to_json(value)), value)


@given(values, values)
def test_two_values_are_the_same_if_and_only_if_their_bytes_are(left: Value, right: Value) -> None:
    assert same(left, right) == same_bytes(left, right) == (canonical_bytes(left) == canonical_bytes(right))


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.permutations(list("abcdefgh")))
def test_items_that_only_change_places_are_moved_and_as_few_as_can_be(old: list[str], new: list[str]) -> None:
    kept = [name for name in new if name in old]
    before: list[Value] = [{"id": name} for name in old]
    ops = compare(before, [{"id": name} for name in kept])
    assert {op.op for op in ops} <= {"moved"}
    assert len(ops) == len(old) - _longest_rise([kept.index(name) for name in old])


def _longest_rise(numbers: list[int]) -> int:
    best = [0] * len(numbers)
    for n, number in enumerate(numbers):
        best[n] = 1 + max((best[m] for m in range(n) if numbers[m] < number), default=0)
    return max(best, default=0)


def test_one_item_at_the_head_is_one_change() -> None:
    many: list[Value] = [{"id": n, "v": "x"} for n in range(1000)]
    assert len(compare(many, [{"id": -1}, *many])) == 1
    assert len(compare([*range(1000)], [-1, *range(1000)])) == 1


def test_deep_nesting_is_compared_to_the_bottom() -> None:
    def nested(leaf: Value) -> Value:
        for n in range(100):
            leaf = {"k": leaf} if n % 2 else [leaf]
        return leaf

    (op,) = compare(nested(1), nested(1.0))
    assert (len(op.path), op.before, op.after) == (100, 1, 1.0)
    assert type(op.after) is float


def test_every_one_of_many_changes_is_reported() -> None:
    before: Value = {f"k{n}": n for n in range(5000)}
    assert len(diff_values(before, {f"k{n}": n + 1 for n in range(5000)}).changes) == 5000


def test_a_secret_is_one_value_whatever_its_seal() -> None:
    (op,) = compare({"pw": {"@secret": "aa"}}, {"pw": {"@secret": "bb"}})
    assert (op.op, op.path) == ("modified", ("pw",))
    (op,) = compare({"pw": {"@secret": "aa"}}, {"pw": {"a": 1}})
    assert (op.op, op.path) == ("modified", ("pw",))
