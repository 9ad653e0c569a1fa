"""What a reader that knows secrets may do for the log of a run: an agent says what it types, also into such a field."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from exactchange.values import Value


@runtime_checkable
class Concealing(Protocol):
    """A reader that can tell which texts are secrets; see `exactchange.sources.Reader`."""

    async def conceal(self, kind: str, args: Mapping[str, Value]) -> Mapping[str, Value]:
        """The arguments of an action that is about to be done, with every secret in them hidden as in a snapshot.

        `kind`: of the action. The same object where nothing is hidden. Never raises: what cannot be told is hidden.
        """
        ...
