"""Joins a task file with the fragments that it uses, and remembers which file every part came from."""

import pathlib
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from exactchange.task.braces import each_text, moved
from exactchange.task.document import Document, Mark, Spot
from exactchange.task.fragments import fragments
from exactchange.task.pages import FRAGMENTS, see
from exactchange.task.params import HOLES, PATTERNS, TIERS
from exactchange.task.problem import Problem
from exactchange.values import Path, Value, type_name

LISTS: Final = (*TIERS, *PATTERNS, HOLES)
_MAPPINGS = frozenset({"sources", "params"})
_TASK_ONLY = {
    "id": "a fragment has no id of its own",
    "instruction": "the instruction belongs to the task",
    "must": "what must be reached belongs to the task",
    "score": "what a pass is worth belongs to the task",
}


@dataclass(frozen=True)
class Gathered:
    """One task's data, fragments first; `broken`: sections that were left out because they are no list or mapping."""

    main: Document
    data: dict[str, Value] = field(default_factory=dict[str, Value])
    homes: dict[Path, tuple[Document, Path]] = field(default_factory=dict[Path, tuple[Document, Path]])
    broken: set[str] = field(default_factory=set[str])
    problems: list[Problem] = field(default_factory=list[Problem])
    warnings: list[tuple[Path, Problem]] = field(default_factory=list[tuple[Path, Problem]])

    def home(self, path: Path) -> tuple[Document, Path]:
        """The file in which a part of the task stands, and its path there."""
        for end in (2, 1):
            if path[:end] in self.homes:
                document, there = self.homes[path[:end]]
                return document, there + path[end:]
        return self.main, path

    def mark(self, path: Path) -> tuple[Document, Mark | None]:
        """Where a part of the task stands."""
        document, there = self.home(path)
        return document, document.mark(there)

    def doubtful(self) -> list[Path]:
        """Paths of unquoted words that are text here and true or false elsewhere."""
        return [
            path + below[len(there) :]
            for path, (document, there) in self.homes.items()
            for below in document.doubtful
            if below[: len(there)] == there and not (len(path) == 1 and path[0] in (*LISTS, *_MAPPINGS))
        ]

    def where(self, path: Path) -> str:
        """`file:line:column` of a part of the task, as verdicts name it; its address in data that is no file."""
        document, mark = self.mark(path)
        if mark is None:
            return f"{document.name}:{spelt(path)}" if path else document.name
        return f"{document.name}:{mark.value.line}:{mark.value.column}"

    def say(
        self, path: Path, message: str, suggestion: str | None = None, *, key: bool = False, part: str | None = None
    ) -> None:
        """Report a mistake at a part of the task: at its key, at some text within its value, or at its value."""
        self.problems.append(self._problem(path, message, suggestion, key=key, part=part))

    def warn(self, path: Path, kind: str, message: str, suggestion: str | None = None, *, key: bool = False) -> None:
        """Report what is more likely a mistake than a wish. `kind`: what it is about, in a word or two."""
        self.warnings.append((path, self._problem(path, message, suggestion, key=key, kind=kind)))

    def _problem(
        self, path: Path, message: str, suggestion: str | None, *, key: bool, part: str | None = None, kind: str = ""
    ) -> Problem:
        document, there = self.home(path)
        spot = document.spot(there, key=key)
        if spot is None:
            return Problem(self.where(path), message, suggestion, see=see(path), kind=kind)
        return document.problem(_within(document, spot, part), message, suggestion, see=see(path), kind=kind)


def spelt(path: Path) -> str:
    """A path in a task's data for people: `must[0].change.at`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def gather(main: Document, problems: list[Problem], *, file: pathlib.Path | None) -> Gathered:
    """The task of a file with the fragments that it uses. What is wrong is in `problems`."""
    main = replace(main, file=file)
    out = Gathered(main, problems=list(problems))
    if not isinstance(main.data, Mapping):
        if not problems:
            what = "it is empty" if main.data is None else f"this is a {type_name(main.data)}"
            message = f"a task is a mapping with `id`, `instruction`, `sources` and `must`; {what}"
            out.problems.append(Problem(main.shown, message, see=see(())))
        return out
    order, found = fragments(main, file)
    out.problems.extend(found)
    for document in order:
        _join(document, out)
    return out


def _join(document: Document, out: Gathered) -> None:
    assert isinstance(document.data, Mapping)
    for name, body in document.data.items():
        if name == "use":
            continue
        if document is not out.main and name in _TASK_ONLY:
            what = f"`{name}` cannot stand in a fragment"
            spot = document.spot((name,), key=True)
            out.problems.append(document.problem(spot, what, _TASK_ONLY[name], see=see((), at=FRAGMENTS)))
        elif name in LISTS:
            _join_list(name, body, document, out)
        elif name in _MAPPINGS:
            _join_mapping(name, body, document, out)
        else:
            out.homes[(name,)] = (document, (name,))
            out.data[name] = _moved(body, document) if name == "app" else body


def _join_list(name: str, body: Value, document: Document, out: Gathered) -> None:
    if not isinstance(body, list):
        out.broken.add(name)
        what = "is empty" if body is None else f"is a {type_name(body)}"
        remedy = "write [] or leave the key out" if body is None else "put each of its items behind a dash"
        _at(document, (name,), f"`{name}` takes a list, and this {what}", remedy, out)
        return
    have = out.data.setdefault(name, [])
    assert isinstance(have, list)
    out.homes.setdefault((name,), (document, (name,)))
    for number, item in enumerate(body):
        out.homes[(name, len(have))] = (document, (name, number))
        have.append(item)


def _join_mapping(name: str, body: Value, document: Document, out: Gathered) -> None:
    if not isinstance(body, Mapping):
        out.broken.add(name)
        what = "is empty" if body is None else f"is a {type_name(body)}"
        _at(document, (name,), f"`{name}` takes a mapping of names, and this {what}", None, out)
        return
    have = out.data.setdefault(name, {})
    assert isinstance(have, dict)
    out.homes.setdefault((name,), (document, (name,)))
    for key, item in body.items():
        if key in have and name == "sources":
            first = out.where((name, key))
            what = f"a source called {key!r} is already there, from {first}"
            spot = document.spot((name, key), key=True)
            remedy = "give one of the two another name"
            out.problems.append(document.problem(spot, what, remedy, see=see((), at=FRAGMENTS)))
            continue
        have[key] = item
        out.homes[(name, key)] = (document, (name, key))


def _moved(app: Value, document: Document) -> Value:
    """The application of a fragment: seed and `{here}` are its own folder's, those of a task the task's."""
    folder = posixpath.dirname(document.name)
    if not isinstance(app, Mapping) or not folder:
        return app
    seed = app.get("seed")
    out = {name: each_text(item, lambda text: moved(text, folder)) for name, item in app.items()}
    if not isinstance(seed, str) or seed.startswith("/"):
        return out
    return {**out, "seed": posixpath.normpath(posixpath.join(folder, seed))}


def _at(document: Document, path: Path, message: str, suggestion: str | None, out: Gathered) -> None:
    out.problems.append(document.problem(document.spot(path), message, suggestion, see=see(path)))


def _within(document: Document, spot: Spot, part: str | None) -> Spot:
    """The place of a part of a text, where it stands on the line on which the text begins."""
    if not part:
        return spot
    found = document.lines[spot.line - 1].find(part, spot.column - 1, spot.column - 1 + max(spot.width, 1))
    return spot if found < 0 else Spot(spot.line, found + 1, len(part))
