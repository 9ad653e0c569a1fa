"""Which episodes are repeats of one another, and what their tasks are called."""

from dataclasses import replace
from fractions import Fraction

from tests.reports.many import GONE, many, repeats
from tests.reports.samples import passed, undecided, unmet, vetoed

from exactchange.reports import Entry
from exactchange.reports.by_task import by_task, edited
from exactchange.verdict import Bonus

OTHER = "ee" * 32


def test_episodes_of_the_same_task_and_content_are_repeats() -> None:
    groups = by_task(many())
    assert [(group.task.id, len(group.entries)) for group in groups if group.task is not None] == [
        ("settings-timeout", 5), ("book-flight", 5), ("article-form", 5), ("article-form", 4),
    ]  # fmt: skip
    assert [group.passed for group in groups] == [2, 0, 5, 3]
    assert [group.at_most for group in groups] == [2, 2, 5, 4]
    assert [group.flaky for group in groups] == [True, False, False, True]


def test_episodes_that_lie_apart_are_repeats_all_the_same() -> None:
    mixed = many()[::2] + many()[1::2]
    assert sorted(len(group.entries) for group in by_task(mixed)) == [4, 5, 5, 5]


def test_a_task_is_told_from_its_variants_by_the_params_in_which_they_differ() -> None:
    assert [dict(group.told) for group in by_task(many())] == [{}, {}, {"person": "Ada Lovelace"}, {"person": "Bo"}]
    assert edited(by_task(many())) == ()
    assert {group.version for group in by_task(many())} == {""}


def test_params_of_another_type_tell_variants_apart() -> None:
    groups = by_task(
        [*repeats("t", passed(), params={"n": 1}), *repeats("t", passed(), hash_=OTHER, params={"n": True})]
    )
    assert [dict(group.told) for group in groups] == [{"n": 1}, {"n": True}]
    assert edited(groups) == ()


def test_one_id_with_two_contents_and_the_same_params_was_edited() -> None:
    groups = by_task([*repeats("t", passed(), unmet()), *repeats("t", passed(), hash_=OTHER), *repeats("u", passed())])
    (warned,) = edited(groups)
    assert warned.kind == "edited"
    assert "the task t was edited" in warned.message
    assert "2 of version aaaaaaaa" in warned.message and "1 of version eeeeeeee" in warned.message
    assert [group.version for group in groups] == ["aaaaaaaa", "eeeeeeee", ""]


def test_where_the_params_are_not_known_it_may_be_a_variant() -> None:
    bare = [replace(entry, recorded=None) for entry in repeats("t", passed(), hash_=OTHER)]
    (warned,) = edited(by_task([*bare, *[replace(entry, recorded=None) for entry in repeats("t", passed())]]))
    assert "or has other parameters" in warned.message


def test_one_repeat_that_knows_its_params_tells_those_of_all() -> None:
    first, second = repeats("t", passed(), passed(), params={"n": 1})
    groups = by_task([replace(first, recorded=None), second, *repeats("t", passed(), hash_=OTHER, params={"n": 2})])
    assert [dict(group.told) for group in groups] == [{"n": 1}, {"n": 2}]
    assert edited(groups) == ()


def test_an_episode_without_a_verdict_is_a_repeat_of_the_task_that_it_names() -> None:
    (group,) = by_task(repeats("t", passed(), GONE))
    assert (group.passed, len(group.entries), group.at_most) == (1, 2, 2)
    assert group.mean_score == Fraction("43.33335") and group.bonus == Bonus(1, 2)


def test_each_episode_of_an_unknown_task_stands_for_itself() -> None:
    lost = [Entry("a", None, "no such directory"), Entry("b", None, "no such directory")]
    groups = by_task([*repeats("t", passed()), *lost])
    assert [group.task is None for group in groups] == [False, True, True]


def test_what_cannot_be_told_counts_as_no_pass_and_bounds_the_rest() -> None:
    (group,) = by_task(repeats("t", undecided(), vetoed(), unmet(), GONE))
    assert (group.passed, group.at_most, group.interval[0]) == (0, 2, 0.0)
    assert group.counts == {"passed": 0, "unmet": 1, "vetoed": 1, "undecided": 1, "no verdict": 1}
