"""The dialects of text files: their names, which one a file's name tells, and their parsers.

| dialect | read as |
|---|---|
| `yaml-1.1`, `yaml-1.2` | YAML by the 1.1 types, or by the 1.2 core schema |
| `json`, `jsonc` | strict JSON; JSON with comments and trailing commas |
| `toml` | TOML 1.0 |
| `ini`, `ini-trac` | Python's configparser; `ini-git`: git; `ini-systemd`: systemd units |
| `dotenv` | environment files by python-dotenv's rule |
| `text`, `binary` | lines; hash and size |

A dialect that is not declared is told by the name (`kind_of_name`) and read so that no plausible reader's difference
is lost: YAML by both versions, INI with case and repetitions kept, environment files with what other readers see.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal, TypeAlias

from exactchange.limits import Budget
from exactchange_adapters.file.dialects.parsed import Parsed

Dialect: TypeAlias = Literal[
    "yaml-1.1",
    "yaml-1.2",
    "json",
    "jsonc",
    "toml",
    "ini",
    "ini-trac",
    "ini-git",
    "ini-systemd",
    "dotenv",
    "text",
    "binary",
]
Format: TypeAlias = Literal["yaml", "json", "jsonc", "toml", "ini", "dotenv"]
Parser: TypeAlias = Callable[[str, Budget], Parsed]

_SUFFIXES: Final[dict[str, Format]] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonc": "jsonc",
    ".toml": "toml",
    ".ini": "ini",
    ".cfg": "ini",
    ".env": "dotenv",
}


def format_of_name(name: str) -> Format | None:
    """The format that a file's name tells, or None. `.env.local` is an environment file; `.conf` tells nothing."""
    base = name.rpartition("/")[2].casefold()
    if base == ".env" or base.startswith(".env."):
        return "dotenv"
    return next((found for suffix, found in _SUFFIXES.items() if base.endswith(suffix)), None)


def parser_for(dialect: Dialect | None, name: str) -> Parser | None:
    """The parser of a declared dialect, or of the one that the name tells; None for text and binary."""
    if dialect in ("text", "binary"):
        return None
    return _declared(dialect) if dialect is not None else _undeclared(format_of_name(name))


def _declared(dialect: Dialect) -> Parser:
    if dialect in ("yaml-1.1", "yaml-1.2"):
        return partial(_yaml, dialect)
    if dialect in ("ini", "ini-trac", "ini-systemd"):
        return partial(_ini, "ini" if dialect == "ini-trac" else dialect)
    if dialect == "dotenv":
        return partial(_dotenv, True)
    return partial(_plainly, dialect)


def _undeclared(found: Format | None) -> Parser | None:
    if found is None:
        return None
    if found == "yaml":
        return partial(_yaml, None)
    if found == "ini":
        return partial(_ini, "ini-any")
    if found == "dotenv":
        return partial(_dotenv, False)
    return partial(_plainly, "json-by-name" if found == "json" else found)


# The parsers are imported when a file needs them: a command line that judges no YAML must not load a YAML library.


def _yaml(dialect: str | None, text: str, budget: Budget) -> Parsed:
    from exactchange_adapters.file.dialects.yamls import parse_yaml

    return parse_yaml(text, dialect=dialect, budget=budget)


def _ini(family: str, text: str, budget: Budget) -> Parsed:
    from exactchange_adapters.file.dialects.inis import FAMILIES, parse_ini

    return parse_ini(text, family=FAMILIES[family])


def _dotenv(declared: bool, text: str, budget: Budget) -> Parsed:
    from exactchange_adapters.file.dialects.dotenvs import parse_dotenv

    return parse_dotenv(text, declared=declared)


def _plainly(dialect: str, text: str, budget: Budget) -> Parsed:
    from exactchange_adapters.file.dialects import gits, jsons, tomls

    parsers: dict[str, Callable[[str], Parsed]] = {
        "ini-git": gits.parse_git,
        "json": jsons.parse_json,
        "json-by-name": jsons.parse_suffix_json,
        "jsonc": jsons.parse_jsonc,
        "toml": tomls.parse_toml,
    }
    return parsers[dialect](text)
