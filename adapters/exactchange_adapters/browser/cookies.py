"""The cookies of a browser context as values, by name."""

from collections.abc import Mapping, Sequence

from exactchange.address import key, key_segment
from exactchange.values import Value
from exactchange_adapters.browser.secrets import Secrecy


def cookie_values(cookies: Sequence[Mapping[str, object]], secrecy: Secrecy) -> dict[str, Value]:
    """By name; where several share one, the one for the whole site keeps it and the others say where they belong."""
    out: dict[str, Value] = {}
    for cookie in sorted(cookies, key=lambda c: (str(c["name"]), c["path"] != "/", str(c["domain"]), str(c["path"]))):
        name = key(str(cookie["name"]))
        if name in out:
            name = key_segment([(field, str(cookie[field])) for field in ("name", "domain", "path")])
        again = 2
        while name in out:  # partitioned by the site they were set in
            name = key_segment([("name", str(cookie["name"])), ("n", again)])
            again += 1
        out[name] = _cookie(cookie, secrecy)
    return out


def _cookie(cookie: Mapping[str, object], secrecy: Secrecy) -> Mapping[str, Value]:
    text, name = str(cookie["value"]), str(cookie["name"])
    return {
        "value": secrecy.hide(text) if cookie.get("httpOnly") else secrecy.named(name, text),
        "domain": str(cookie["domain"]),
        "path": str(cookie["path"]),
        "session": bool(cookie.get("session")),
        "httpOnly": bool(cookie.get("httpOnly")),
        "secure": bool(cookie.get("secure")),
        "sameSite": str(cookie.get("sameSite", "")),
    }
