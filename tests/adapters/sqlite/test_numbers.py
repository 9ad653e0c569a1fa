"""Numbers of pages in versions that share what is the same: laws, beside a plain dictionary."""

from hypothesis import given
from hypothesis import strategies as st

from exactchange_adapters.sqlite.numbers import Numbers

pages = st.one_of(st.integers(0, 40), st.integers(240, 270), st.integers(0, 5000))
changes = st.dictionaries(pages, st.integers(0, 2**40), max_size=12)
steps = st.lists(st.tuples(changes, st.none() | pages), max_size=8)


@given(steps)
def test_every_version_is_what_a_dictionary_says(taken: list[tuple[dict[int, int], int | None]]) -> None:
    versions, plain = [Numbers()], [dict[int, int]()]
    for made, below in taken:
        versions.append(versions[-1].plus(made, below=below))
        kept = {page: number for page, number in {**plain[-1], **made}.items() if number}
        plain.append({page: number for page, number in kept.items() if below is None or page < below})
    for version, expected in zip(versions, plain, strict=True):
        assert list(version) == sorted(expected) and version.count == len(expected)
        assert all(version[page] == expected.get(page, 0) for page in range(0, 5001, 7))
        assert all(version[page] == number for page, number in expected.items())
    first, last = plain[0], plain[-1]
    differ = [page for page in sorted({*first, *last}) if first.get(page, 0) != last.get(page, 0)]
    assert list(versions[0].differing(versions[-1])) == list(versions[-1].differing(versions[0])) == differ


def test_a_page_that_there_is_none_of_has_no_number() -> None:
    assert Numbers()[5] == Numbers().plus({3: 1})[-1] == Numbers().plus({3: 1})[10**9] == 0
