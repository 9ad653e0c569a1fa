"""The environment of what a run starts: nothing is imported from a place where an agent can write."""

import os
import pathlib
import sys
from collections.abc import Mapping

_SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PASSED_ON = ("TZ", "TMPDIR", "LD_LIBRARY_PATH")


def application(home: pathlib.Path) -> dict[str, str]:
    """A clean environment for the application: of ours, only what it needs to run at all."""
    env = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    env |= {
        "PATH": os.pathsep.join((os.path.dirname(sys.executable), _SYSTEM)),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PYTHONSAFEPATH": "1",  # not from the working directory
        "PYTHONNOUSERSITE": "1",  # not from HOME
        "PYTHONDONTWRITEBYTECODE": "1",  # nothing appears beside what is judged
        "PYTHONUNBUFFERED": "1",  # what it says is there when it dies
    }
    roots = _own_roots()
    return env | ({"PYTHONPATH": os.pathsep.join(roots)} if roots else {})


def agent(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of an agent: the user's own, which it needs for its keys, and its world."""
    return {**os.environ, **settings}


def _own_roots() -> list[str]:
    """Where this package was imported from, if a fresh interpreter would not find it: a checkout on PYTHONPATH, or a
    user's own site-packages.
    """
    given = {os.path.abspath(part) for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part}
    roots: list[str] = []
    for part in dict.fromkeys(os.path.abspath(entry) for entry in sys.path if entry):
        holds = any(pathlib.Path(part).glob("exactchange*/__init__.py"))
        if holds and (part in given or _in_user_site(part)):
            roots.append(part)
    return roots


def _in_user_site(part: str) -> bool:
    import site

    return site.ENABLE_USER_SITE is True and os.path.abspath(site.getusersitepackages()) == part
