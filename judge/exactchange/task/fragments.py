"""Finds and reads the fragments that a task file uses."""

import pathlib
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace

from exactchange.task.document import Document
from exactchange.task.problem import Problem
from exactchange.task.yaml12 import LARGEST_FILE, read_document
from exactchange.values import Path, Value, type_name

_SUFFIXES = (".yaml", ".yml", ".json")


def fragments(main: Document, file: pathlib.Path | None) -> tuple[list[Document], list[Problem]]:
    """All files that a task is made of, each once: what a file uses comes before it, the task last."""
    search = _Search()
    search.visit(main, file, ())
    return search.order, search.problems


def read_file(file: pathlib.Path, *, name: str, shown: str) -> tuple[Document, list[Problem]]:
    """A task file or fragment. A file that cannot be read is a problem without a line."""
    try:
        if file.is_dir():
            return Document(name, shown), [Problem(shown, "is a directory; name the task file in it")]
        if not file.is_file():
            return Document(name, shown), [Problem(shown, "there is no such file")]
        with file.open("rb") as opened:
            raw = opened.read(LARGEST_FILE + 1)
    except OSError as error:
        return Document(name, shown), [Problem(shown, f"cannot be read: {error.strerror}")]
    return read_document(raw, name=name, shown=shown)


class _Search:
    """Depth first over `use:`."""

    def __init__(self) -> None:
        self.order: list[Document] = []
        self.problems: list[Problem] = []
        self.seen: set[pathlib.Path] = set()

    def visit(self, document: Document, file: pathlib.Path | None, trail: Sequence[pathlib.Path]) -> None:
        if file is not None:
            trail = (*trail, file.resolve())
            self.seen.add(file.resolve())
        for number, text in enumerate(self.uses(document)):
            path: Path = ("use", number)
            fragment = self.find(text, document, file, path)
            if fragment is None:
                continue
            place = fragment.resolve()
            if place in trail:
                names = " -> ".join(item.name for item in (*trail[trail.index(place) :], place))
                self.say(document, path, f"these files use each other in a circle: {names}")
            elif place not in self.seen:
                assert isinstance(text, str)
                self.enter(document, path, text, fragment, trail)
        self.order.append(document)

    def enter(
        self, user: Document, path: Path, text: str, fragment: pathlib.Path, trail: Sequence[pathlib.Path]
    ) -> None:
        read, problems = read_file(fragment, name=_beside(user.name, text), shown=_beside(user.shown, text))
        inner = replace(read, file=fragment)
        self.problems.extend(problems)
        if isinstance(inner.data, Mapping):
            self.visit(inner, fragment, trail)
        elif not problems:
            self.say(user, path, f"{text} is no fragment", "a fragment is a mapping, such as `ignore: [...]`")

    def uses(self, document: Document) -> Sequence[Value]:
        use: Value = document.data.get("use", ()) if isinstance(document.data, Mapping) else ()
        if isinstance(use, list | tuple):
            return use
        self.say(document, ("use",), "`use` takes a list of files", "write use: [name.yaml]")
        return []

    def find(self, text: Value, user: Document, file: pathlib.Path | None, path: Path) -> pathlib.Path | None:
        if not isinstance(text, str):
            self.say(user, path, f"a fragment is named by a path, not by a {type_name(text)}")
        elif file is None:
            self.say(user, path, "`use` needs a task file, from which its paths are counted")
        elif text.startswith(("/", "~")) or pathlib.PureWindowsPath(text).drive or "\\" in text:
            self.say(user, path, "a fragment's path is relative to the file that uses it, with forward slashes")
        elif not text.endswith(_SUFFIXES):
            self.say(user, path, f"a fragment is a .yaml file, which {text!r} is not")
        elif not (file.parent / text).is_file():
            self.say(user, path, f"there is no file {text!r}", "the path is relative to the file that uses it")
        else:
            return file.parent / text
        return None

    def say(self, document: Document, path: Path, message: str, suggestion: str | None = None) -> None:
        self.problems.append(document.problem(document.spot(path), message, suggestion))


def _beside(user: str, text: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(user), text))
