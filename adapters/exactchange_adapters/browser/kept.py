"""What the origins of a browser keep, as values: read from what `areas.js` tells, remembered by context and origin."""

import base64
import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from exactchange.address import key, key_segment
from exactchange.errors import OverBudget
from exactchange.limits import Budget
from exactchange.values import Path, Scalar, Value
from exactchange_adapters.browser.areas import Areas
from exactchange_adapters.browser.secrets import MARK, Secrecy, looks_secret

MOST_ORIGINS = 500
"""Of one browser context."""
LONGEST_BYTES = 64 * 1024
"""Of longer ones a keyed hash is kept."""
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_KINDS: Final = {"databases": "indexeddb", "caches": "caches", "files": "files", "workers": "workers"}
_UNTOLD: Final[Mapping[str, Path]] = {"workers": ("@storage", "workers"), "permissions": ("@permissions",)}
"""What not every frame of an origin can tell, by the place of it."""
_NAMING: Final = ("name", "key", "id", "k")
"""Fields of an object that may say what another field of it holds."""

Missing: TypeAlias = tuple[Path, str]
"""Where something is unread, and why."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What one origin keeps. `missing`: what of it is unread, as paths below the place of its browser context."""

    told: Areas
    stored: Mapping[str, Value]
    """By kind: indexeddb, caches, files, workers; none where there is nothing of the kind."""
    permissions: Sequence[Value]
    missing: Sequence[Missing]


@dataclass
class Kept:
    """What is known of all origins that were seen, by browser context and label, also of those that pages have left."""

    _known: dict[str, dict[str, Origin]] = field(default_factory=dict[str, dict[str, Origin]])
    _crowded: set[str] = field(default_factory=set[str])

    def take(self, context: str, origin: str, told: Areas, *, secrecy: Secrecy, budget: Budget) -> None:
        """Remember what a frame of this origin told; nothing where another frame told it."""
        if not told.text and not told.why:
            return
        known = self._known.setdefault(context, {})
        label = labelled(origin, told.partition)
        before = known.get(label)
        if before is not None and before.told == told:
            return
        now = _understood(label, told, before, secrecy, budget)
        known.pop(label, None)
        if not (now.stored or now.permissions or now.missing):
            return
        if len(known) < MOST_ORIGINS:
            known[label] = now
        else:
            self._crowded.add(context)

    def storage(self, context: str) -> dict[str, Value]:
        """The part of `@storage` that is kept here, by kind and label."""
        out: dict[str, dict[str, Value]] = {}
        for label, origin in sorted(self._known.get(context, {}).items(), key=_label):
            for kind, value in origin.stored.items():
                out.setdefault(kind, {})[key(label)] = value
        return dict(out)

    def permissions(self, context: str) -> Value:
        """The names of what was granted, by label."""
        known = self._known.get(context, {})
        return {key(label): list(origin.permissions) for label, origin in known.items() if origin.permissions}

    def missing(self, context: str) -> Iterator[Missing]:
        """What is unread of it."""
        for _, origin in sorted(self._known.get(context, {}).items(), key=_label):
            yield from origin.missing
        if context in self._crowded:
            yield ("@storage",), "more origins keep something than are remembered"


def _label(item: tuple[str, Origin]) -> str:
    return item[0]


def labelled(origin: str, partition: str) -> str:
    """What an origin is called; a frame in pages of another site has stores of its own there."""
    return f"{origin} in {partition}" if partition else origin


def _understood(label: str, told: Areas, before: Origin | None, secrecy: Secrecy, budget: Budget) -> Origin:
    nothing = [(("@storage", kind, key(label)), told.why) for kind in _KINDS.values()]
    if told.why:
        return Origin(told, {}, (), [*nothing, (("@permissions", key(label)), told.why)])
    try:
        return _Understanding(label, secrecy, budget).of(told, before)
    except (OverBudget, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        return Origin(told, {}, (), [(path, f"it cannot be read: {error}") for path, _ in nothing])


def _known(before: Origin | None, kind: str) -> Value:
    return before.stored.get(kind) if before is not None else None


class _Understanding:
    def __init__(self, label: str, secrecy: Secrecy, budget: Budget) -> None:
        self._label = key(label)
        self._secrecy = secrecy
        self._budget = budget
        self._missing: list[Missing] = []

    def of(self, told: Areas, before: Origin | None) -> Origin:
        """What was told; `before`: what was known, for what this frame could not tell."""
        self._budget.spend(bytes=len(told.text))
        said = cast("Mapping[str, object]", json.loads(told.text))
        for name, reason in cast("Mapping[str, str]", said["why"]).items():
            where = ("@storage", _KINDS[name]) if name in _KINDS else ("@permissions",)
            self._missing.append(((*where, self._label), reason))
        stored: dict[str, Value] = {
            "indexeddb": self._databases(cast("Sequence[Mapping[str, object]]", said["databases"])),
            "caches": list(cast("Sequence[str]", said["caches"])),
            "files": self._files(cast("Sequence[Sequence[object]]", said["files"])),
            "workers": _known(before, "workers")
            if said["workers"] is None
            else self._workers(cast("Sequence[Sequence[object]]", said["workers"])),
        }
        if before is not None:
            untold = {place for name, place in _UNTOLD.items() if said[name] is None}
            self._missing += [item for item in before.missing if item[0][:-1] in untold]
        asked = cast("Sequence[Value] | None", said["permissions"])
        granted = (before.permissions if before else ()) if asked is None else asked
        return Origin(told, {kind: value for kind, value in stored.items() if value}, granted, self._missing)

    def _files(self, told: Sequence[Sequence[object]]) -> Value:
        """By path: each as a file of a database is, and a folder as nothing."""
        above = ("@storage", "files", self._label)
        return {key(str(path)): self._value(file, (*above, key(str(path))), "", False) for path, file in told}

    def _workers(self, told: Sequence[Sequence[object]]) -> Value:
        """By scope: the script and state of the one that is active, and of those that are on their way."""
        out: dict[str, Value] = {}
        for scope, *workers in told:
            roles = zip(("installing", "waiting", "active"), cast("list[list[str] | None]", workers), strict=True)
            out[key(str(scope))] = {
                role: {"script": self._secrecy.url(worker[0]), "state": worker[1]} for role, worker in roles if worker
            }
        return out

    def _databases(self, told: Sequence[Mapping[str, object]]) -> Value:
        out: dict[str, Value] = {}
        for database in told:
            name = str(database["name"])
            path = ("@storage", "indexeddb", self._label, key(name))
            stores: dict[str, Value] = {"@version": cast("int", database["version"])}
            if database["why"]:
                self._missing.append((path, str(database["why"])))
            for store in cast("Sequence[Mapping[str, object]]", database["stores"]):
                stores[key(str(store["name"]))] = self._store(store, path, looks_secret(name))
            out[key(name)] = stores
        return out

    def _store(self, store: Mapping[str, object], above: Path, secret: bool) -> Value:
        name, path = str(store["name"]), (*above, key(str(store["name"])))
        secret = secret or looks_secret(name)
        if store["why"]:
            self._missing.append((path, str(store["why"])))
        indexes = {
            key(str(index)): {"path": cast("Value", by), "unique": unique is True, "multiple": many is True}
            for index, by, unique, many in cast("Sequence[Sequence[object]]", store["indexes"])
        }
        schema: Value = {"path": cast("Value", store["path"]), "counts": store["counts"] is True, "indexes": indexes}
        out: dict[str, Value] = {"@schema": schema}
        for told, value in cast("Sequence[Sequence[object]]", store["records"]):
            segment, called = self._segment(told, store["path"], secret)
            out[segment] = self._value(value, (*path, segment), called, secret or looks_secret(called))
        return out

    def _segment(self, told: object, path: object, secret: bool) -> tuple[str, str]:
        """The segment of a record, `id=7` where the record holds its key, and what it is called."""
        found = self._value(told, (), path if isinstance(path, str) else "", secret)
        called = told if isinstance(told, str) else ""
        if isinstance(found, Mapping):  # a secret, or a date beyond those that there are
            digits = str(found.get(MARK, json.dumps(found, default=str)))
            return key_segment([("secret" if MARK in found else "key", digits[:32])]), called
        if isinstance(found, list):
            paths = cast("Sequence[str]", path) if isinstance(path, list) else ()
            if len(paths) == len(found) and not any(isinstance(part, list | Mapping) for part in found):
                return key_segment(list(zip(paths, cast("list[Scalar]", found), strict=True))), called
            return key_segment([("key", json.dumps(found, default=str))]), called
        scalar = cast("Scalar", found)
        return (key_segment([(path, scalar)]) if isinstance(path, str) else key(scalar)), called

    def _value(self, told: object, path: Path, name: str, secret: bool) -> Value:
        """A value as it was told, with what is secret in it hidden. Of `secret` ones every text and number is."""
        self._budget.spend(nodes=1)
        if isinstance(told, str):
            return self._text(told, name, secret)
        if told is None or isinstance(told, bool):
            return told
        if isinstance(told, int | float):
            return self._secrecy.hide(str(told)) if secret else told
        kind, *parts = cast("list[object]", told)
        if kind == "a":
            return [self._value(part, (*path, n), name, secret) for n, part in enumerate(parts)]
        if kind == "o":
            return self._named(parts, path, secret)
        if kind == "?":
            self._missing.append((path, str(parts[0])))
            return None
        plain = self._plain(str(kind), parts, secret)
        return self._made(str(kind), parts, path, secret) if plain is None else plain

    def _text(self, text: str, name: str, secret: bool) -> Value:
        return self._secrecy.hide(text) if secret else self._secrecy.named(name, text)

    def _named(self, parts: Sequence[object], path: Path, secret: bool) -> dict[str, Value]:
        pairs = list(zip(cast("Sequence[str]", parts[::2]), parts[1::2], strict=True))
        told = any(name in _NAMING and isinstance(value, str) and looks_secret(value) for name, value in pairs)
        return {
            key(name): self._value(
                value, (*path, key(name)), name, secret or looks_secret(name) or (told and name not in _NAMING)
            )
            for name, value in pairs
        }

    def _plain(self, kind: str, parts: Sequence[object], secret: bool) -> Value:
        """Values of one piece; None for others."""
        if kind == "u":
            return {"@undefined": True}
        if kind == "d":
            return self._date(parts[0])
        if kind == "b":
            return self._bytes(base64.b64decode(str(parts[0])), secret)
        if kind in ("n", "i") and secret:
            return self._secrecy.hide(str(parts[0]))
        if kind == "n":
            return float(str(parts[0]))
        return {"@bigint": str(parts[0])} if kind == "i" else None

    def _made(self, kind: str, parts: Sequence[object], path: Path, secret: bool) -> Value:
        if kind == "m":
            pairs = zip(parts[::2], parts[1::2], strict=True)
            return {"@map": [self._pair(k, v, (*path, "@map", n), secret) for n, (k, v) in enumerate(pairs)]}
        if kind == "s":
            return {"@set": [self._value(part, (*path, "@set", n), "", secret) for n, part in enumerate(parts)]}
        if kind == "l":
            return {"@list": cast("int", parts[0]), **self._named(parts[1:], path, secret)}
        if kind == "v":
            return {"@view": str(parts[0]), "bytes": self._bytes(base64.b64decode(str(parts[1])), secret)}
        if kind == "f":
            return self._file(parts, path, secret)
        if kind in ("r", "e"):
            first, second = (self._text(str(part), "", secret) for part in parts)
            return {"@regexp": first, "flags": second} if kind == "r" else {"@error": first, "message": second}
        raise ValueError(f"a value of an unknown kind, {kind!r}")

    def _pair(self, told: object, value: object, path: Path, secret: bool) -> Value:
        name = told if isinstance(told, str) else ""
        return [
            self._value(told, (*path, 0), "", secret),
            self._value(value, (*path, 1), name, secret or looks_secret(name)),
        ]

    def _date(self, told: object) -> Value:
        if not isinstance(told, int | float):
            return {"@date": None}  # one that is none
        try:
            return _EPOCH + dt.timedelta(milliseconds=told)
        except OverflowError:
            return {"@date": told}

    def _file(self, parts: Sequence[object], path: Path, secret: bool) -> Value:
        kind, size, name, content = parts
        out: dict[str, Value] = {"@file": cast("str | None", name), "type": str(kind), "size": cast("int", size)}
        if isinstance(content, str):
            return {**out, "content": self._bytes(base64.b64decode(content), secret)}
        self._missing.append(((*path, "content"), "its content cannot be read"))
        return out

    def _bytes(self, data: bytes, secret: bool) -> Value:
        if secret:
            return {MARK: self._secrecy.digest(data)}
        if len(data) > LONGEST_BYTES:
            return {"@bytes": len(data), "hash": self._secrecy.digest(data)}
        text = data.decode(errors="replace")  # what is written down as bytes is no less a secret
        return data if self._text(text, "", False) == text else {MARK: self._secrecy.digest(data)}
