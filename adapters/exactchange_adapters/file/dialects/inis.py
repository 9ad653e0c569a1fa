"""INI families to a raw tree `{section: {option: text}}`, each by the rules of its own readers.

`ini`: Python's configparser (options in any case, `=` or `:`, indented lines continue, nothing is a comment behind a
value; a repeated section or option is ambiguous). `ini-systemd`: systemd.syntax(7).
`ini-any`, where only the suffix is known: keeps every difference that one of them would see, so case and repetitions,
of sections too: configparser refuses a file with a section that stands twice.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from exactchange.address import key
from exactchange.values import Value
from exactchange_adapters.file.dialects.parsed import Parsed, Raw, Unparsable, Unusable

Family: TypeAlias = Literal["ini", "ini-any", "ini-systemd"]
FAMILIES: dict[str, Family] = {"ini": "ini", "ini-any": "ini-any", "ini-systemd": "ini-systemd"}

_TWICE: Final = Unusable("the section stands here twice: readers differ in how they join them")


@dataclass(slots=True)
class _Found:
    """What was read so far: options in order, with every value of each (None: an option without a value)."""

    family: Family
    sections: dict[str, dict[str, list[str | None]]] = field(default_factory=dict[str, dict[str, list[str | None]]])
    here: dict[str, list[str | None]] | None = None
    last: list[str | None] | None = None
    indent: int = 0
    blanks: int = 0
    headers: Counter[str] = field(default_factory=Counter[str])

    @property
    def doubled(self) -> dict[str, int]:
        """Sections with several headers, of which there may be one only, and how many."""
        return {name: count for name, count in self.headers.items() if count > 1 and name != "DEFAULT"}

    def enter(self, name: str) -> None:
        self.headers[name] += 1
        self.here = self.sections.setdefault(name, {})
        self.last = None

    def put(self, option: str, value: str | None, number: int) -> None:
        if self.here is None:
            if self.family != "ini-any":
                raise Unparsable(f"line {number}: an option before the first section")
            self.here = self.sections.setdefault("", {})
        self.last = self.here.setdefault(option, [])
        self.last.append(value)


def parse_ini(text: str, *, family: Family) -> Parsed:
    """The sections of a text. Raises Unparsable with the line that is neither section, option nor comment."""
    found = _Found(family)
    for number, line in _joined(text) if family == "ini-systemd" else enumerate(text.split("\n"), 1):
        _line(found, line, number)
    doubled = found.doubled if family != "ini-systemd" else {}
    sections = {
        key(name): _TWICE if family == "ini" and name in doubled else _section(family, options)
        for name, options in found.sections.items()
    }
    facets: dict[str, Value] = {}
    if family == "ini-any" and doubled:
        facets["@repeated"] = {key(name): count for name, count in doubled.items()}
    return Parsed(sections, facets)


def _joined(text: str) -> list[tuple[int, str]]:
    """Lines with their numbers; after a backslash at its end the next line follows, comment lines left out."""
    out: list[tuple[int, str]] = []
    continued = False
    for number, line in enumerate(text.split("\n"), 1):
        comment = line.lstrip()[:1] in ("#", ";")
        if continued and comment:
            continue
        line = line.removesuffix("\r")
        start, before = out.pop() if continued else (number, "")
        body = before + line
        continued = body.endswith("\\") and not comment
        out.append((start, body[:-1] + " " if continued else body))
    return out


def _line(found: _Found, line: str, number: int) -> None:
    bare = line.strip()
    indent = len(line) - len(line.lstrip())
    if not bare:
        found.blanks += 1
        return
    if bare[0] in "#;":
        return
    if indent > found.indent and found.last is not None and found.family in ("ini", "ini-any"):
        found.last[-1] = f"{found.last[-1]}\n{chr(10) * found.blanks}{bare}"
        found.blanks = 0
        return
    found.indent, found.blanks = indent, 0
    if bare.startswith("[") and "]" in bare:
        if not bare.endswith("]") and found.family == "ini-systemd":
            raise Unparsable(f"line {number}: text behind a section's name")
        found.enter(bare[1 : bare.rindex("]")])
        return
    cut = _delimiter(bare, colon=found.family in ("ini", "ini-any"))
    if cut < 1:
        raise Unparsable(f"line {number}: neither a section nor an option with a value")
    option, value = bare[:cut].rstrip(), bare[cut + 1 :].strip()
    found.put(option.lower() if found.family == "ini" else option, value, number)


def _delimiter(line: str, *, colon: bool) -> int:
    places = [line.find(mark) for mark in ("=:" if colon else "=") if mark in line]
    return min(places) if places else -1


def _section(family: Family, options: dict[str, list[str | None]]) -> Raw:
    return {key(option): _value(family, values) for option, values in options.items()}


def _value(family: Family, values: list[str | None]) -> Raw:
    if len(values) == 1:
        return values[0]
    if family == "ini":
        return Unusable("the option stands here twice: readers differ in which one they take")
    if family == "ini-systemd":  # an empty assignment resets what was gathered before it
        last = max((number for number, value in enumerate(values) if value == ""), default=-1)
        return values[last + 1 :]
    return list(values)
