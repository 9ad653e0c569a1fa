"""The kit must catch optional parts that are half there, that cannot be called, or that break their own word."""

import pathlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from tests.testing.test_kit import LineKind, LineReader

from exactchange.diff import Change
from exactchange.snapshot import TreeSnapshot
from exactchange.sources import Act, Heard, NoiseRule, Recognised, SourceParams, World
from exactchange.testing import Bench, check_adapter, check_parts
from exactchange.values import Path, Value


class Hears(LineReader):
    heard: tuple[Heard, ...] = (Heard((Act("click", {}),)), Heard())

    def witnessed(self) -> Heard | None:
        first, *rest = self.heard
        self.heard = tuple(rest) or self.heard
        return first

    async def conceal(self, kind: str, args: Mapping[str, Value]) -> Mapping[str, Value]:
        return args


class Whole(LineKind):
    """Has several optional parts, and keeps what they promise. Subclasses break one of them each."""

    noise_rules: Sequence[NoiseRule] = (NoiseRule("clock", "a time is another one", usual=True),)
    reader: type[LineReader] = Hears

    @asynccontextmanager
    async def _opened(self, world: World) -> AsyncGenerator[LineReader]:
        yield self.reader(self, world.workdir / "state")

    def noise(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot, params: SourceParams
    ) -> Sequence[str | None]:
        return ["clock"] * len(changes)

    def made_anew(
        self, source: str, *, before: TreeSnapshot, after: TreeSnapshot, params: SourceParams
    ) -> Sequence[Recognised]:
        return ()

    def likely_causes(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot
    ) -> Mapping[Path, str]:
        return {item.path: "a rule of its own" for item in changes}

    def portrait(self, snapshot: TreeSnapshot, *, title: str) -> str:
        return "<!doctype html><title>A title</title><p class=a>a=1"

    def is_element(self, element: Mapping[str, Value], fields: Mapping[str, Value], **more: object) -> bool | None:
        return None


class HalfNoisy(LineKind):
    def noise(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot, params: SourceParams
    ) -> Sequence[str | None]:
        return [None] * len(changes)


class OfAnOlderContract(LineKind):
    def is_element(self, element: Mapping[str, Value], fields: Mapping[str, Value]) -> bool | None:
        return None


class AnswersTooLittle(Whole):
    def noise(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot, params: SourceParams
    ) -> Sequence[str | None]:
        return [None]


class NamesNoRule(Whole):
    noise_rules = ()


class CausesWhatIsNot(Whole):
    def likely_causes(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot
    ) -> Mapping[Path, str]:
        return {("nowhere",): "a rule of its own"}


class CausesNothing(Whole):
    def likely_causes(
        self, changes: Sequence[Change], *, before: TreeSnapshot, after: TreeSnapshot
    ) -> Mapping[Path, str]:
        return {changes[0].path: ""}


class Runs(Whole):
    def portrait(self, snapshot: TreeSnapshot, *, title: str) -> str:
        return f"<p>{title}"


class Asks(Whole):
    def portrait(self, snapshot: TreeSnapshot, *, title: str) -> str:
        return "<img src=http://a.example/>"


class TellsTwice(Hears):
    heard = (Heard((Act("click", {}),)),)


class HearsTwice(Whole):
    reader = TellsTwice


class AsksWhat(LineReader):
    def witnessed(self, since: int) -> Heard | None:
        return None


class HearsNothing(Whole):
    reader = AsksWhat


def _check(kind: LineKind, folder: pathlib.Path) -> None:
    state = folder / "state"
    state.write_text("a=1\nb=2\n")
    check_adapter(
        Bench(kind, SourceParams(), folder),
        change=lambda: state.write_text("a=1\nb=3\nc=4\n"),
        remove=state.unlink,
        spoil=lambda: state.write_text("nonsense"),
    )


def test_a_kind_with_whole_parts_passes(tmp_path: pathlib.Path) -> None:
    _check(Whole(), tmp_path)


BROKEN: list[tuple[type[LineKind], str]] = [
    (HalfNoisy, "has noise and lacks noise_rules, made_anew: so it is no Noisy, and is never asked"),
    (OfAnOlderContract, "is_element cannot be called as the contract says"),
    (AnswersTooLittle, "`noise` gave 1 answers for 2 changes"),
    (NamesNoRule, "`noise` names rules that `noise_rules` does not have: .'clock'"),
    (CausesWhatIsNot, "`likely_causes` names what did not change"),
    (CausesNothing, "`likely_causes` names an empty cause"),
    (Runs, "a portrait runs or asks for something"),
    (Asks, "a portrait runs or asks for something: .'img src'"),
    (HearsTwice, "`witnessed` tells twice what was done once"),
    (HearsNothing, "witnessed cannot be called as the contract says"),
]


@pytest.mark.parametrize(("kind", "message"), BROKEN, ids=[kind.__name__ for kind, _ in BROKEN])
def test_a_broken_part_is_named(kind: type[LineKind], message: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(AssertionError, match=message):
        _check(kind(), tmp_path)


def test_a_kind_without_optional_parts_is_whole(tmp_path: pathlib.Path) -> None:
    (tmp_path / "state").write_text("a=1\n")
    check_parts(Bench(LineKind(), SourceParams(), tmp_path))
