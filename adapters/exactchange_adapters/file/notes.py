"""What is worth a note between two states of a file that is no change of its meaning."""

from collections.abc import Iterator, Mapping

from exactchange.snapshot import Note
from exactchange.values import Value, same
from exactchange_adapters.file.content import LAYOUT
from exactchange_adapters.file.meanings import Compared


def notes_on(
    compared: Compared, before: Mapping[str, Value], after: Mapping[str, Value], *, where: str = ""
) -> Iterator[Note]:
    """Notes on dialects, encoding and formatting. `before` and `after` are the snapshots' own trees of the file."""
    for dialect in sorted({name for names in compared.only_in.values() for name in names}):
        places = [address for address, names in compared.only_in.items() if dialect in names]
        shown = ", ".join(places[:5]) + (f" and {len(places) - 5} more" if len(places) > 5 else "")
        yield Note("dialect", f"{where}only {dialect} reads another value at {shown}; `dialect:` settles it")
    old, new = before.get(LAYOUT), after.get(LAYOUT)
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return
    for part in ("encoding", "newlines"):
        if old[part] != new[part]:
            yield Note("encoding", f"{where}{part}: {old[part]} -> {new[part]}")
    if old["bytes"] != new["bytes"] and same(compared.before, compared.after):
        yield Note("formatting", f"{where}the text changed and its meaning did not: comments, order or layout")
