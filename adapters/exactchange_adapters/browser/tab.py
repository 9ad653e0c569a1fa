"""One tab: walks every frame of its page, over sessions of the reader's own, without touching it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from exactchange_adapters.browser.areas import Areas, impatient, late, patience_s, read_areas, told_by
from exactchange_adapters.browser.saying import Said, asking, understood
from exactchange_adapters.browser.underway import with_underway
from exactchange_adapters.browser.world import Seen, answer, call_on, node_of, open_all, open_one, send

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Frame, Page

WORLD = "exactchange"
REMOTE_SHARE = 0.6
"""Of the time that is left, how much a frame of another site may use up before it is given up."""
DIALOG = "a dialog is open"
MOST_HOSTS = 400
"""Of so many elements that may have a closed shadow tree each is asked; of more the browser lists the whole page."""


@dataclass(frozen=True, slots=True)
class FrameWalk:
    """What was read of one frame. `owner`: number of its element in the parent's nodes, -1 for the main frame.

    `parent`: position of the parent's walk in the tab's list. `text` is what the walk returned, "" when unread (`why`).
    """

    parent: int
    owner: int
    url: str
    text: str
    why: str = ""
    loader: str = ""
    """What the browser calls the document, in this frame and in no other; "" where it is not known."""
    areas: Areas = Areas()
    """What its origin keeps besides; nothing where the frame above is of the same origin and tells the same."""
    underway: str = field(default="", compare=False)
    """What was under way in the document, as its world said it: of that moment, and nothing of the state."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that the browser runs, as it tells itself: a page, a frame of another site, a worker."""

    id: str
    kind: str
    url: str
    context: str
    parent_frame: str


@dataclass
class Tab:
    """A page of the browser with what the reader needs to look into it."""

    number: int
    page: "Page"
    context: "BrowserContext"
    session: "CDPSession"
    target: str
    context_id: str
    dialog: str = ""
    """What is asked in a dialog that is open now: until it is answered, the page cannot be read."""
    crashed: bool = False
    hear: "Callable[[CDPSession], None] | None" = None
    """Told of every further session that reaches a frame of the page."""
    _remote: "dict[str, tuple[Frame, CDPSession]]" = field(default_factory=lambda: {})
    _said: dict[str, Said] = field(default_factory=dict[str, Said])
    """What each frame's world said at the last look."""
    _late: frozenset[str] = frozenset()
    """The documents whose origins kept the last look waiting."""

    def crash(self, _: "Page") -> None:
        """Its process ended."""
        self.crashed = True

    def asked(self, event: Mapping[str, object]) -> None:
        """A dialog opened."""
        self.dialog = str(event.get("type", "dialog"))

    def answered(self, _: object) -> None:
        """The dialog was closed."""
        self.dialog = ""

    def sessions(self) -> "list[CDPSession]":
        """Its own, and those of the frames of other sites that it had at the last look."""
        return [self.session, *(session for _, session in self._remote.values())]

    def blocked(self) -> str:
        """Why it cannot be expected to answer, in words; "" when it can."""
        if self.crashed:
            return "the page crashed"
        return f"{DIALOG} ({self.dialog}), and the page waits for its answer" if self.dialog else ""

    def answers(self) -> None:
        """It was read: whatever stood in the way is gone, also when nobody said so."""
        self.crashed, self.dialog = False, ""

    async def walk(self, targets: Sequence[Target], *, limit_s: float) -> list[FrameWalk]:
        """One look at every frame, parents before children. Raises Gone when the page changed under it.

        `targets`: all of the browser; frames of other sites are targets of their own, and one that does not answer is
        unread alone. TimeoutError: the page itself does not answer within the limit.
        """
        async with asyncio.timeout(limit_s) as within:
            return await self._walk(targets, within)

    async def _walk(self, targets: Sequence[Target], within: asyncio.Timeout) -> list[FrameWalk]:
        look = _Look(patience_s=patience_s(_left(within)), late=self._late)
        await self._walk_session(look, self.session, -1, -1)
        waiting = [target for target in targets if target.kind == "iframe"]
        while True:
            next_ones = [target for target in waiting if target.parent_frame in look.seen]
            if not next_ones:
                self._said = {name: said for name, said in self._said.items() if name in look.seen}
                self._late = frozenset(walk.loader for walk in look.out if late(walk.areas))
                return look.out
            for target in next_ones:
                waiting.remove(target)
                await self._try_remote(look, target, within)

    async def _walk_session(self, look: "_Look", session: "CDPSession", parent: int, owner: int) -> None:
        """Walk what a session reaches. A document that was replaced meanwhile may be either: it has no identity."""
        begin, before = len(look.out), await _frame_tree(session)
        await self._walk_tree(look, session, before, parent, owner)
        there = _loaders(await _frame_tree(session))
        look.out[begin:] = [walk if walk.loader in there else replace(walk, loader="") for walk in look.out[begin:]]

    async def _walk_tree(
        self, look: "_Look", session: "CDPSession", tree: Mapping[str, object], parent: int, owner: int
    ) -> None:
        frame = cast("Mapping[str, object]", tree["frame"])
        world = await send(session, "Page.createIsolatedWorld", {"frameId": str(frame["id"]), "worldName": WORLD})
        seen = Seen(len(look.out), session, cast("int", world["executionContextId"]))
        look.seen[str(frame["id"])] = seen
        # Together, since the browser looks for the one while the page's process is busy with the other.
        walking = asyncio.ensure_future(self._walk_frame(seen, frame, parent, owner))
        walk, areas = await asyncio.gather(walking, _areas(look, seen, frame, walking))
        look.out.append(replace(walk, loader=str(frame.get("loaderId", "")), areas=areas))
        for child in cast("Sequence[Mapping[str, object]]", tree.get("childFrames", ())):
            number = await _owner(seen, _id(child))
            await self._walk_tree(look, session, child, seen.position, number)

    async def _walk_frame(self, seen: "Seen", frame: Mapping[str, object], parent: int, owner: int) -> FrameWalk:
        """Walk a frame, and again as long as the browser knows of closed shadow trees that were not walked yet."""
        name, url = str(frame["id"]), str(frame.get("url", ""))
        while True:
            last = self._said.pop(name, None)
            try:
                state, _, text = (await answer(seen, with_underway(asking(last)))).partition("\n")
                count, said = understood(text, last)
            except ValueError as error:
                return FrameWalk(parent, owner, url, "", f"the walk failed: {error}")
            self._said[name] = said
            if count > MOST_HOSTS:
                opened = await open_all(seen, name)
            else:
                opened = await asyncio.gather(*(open_one(seen, number) for number in range(count)))
            if not any(opened):
                return FrameWalk(parent, owner, url, said.text, underway=state)

    async def _try_remote(self, look: "_Look", target: Target, within: asyncio.Timeout) -> None:
        most = REMOTE_SHARE * _left(within)
        done = len(look.out)
        try:
            await asyncio.wait_for(self._walk_remote(look, target), most)
        except TimeoutError:
            del look.out[done:]  # with the frames in it that were read before
            look.seen = {name: seen for name, seen in look.seen.items() if seen.position < done}
            above = look.seen[target.parent_frame]
            owner = await _owner(above, target.id)
            look.out.append(FrameWalk(above.position, owner, target.url, "", "the frame did not answer in time"))

    async def _walk_remote(self, look: "_Look", target: Target) -> None:
        """A frame of another site lives in a process of its own, with a session of its own."""
        above = look.seen[target.parent_frame]
        owner = await _owner(above, target.id)
        session = await self._attach(target.id)
        if session is None:
            why = "the frame's process could not be attached to"
            look.out.append(FrameWalk(above.position, owner, target.url, "", why))
            return
        await self._walk_session(look, session, above.position, owner)

    async def _attach(self, frame_id: str) -> "CDPSession | None":
        from playwright.async_api import Error

        living = set(self.page.frames)
        self._remote = {name: pair for name, pair in self._remote.items() if pair[0] in living}
        if frame_id in self._remote:
            return self._remote[frame_id][1]
        taken = {pair[0] for pair in self._remote.values()}
        for frame in self.page.frames[1:]:
            if frame in taken:
                continue
            try:
                session = await self.context.new_cdp_session(frame)
            except Error:
                continue  # it shares its parent's process
            self._remote[_id(await _frame_tree(session))] = (frame, session)
            if self.hear is not None:
                self.hear(session)
        pair = self._remote.get(frame_id)
        return None if pair is None else pair[1]


@dataclass(slots=True)
class _Look:
    """One look at a tab while it lasts."""

    out: list[FrameWalk] = field(default_factory=list[FrameWalk])
    seen: "dict[str, Seen]" = field(default_factory=lambda: {})
    """By the browser's frame id."""
    patience_s: float = 0.0
    """How long the next frame may take to tell what its origin keeps."""
    late: frozenset[str] = frozenset()
    """The documents that were too late with that at the last look."""
    told: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Frames, with their origins, that told what their origins keep, or whose frame above did."""


def _left(within: asyncio.Timeout) -> float:
    """Seconds until a time limit."""
    end = within.when()
    assert end is not None
    return max(end - asyncio.get_running_loop().time(), 0)


async def _areas(look: _Look, seen: Seen, frame: Mapping[str, object], walking: "asyncio.Future[FrameWalk]") -> Areas:
    """What the origin of a frame keeps; a frame in one of its own origin shares its stores."""
    name, above, origin = str(frame["id"]), str(frame.get("parentId", "")), str(frame.get("securityOrigin", ""))
    if (above, origin) in look.told:
        look.told.add((name, origin))
        return Areas()
    again = frame.get("loaderId") in look.late
    patience = impatient(look.patience_s) if again else look.patience_s
    areas = await read_areas(seen, name, main=not above, patience_s=patience, walking=walking)
    if late(areas):
        look.patience_s = impatient(look.patience_s)
    elif told_by(areas, origin):
        look.told.add((name, origin))
    return areas


async def _owner(above: Seen, frame_id: str) -> int:
    """Number, in the parent's walk, of the element that holds a frame; -1 when that element is not in the document."""
    found = await send(above.session, "DOM.getFrameOwner", {"frameId": frame_id})
    element = await node_of(above, found["backendNodeId"])
    number = await call_on(above, element, "function() { return globalThis.exactChangeOwners.get(this) ?? -1; }")
    return number if isinstance(number, int) else -1


async def _frame_tree(session: "CDPSession") -> Mapping[str, object]:
    answer = await send(session, "Page.getFrameTree", {})
    return cast("Mapping[str, object]", answer["frameTree"])


def _loaders(tree: Mapping[str, object]) -> set[str]:
    """What the browser calls the documents of a frame and of all below it."""
    frame = cast("Mapping[str, object]", tree["frame"])
    below = cast("Sequence[Mapping[str, object]]", tree.get("childFrames", ()))
    return {str(frame.get("loaderId", ""))}.union(*map(_loaders, below))


def _id(tree: Mapping[str, object]) -> str:
    return str(cast("Mapping[str, object]", tree["frame"])["id"])
