"""The documents of a saved page: its own, and those that stand in its markup as frames."""

import json
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from exactchange.errors import OverBudget, UsageError
from exactchange_adapters.browser.archive import Archive, is_archive, read_archive
from exactchange_adapters.browser.markup import Markup, read_markup

DEEPEST_FRAMES: Final = 8
MOST_FRAMES: Final = 200
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_HEAD: Final = 1024
"""Browsers look for the encoding in so many bytes."""
_CHARSET = re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([\w:.+-]+)", re.IGNORECASE)
# What stands for what on the web (https://encoding.spec.whatwg.org/#names-and-labels), where Python has it otherwise.
_LABELS: Mapping[str, str] = {
    **dict.fromkeys(["ascii", "us-ascii", "iso-8859-1", "iso8859-1", "latin1", "l1", "iso_8859-1"], "windows-1252"),
    **dict.fromkeys(["iso-8859-9", "latin5"], "windows-1254"),
    **dict.fromkeys(["tis-620", "iso-8859-11"], "windows-874"),
    **dict.fromkeys(["gb2312", "gbk", "x-gbk"], "gb18030"),
    **dict.fromkeys(["shift_jis", "sjis", "x-sjis"], "cp932"),
    **dict.fromkeys(["euc-kr", "ks_c_5601-1987"], "cp949"),
    **dict.fromkeys(["utf-16", "utf-16le", "utf-16be", "utf8", "unicode-1-1-utf-8"], "utf-8"),  # in a `<meta>`
}
_CODED: Final = frozenset(
    "utf-8 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 "
    "windows-1258 windows-874 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-10 "
    "iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u gb18030 big5 euc-jp iso-2022-jp cp932 cp949 "
    "macintosh ibm866".split()
)
_TAG = re.compile(r"<[a-zA-Z!/?]")
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d{4,5}\)(\S{1,4000})\s*-->")


class SavedFrame(NamedTuple):
    """A document of a saved page, or why there is none (`why`).

    `parent`: position of the document that it stands in, -1 for the page itself; `owner`: number of its element there.
    `nodes`: the line of nodes that a walk of the live document would give.
    """

    parent: int
    owner: int
    url: str
    nodes: str
    why: str = ""
    title: str = ""
    styled: bool = False


class _Waiting(NamedTuple):
    parent: int
    owner: int
    attributes: Mapping[str, str]
    depth: int


def read_frames(data: bytes) -> list[SavedFrame]:
    """The page's document and its frames', parents first. What cannot be read is a frame with the reason."""
    try:
        archive = read_archive(data) if is_archive(data) else Archive("", data)
        html = _decoded(archive.page)
        if not _TAG.search(html):
            raise UsageError("it holds no markup" if html.strip() else "the file is empty")
        top = read_markup(html)
    except (UsageError, OverBudget) as error:
        return [SavedFrame(-1, -1, "", "", str(error))]
    saved_from = _SAVED_FROM.search(html, 0, 4 * _HEAD)
    out = [_frame(-1, -1, saved_from[1] if saved_from else archive.url, top)]
    waiting = [_Waiting(0, number, attributes, 1) for number, attributes in reversed(top.frames)]
    while waiting:
        frame = waiting.pop()  # what is in a frame before its neighbours, as a browser has it
        url, source = _source(frame.attributes, archive)
        read = _inner(frame, source, len(out))
        if isinstance(read, str):
            out.append(SavedFrame(frame.parent, frame.owner, url, "", read))
        else:
            waiting += [_Waiting(len(out), number, given, frame.depth + 1) for number, given in reversed(read.frames)]
            out.append(_frame(frame.parent, frame.owner, url, read))
    return out


def _source(attributes: Mapping[str, str], archive: Archive) -> tuple[str, str | bytes | None]:
    """The address of a frame, and its markup, None where that is elsewhere."""
    if "srcdoc" in attributes:
        return "about:srcdoc", attributes["srcdoc"]
    url = attributes.get("src", "").strip()
    if not url or url.lower().startswith("about:blank"):
        return url or "about:blank", ""
    return archive.frames.get(url, (url, None))


def _inner(frame: _Waiting, source: str | bytes | None, read: int) -> Markup | str:
    """The document of a frame, or why it cannot be told."""
    if frame.depth > DEEPEST_FRAMES or read >= MOST_FRAMES:
        return "more frames, or deeper ones, than are read"
    if source is None:
        return "the document of this frame is not in the file"
    try:
        return read_markup(source if isinstance(source, str) else _decoded(source))
    except (OverBudget, UsageError) as error:
        return str(error)


def _frame(parent: int, owner: int, url: str, read: Markup) -> SavedFrame:
    nodes = json.dumps(read.nodes, separators=(",", ":"), ensure_ascii=False)
    return SavedFrame(parent, owner, url, nodes, "", read.title, read.styled)


def _decoded(data: bytes) -> str:
    """The text of a file, in the encoding that it says. Raises UsageError where it says none and is not UTF-8."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data.decode(codec, "replace")
    if b"\x00" in data[:_HEAD]:
        raise UsageError("it is no text")
    said = _CHARSET.search(data, 0, _HEAD)
    if said is not None:
        label = said[1].decode("ascii").lower()
        codec = _LABELS.get(label, label)
        if codec not in _CODED:
            raise UsageError(f"it is written in {label}, which is not known here")
        return data.decode(codec, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError("it does not say its encoding, and is not UTF-8") from error
