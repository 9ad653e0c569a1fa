"""`exactchange docs`: the documentation of this very version, wherever it is installed."""

import pathlib
import re
import sys
from importlib.resources import files
from typing import TYPE_CHECKING

import click

from exactchange.cli import output
from exactchange.errors import InfrastructureError, UsageError

if TYPE_CHECKING:
    from exactchange.values.jsonform import Json

_HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<text>.+?)\s*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@click.command("docs")
@click.argument("topic", metavar="[PAGE[#SECTION]]", required=False)
@output.json_option
def docs(*, topic: str | None, as_json: bool) -> None:
    """Show a page of the documentation, or one section of it; without PAGE, list them.

    On a terminal it is laid out; elsewhere it is Markdown, as it was written.

    \b
      exactchange docs
      exactchange docs task-language#matchers
    """
    folder = docs_dir()
    if topic is None:
        _list(folder, as_json=as_json)
        return
    name, _, section = topic.partition("#")
    file = folder / f"{_page(name, folder)}.md"
    text = file.read_text(encoding="utf-8")
    if section:
        text = _section(text, section, page=file.stem)
    if as_json:
        document: dict[str, Json] = {"schema": "exactchange/docs/1", "page": file.stem, "section": section or None}
        output.say_json(document | {"file": str(file), "text": text})
    elif sys.stdout.isatty():
        output.say(_laid_out(text))
    else:
        output.say(text)


def docs_dir() -> pathlib.Path:
    """The folder of the pages: in a wheel inside this package, in a checkout beside the source roots.

    Raises InfrastructureError when neither is there, which means that the installation is broken.
    """
    package = pathlib.Path(str(files("exactchange")))
    candidates = (package / "docs", package.parents[1] / "docs")
    for folder in candidates:
        if (folder / "task-language.md").is_file():
            return folder
    tried = " nor ".join(map(str, candidates))
    raise InfrastructureError(f"the documentation is neither in {tried}; install exactchange again")


def anchor(heading: str) -> str:
    """The name of a heading in links: `Allow and ignore` is `allow-and-ignore`, as Markdown renderers have it."""
    kept = re.sub(r"[^\w\- ]", "", _LINK.sub(r"\1", heading).casefold())
    return kept.replace(" ", "-")


def headings(text: str) -> list[tuple[int, int, str]]:
    """The headings of a page: number of the line from 0, level from 1, text. What stands in code blocks is none."""
    out: list[tuple[int, int, str]] = []
    fence = ""
    for number, line in enumerate(text.splitlines()):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not line.strip("`~ ") else fence
        elif mark:
            fence = mark[1]
        elif found := _HEADING.fullmatch(line):
            out.append((number, len(found["level"]), found["text"]))
    return out


def _list(folder: pathlib.Path, *, as_json: bool) -> None:
    titles = {file.stem: headings(file.read_text(encoding="utf-8"))[0][2] for file in sorted(folder.glob("*.md"))}
    if as_json:
        pages: list[Json] = [{"page": page, "title": title} for page, title in titles.items()]
        output.say_json({"schema": "exactchange/docs/1", "folder": str(folder), "pages": pages})
        return
    width = max(map(len, titles))
    output.say("\n".join(f"{page:<{width}}  {title}" for page, title in titles.items()))


def _page(name: str, folder: pathlib.Path) -> str:
    """The page of a name; `docs/cli.md` and `cli.md` are `cli` as well."""
    known = sorted(file.stem for file in folder.glob("*.md"))
    bare = name.removeprefix("docs/").removesuffix(".md")
    if bare not in known:
        raise UsageError(f"there is no page {name!r}; {_meant(bare, known)}")
    return bare


def _section(text: str, section: str, *, page: str) -> str:
    """A heading with what is under it, up to the next one that is no deeper."""
    found = headings(text)
    names = [anchor(heading) for _, _, heading in found]
    if section not in names:
        raise UsageError(f"{page} has no section {section!r}; {_meant(section, names)}")
    begin, level, _ = found[names.index(section)]
    end = next((line for line, other, _ in found if line > begin and other <= level), None)
    return "\n".join(text.splitlines()[begin:end]).rstrip() + "\n"


def _meant(word: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"


def _laid_out(text: str) -> str:
    from rich.console import Console
    from rich.markdown import Markdown

    look = output.look()
    console = Console(width=look.width, force_terminal=look.colour, no_color=not look.colour, file=None)
    with console.capture() as caught:
        console.print(Markdown(text, hyperlinks=False))
    return caught.get()
