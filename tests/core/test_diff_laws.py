"""The laws of the diff, on generated pairs of values, and on a corpus of pairs that broke one or seemed likely to.

`make fuzz` holds them on 200,000 pairs, and adds what breaks one to the corpus.
"""

import json
import pathlib
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.core.diff_pairs import kinds_of, lawful, lawful_unordered, pairs, unordered, values

from exactchange.diff import Op, compare, diff_values
from exactchange.values import State, Value, canonical_bytes, from_json, same, to_json

CORPUS = pathlib.Path(__file__).with_name("diff_corpus.jsonl")
CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
SHARES = {
    "moved": 0.05, "keyed": 0.1, "typed": 0.01, "nested": 0.1, "added": 0.1, "removed": 0.1, "modified": 0.15,
    "by position": 0.2, "equal": 0.02, "unordered": 0.15,
}  # fmt: skip
"""Of the generated pairs, the least share of each kind; most pairs are of several."""
Law = Callable[..., tuple[Op, ...]]


def _hold(law: Law, strategy: st.SearchStrategy[tuple[State, State]], examples: int, kinds: Counter[str]) -> None:
    """Hold a law on so many pairs, and count what they are made of. A pair that breaks it is added to the corpus."""
    broken: list[tuple[State, State]] = []

    @settings(max_examples=examples, deadline=None, suppress_health_check=CALM)
    @given(strategy)
    def look(pair: tuple[State, State]) -> None:
        broken.append(pair)
        ops = law(*pair)
        broken.clear()
        kinds.update(["pairs", *kinds_of(*pair, ops), *(["unordered"] if law is lawful_unordered else [])])

    try:
        look()
    finally:
        for before, after in broken[-1:]:  # the smallest one comes last
            line = {"law": law.__name__, "before": to_json(before), "after": to_json(after)}
            with CORPUS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _hold_all(examples: int) -> Counter[str]:
    kinds: Counter[str] = Counter()
    _hold(lawful, pairs(), examples * 4 // 5, kinds)
    _hold(lawful_unordered, unordered(), examples // 5, kinds)
    return kinds


def test_a_diff_replays_with_types_leads_back_and_names_every_place_that_differs_and_no_other() -> None:
    kinds = _hold_all(800)
    rare = {
        kind: kinds[kind] / kinds["pairs"] for kind, share in SHARES.items() if kinds[kind] < share * kinds["pairs"]
    }
    assert rare == {}, "the pairs are not of all kinds"


@pytest.mark.fuzz
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("batch", range(10))
def test_the_laws_hold_for_two_hundred_thousand_pairs(
    batch: int, record_property: Callable[[str, object], None]
) -> None:
    for kind, number in sorted(_hold_all(20_000).items()):
        record_property(kind, number)


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
    assert same(left, right) == (canonical_bytes(left) == canonical_bytes(right))


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
