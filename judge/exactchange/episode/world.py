"""Where a run takes place: what the names in a task file stand for."""

import pathlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from exactchange.errors import UsageError
from exactchange.sources import SourceParams
from exactchange.sources.registry import AnyKind

_NAMES = re.compile(r"\{\{|\}\}|\{(workdir|port|python|here)\}")


@dataclass(frozen=True, slots=True)
class RunWorld:
    """What a run brought up, or the directory that stands for it offline; implements `exactchange.sources.World`.

    `cdp_url`: the browser's debugging endpoint. `own_browser`: it was started for this run, and is nobody else's.
    `port`: of the application, on loopback. `python`: the interpreter for `{python}`. `here`: folder of the task file,
    for the commands of its application. `claimed`: files that belong to a source of their own; a Session adds those of
    its task.
    """

    workdir: pathlib.Path
    cdp_url: str | None = None
    port: int | None = None
    python: str = ""
    here: pathlib.Path | None = None
    claimed: frozenset[pathlib.Path] = frozenset()
    own_browser: bool = False

    def expand(self, text: str) -> str:
        """The names of bring-up in a text of the task, once; `{{` and `}}` are braces that stand for themselves.

        Raises UsageError for a name that has no value.
        """
        return _NAMES.sub(lambda found: found[0][0] if found[1] is None else self._value(found[1]), text)

    def with_claims(self, sources: Iterable[tuple[AnyKind, SourceParams]]) -> "RunWorld":
        """The world in which every source's own files are claimed."""
        claims = [path for kind, params in sources for path in kind.claims(params)]
        return replace(self, claimed=self.claimed.union(claims))

    def _value(self, name: str) -> str:
        values: Mapping[str, str] = {
            "workdir": str(self.workdir),
            "port": "" if self.port is None else str(self.port),
            "python": self.python,
            "here": "" if self.here is None else str(self.here),
        }
        if not values[name]:
            raise UsageError(f"the task says {{{name}}}, but this run has none; give the run's world a {name}")
        return values[name]
