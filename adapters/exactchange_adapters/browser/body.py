"""The body of a request as a value: form fields and JSON, without the secrets in it."""

import email.message
import email.parser
import email.policy
import json
from collections.abc import Mapping, Sequence
from typing import cast
from urllib.parse import parse_qsl

from exactchange.address import key
from exactchange.values import ABSENT, State, Value
from exactchange_adapters.browser.secrets import Secrecy

LARGEST_BODY = 256 * 1024
DEEPEST = 40


def body_value(content_type: str, data: bytes, secrecy: Secrecy) -> State:
    """Form fields as a mapping (a list where a name is repeated), JSON as it is, other text as text.

    ABSENT when it is none of them, malformed or too large: then its content is not known. A file that is sent is
    {"@file": name, "size": bytes}. What a field's name says is secret is hidden.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if len(data) > LARGEST_BODY:
        return ABSENT
    try:
        if kind == "application/x-www-form-urlencoded":
            return _fields(parse_qsl(data.decode(), keep_blank_values=True, strict_parsing=bool(data)), secrecy)
        if kind == "multipart/form-data":
            return _parts(content_type, data, secrecy)
        if kind.endswith(("/json", "+json")):
            return _clean(_json(data), "", secrecy, 0)
        if kind.startswith("text/"):
            return _text_or_json(data.decode(), secrecy)
    except (ValueError, LookupError, RecursionError):
        return ABSENT
    return ABSENT


def _text_or_json(text: str, secrecy: Secrecy) -> Value:
    """`fetch` sends JSON as text/plain when no header is set: what is in it must be hidden all the same."""
    if text.lstrip()[:1] in ("{", "["):
        return _clean(_json(text), "", secrecy, 0)
    return secrecy.named("", text)


def _json(text: str | bytes) -> object:
    """What JSON says. Raises ValueError where it says it twice: servers differ in which they take."""
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: Sequence[tuple[str, object]]) -> Mapping[str, object]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ValueError("a key stands there twice")
    return out


def _fields(pairs: Sequence[tuple[str, Value]], secrecy: Secrecy) -> Value:
    out: dict[str, Value] = {}
    for name, value in pairs:
        stored = secrecy.named(name, value) if isinstance(value, str) else value
        old = out.get(key(name))
        if key(name) not in out:
            out[key(name)] = stored
        else:
            out[key(name)] = [*old, stored] if isinstance(old, list) else [old, stored]
    return out


def _parts(content_type: str, data: bytes, secrecy: Secrecy) -> State:
    header = f"content-type: {content_type}\r\n\r\n".encode("latin-1")
    message = email.parser.BytesParser(policy=email.policy.compat32).parsebytes(header + data)
    if not message.is_multipart():
        return ABSENT
    pairs: list[tuple[str, Value]] = []
    for part in cast("list[email.message.Message]", message.get_payload()):
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            return ABSENT
        sent = part.get_filename()
        pairs.append((name, content.decode() if sent is None else {"@file": sent, "size": len(content)}))
    return _fields(pairs, secrecy)


def _clean(document: object, name: str, secrecy: Secrecy, depth: int) -> Value:
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    if isinstance(document, dict):
        items = cast("Mapping[str, object]", document).items()
        return {key(field): _clean(item, field, secrecy, depth + 1) for field, item in items}
    if isinstance(document, list):
        return [_clean(item, name, secrecy, depth + 1) for item in cast("list[object]", document)]
    if isinstance(document, str):
        return secrecy.named(name, document)
    if isinstance(document, int | float) and not isinstance(document, bool) and secrecy.named(name, "x") != "x":
        return secrecy.hide(str(document))
    return cast("Value", document)
