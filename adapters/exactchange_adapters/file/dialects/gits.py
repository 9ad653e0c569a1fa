"""Git configuration, character by character as git-config(1) describes it: case, quotes, escapes, comments."""

from exactchange.address import key
from exactchange_adapters.file.dialects.parsed import Parsed, Raw, Unparsable

_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\", "\n": ""}
_BLANKS = frozenset(" \t\n\v\f\r")


def parse_git(text: str) -> Parsed:
    """`{section: {option: value}}`; a subsection is part of its section's name, as in `remote.origin`.

    Sections and options are in lower case, subsections as they are. An option without `=` is null; one that is set
    several times has all its values, in order. Raises Unparsable with the line that git refuses.
    """
    reader = _Reader(text.replace("\r\n", "\n") + "\n")
    sections: dict[str, dict[str, list[str | None]]] = {}
    here: dict[str, list[str | None]] | None = None
    while (char := reader.next()) is not None:
        if char in "#;":
            reader.skip_line()
        elif char == "[":
            here = sections.setdefault(reader.section(), {})
        elif char not in _BLANKS:
            option, value = reader.option(char)
            here = sections.setdefault("", {}) if here is None else here
            here.setdefault(option, []).append(value)
    return Parsed({key(name): _options(options) for name, options in sections.items()})


def _options(options: dict[str, list[str | None]]) -> Raw:
    return {key(option): values[0] if len(values) == 1 else values for option, values in options.items()}


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def next(self) -> str | None:
        """The next character, None behind the last."""
        if self._at >= len(self._text):
            return None
        self._at += 1
        return self._text[self._at - 1]

    def skip_line(self) -> None:
        self._at = self._text.find("\n", self._at) + 1 or len(self._text)

    def section(self) -> str:
        """The name between the brackets, the opening one being read."""
        name: list[str] = []
        while (char := self.next()) != "]":
            if char is not None and char in _BLANKS:
                return "".join(name) + self._subsection(char)
            if char is None or not (_is_key(char) or char == "."):
                raise self._wrong("not the name of a section")
            name.append(char.lower())
        return "".join(name)

    def _subsection(self, char: str | None) -> str:
        while char is not None and char in _BLANKS and char != "\n":
            char = self.next()
        if char != '"':
            raise self._wrong("a subsection stands in quotes")
        name = ["."]
        while (char := self.next()) != '"':
            char = self.next() if char == "\\" else char
            if char is None or char == "\n":
                raise self._wrong("a quote that does not end")
            name.append(char)
        if self.next() != "]":
            raise self._wrong("a section that does not end")
        return "".join(name)

    def option(self, first: str) -> tuple[str, str | None]:
        """An option in lower case and its value, the first character being read."""
        if not (first.isascii() and first.isalpha()):
            raise self._wrong("neither a section nor an option")
        name = [first.lower()]
        while (char := self.next()) is not None and _is_key(char):
            name.append(char.lower())
        while char in (" ", "\t"):
            char = self.next()
        if char == "\n":
            return "".join(name), None
        if char != "=":
            raise self._wrong("an option without a value takes nothing behind it")
        return "".join(name), self._value()

    def _value(self) -> str:
        out: list[str] = []
        kept = 0  # blanks at the end do not count; those in quotes or with something behind them do
        quoted = False
        while (char := self.next()) is not None and (char != "\n" or quoted):
            if char in _BLANKS and not quoted:
                out += [char] if out else []
                continue
            if char in "#;" and not quoted:
                self.skip_line()
                break
            if char == "\n":
                raise self._wrong("a quote that does not end")
            if char == "\\":
                char = _ESCAPES.get(self.next() or "", None)
                if char is None:
                    raise self._wrong("an unknown escape")
            elif char == '"':
                quoted, char = not quoted, ""
            out += [char] if char else []
            kept = len(out)
        if quoted:
            raise self._wrong("a quote that does not end")
        return "".join(out[:kept])

    def _wrong(self, what: str) -> Unparsable:
        return Unparsable(f"line {self._text.count(chr(10), 0, max(0, self._at - 1)) + 1}: {what}")


def _is_key(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "-")
