"""The one thing that is put into the texts of a task: `{name}`, with `{{` and `}}` for the braces themselves."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final, TypeAlias

from exactchange.address import key_segment
from exactchange.address.keys import quote
from exactchange.errors import UsageError
from exactchange.task.problem import did_you_mean, one_of
from exactchange.values import Scalar, Value, type_name

BRING_UP: Final = ("workdir", "port", "python")
"""Names that get their value when the world is brought up; they stand in `app` and `sources` only."""
HERE: Final = "here"
"""The folder of the file in which it stands; in `app` only, since a recorded episode can be judged anywhere."""

_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]*"
NAME: Final = re.compile(_NAME)
_PART = re.compile(r"\{\{|\}\}|\{(" + _NAME + r")\}|[{}]")
# A pattern has braces of its own: escaped ones, counts such as {2,3}, and classes such as \p{Greek}.
_COUNT = re.compile(r"\{[0-9]*,?[0-9]*\}")
_PART_OF_PATTERN = re.compile(r"\\[pPx]\{[^{}]*\}|\\.|" + _COUNT.pattern + "|" + _PART.pattern, re.DOTALL)
_SQL_TEXT = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]]*\] | --[^\n]* | /\*.*?(?:\*/|\Z)""",
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(r"[\w\-]+")  # a key that an address need not quote
_MEANT = re.compile(r"""[*\[\]"@#=]""")  # what an address gives a meaning
_BOUND = re.compile(r"[:@$](" + _NAME + r")|\?[0-9]*")

Fault: TypeAlias = Callable[[str, str | None, str], None]
"""Told what is wrong with a text, how to mend it, and which part of the text is meant."""


def expand(text: str, values: Mapping[str, str]) -> str:
    """The text with the names of bring-up put in and `{{ }}` made braces, once: the values are not looked at.

    Raises UsageError for a name that has no value.
    """

    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        if match[1] not in values:
            raise UsageError(f"nothing is called {{{match[1]}}} when the world is brought up, in {text!r}")
        return values[match[1]]

    return _PART.sub(put, text)


def each_text(value: Value, change: Callable[[str], str]) -> Value:
    """A value with every text in it changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: each_text(item, change) for key, item in value.items()}
    return [each_text(item, change) for item in value] if isinstance(value, list | tuple) else value


def names_in(text: str) -> Iterator[str]:
    """The names that stand in braces in a text."""
    return (match[1] for match in _PART.finditer(text) if match[1] is not None)


def bound_names(text: str) -> Iterator[str]:
    """The names that a query binds as `:name`; of other texts, whatever looks like it."""
    return (match[1] for match in _BOUND.finditer(text) if match[1] is not None)


def escape(text: str) -> str:
    """A text in which `expand` and the params change nothing."""
    return text.replace("{", "{{").replace("}", "}}")


def escape_pattern(text: str) -> str:
    """A regular expression in which `put_in_pattern` changes nothing."""
    return _PART_OF_PATTERN.sub(
        lambda m: escape(m[0]) if m[0][0] in "{}" and not _COUNT.fullmatch(m[0]) else m[0], text
    )


def moved(text: str, folder: str) -> str:
    """A text of a fragment as the task that uses it must write it: `{here}` followed by the way to the fragment."""
    return _PART.sub(lambda match: f"{match[0]}/{escape(folder)}" if match[1] == HERE else match[0], text)


def put_in(text: str, params: Mapping[str, Value], fault: Fault, *, deferred: Collection[str] = ()) -> Value:
    """A text with its params; a text that is one `{name}` and nothing else becomes the param with its type.

    `deferred`: names of bring-up; the text is expanded again then, so they stay, and so do doubled braces.
    """
    whole = _PART.fullmatch(text)
    if whole and whole[1] in params:
        return each_text(params[whole[1]], escape) if deferred else params[whole[1]]

    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0] if deferred else _brace(match[0], fault)
        if match[1] in deferred:
            return match[0]
        return escape(_spelt(match[1], params, fault)) if deferred else _spelt(match[1], params, fault)

    if deferred:
        for match in _PART.finditer(text):
            _brace(match[0], fault)
    return _PART.sub(put, text)


def in_key(text: str, fault: Fault) -> str:
    """A key with its doubled braces made single. It holds no param, since rules are told apart by their keys."""

    def put(match: re.Match[str]) -> str:
        if match[1] is not None:
            hint = f"a param stands in a value; the braces themselves are written {{{{{match[1]}}}}}"
            fault(f"{match[0]} stands in a key, where no param is put in", hint, match[0])
            return match[0]
        return _brace(match[0], fault)

    return _PART.sub(put, text)


def put_in_pattern(text: str, params: Mapping[str, Value], fault: Fault) -> str:
    """A regular expression with its params escaped, so that they stand for themselves; its own braces stay."""

    def put(match: re.Match[str]) -> str:
        if match[1] is not None:
            return re.escape(_spelt(match[1], params, fault))
        return _brace(match[0], fault) if match[0] in ("{{", "}}", "{", "}") else match[0]

    return _PART_OF_PATTERN.sub(put, text)


def put_in_address(text: str, params: Mapping[str, Value], fault: Fault) -> Value:
    """An address pattern with its params, each quoted so that it stands for itself: one key, or the value of `[k=…]`.

    Alone, `{name}` is a whole address pattern; within a segment it may hold nothing that has a meaning in addresses.
    """
    whole = _PART.fullmatch(text)
    if whole and whole[1] in params:
        return params[whole[1]]

    def put(match: re.Match[str]) -> str:
        if match[1] is None:
            return _brace(match[0], fault)
        spelt = _spelt(match[1], params, fault)
        before, after = text[: match.start()], text[match.end() :]
        if before.endswith("=") and after[:1] in ("]", ","):
            return key_segment([("k", _scalar(params.get(match[1])))]).removeprefix("k=")
        if before[-1:] in ("", ".") and after[:1] in ("", ".", "["):
            return spelt if _BARE.fullmatch(spelt) else f"[{quote(spelt)}]"
        if _MEANT.search(spelt):
            fault(f"the param {match[1]!r} holds {spelt!r}, which an address would read as a pattern", None, match[0])
        return spelt

    return _PART.sub(put, text)


def bind_in(text: str, params: Mapping[str, Value], fault: Fault) -> str:
    """A query whose `{name}` became the bound `:name`; every bound name must be a param, and stand outside quotes."""
    out: list[str] = []
    end = 0
    for quoted in _SQL_TEXT.finditer(text):
        out += [_bind(text[end : quoted.start()], params, fault), _quoted(quoted[0], fault)]
        end = quoted.end()
    return "".join([*out, _bind(text[end:], params, fault)])


def _bind(text: str, params: Mapping[str, Value], fault: Fault) -> str:
    bound = _PART.sub(lambda match: _brace(match[0], fault) if match[1] is None else f":{match[1]}", text)
    for match in _BOUND.finditer(bound):
        if match[1] is None:
            fault("a query binds its params by name", "write :name", match[0])
        elif match[1] not in params:
            fault(f"no param is called {match[1]!r}", _nearest(match[1], params), match[1])
        elif not isinstance(params[match[1]], bool | int | float | str | bytes | None):
            fault(f"the param {match[1]!r} is a {type_name(params[match[1]])}, which no query can bind", None, match[1])
    return bound


def _quoted(text: str, fault: Fault) -> str:
    for name in names_in(text):
        fault(
            f"{{{name}}} stands inside quotes", "a query binds its params: write :name, without quotes", f"{{{name}}}"
        )
    return _PART.sub(lambda match: match[0][0] if match[1] is None else match[0], text)


def _spelt(name: str, params: Mapping[str, Value], fault: Fault) -> str:
    if name not in params:
        if name in (*BRING_UP, HERE):
            where = "the commands of `app`" if name == HERE else "`app` and `sources`"
            fault(f"{{{name}}} has a value only in {where}", None, f"{{{name}}}")
        else:
            hint = f"{_nearest(name, params)} (the braces themselves are written {{{{ and }}}})"
            fault(f"no param is called {name!r}", hint, f"{{{name}}}")
        return ""
    value = params[name]
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int | float):
        return repr(value)
    fault(f"the param {name!r} is a {type_name(value)}, which cannot stand inside a text", None, f"{{{name}}}")
    return ""


def _nearest(name: str, params: Mapping[str, Value]) -> str:
    return did_you_mean(name, params) or (f"there are {one_of(sorted(params))}" if params else "the task has no params")


def _brace(text: str, fault: Fault) -> str:
    if text in ("{", "}"):
        fault(f"a lone {text!r}", f"write {text * 2} for the brace itself, or {{name}} for a param", text)
    return text[:1]


def _scalar(value: Value) -> Scalar:
    return None if isinstance(value, Mapping) or (isinstance(value, list | tuple)) else value  # type: ignore[return-value]
