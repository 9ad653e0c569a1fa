"""`python:` asks a function of the task's own: the one kind of condition that is code, and only where it is trusted."""

import dis
import re
import sys
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from traceback import walk_tb
from types import CodeType, FrameType, ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from exactchange.conditions.counting import shortened
from exactchange.conditions.evaluation import Evaluation, Result
from exactchange.conditions.view import CaseView, copied, looked_at_actions
from exactchange.errors import InfrastructureError, UsageError
from exactchange.values import Value
from exactchange.values.checked import checked_value
from exactchange.verdict import Truth

if TYPE_CHECKING:
    from _typeshed import TraceFunction

_LONGEST: Final = 2_000
MOST_LINES: Final = 5_000_000
"""Lines of its file that a function may run: three to five seconds of work, and the same number on every machine."""
PATIENCE_S: Final = 120.0
"""How long one question may take: only for what has no lines to count, such as an endless call of a library."""
_NO_FUNCTION: Final = object()
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]+")


class Named(NamedTuple):
    """`checks.py:function`, taken apart; `file` is relative to the file in which the condition stands."""

    file: str
    function: str


@dataclass(frozen=True, slots=True)
class Script:
    """A function, and the very bytes that define it: what was read when the task was loaded is what runs."""

    name: Named
    code: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """BLAKE2b-256 of the code, in hexadecimal."""
        return blake2b(self.code, digest_size=32).hexdigest()


def named(text: str) -> Named:
    """What the text of a condition names. Raises UsageError when it is no file and function, or leaves its folder."""
    file, colon, function = text.rpartition(":")
    parts = file.split("/")
    plain = not re.search(r"[\\:{}\x00-\x1f]", file) and file.endswith(".py")
    if not (colon and plain and function.isidentifier()):
        raise UsageError('`python` names a file and a function in it; write "checks.py:function"')
    if file.startswith("~") or any(part in ("", ".", "..") for part in parts):
        raise UsageError("`python` names a file beside the task or below; write its path from there, such as checks.py")
    return Named(file, function)


def check_script(script: Script | None, text: str, evaluation: Evaluation, *, doubt: Truth) -> Result:
    """What the function says of the case. Whatever goes wrong in it: nobody can tell.

    `doubt`: the truth to take, of two, where the agent's word decides. It is asked of a whole episode only.
    """
    if script is None:
        return Result(None, f"{text} was loaded without trust, so it was not asked")
    if not evaluation.ends:
        return Result(None, "the episode is not over")
    view = CaseView(evaluation)
    believed = _asked(script, view)
    if not looked_at_actions(view) or all(item.reported_by != "agent" for item in evaluation.case.actions):
        return believed
    without = _asked(script, CaseView(evaluation, True))
    if without.truth is believed.truth:
        return believed
    truth = doubt if doubt in (without.truth, believed.truth) else None
    return Result(truth, f"only the agent says so: {believed.why}", believed.evidence)


def _asked(script: Script, view: CaseView) -> Result:
    """One question, in a thread of its own: whatever is raised there, an exit included, ends nothing else.

    Raises InfrastructureError where no answer comes: how long a machine takes says nothing of the case.
    """
    said: list[Result] = []
    printed: list[str] = []
    ended = threading.Event()
    count = _Count(script.name.file, ended)

    def show(*values: object, sep: str | None = " ", end: str | None = "\n", file: object = None, **_: object) -> None:
        """In place of `print`: what a function says stands in the finding, and never between a command's own output."""
        printed.append((" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end))

    def ask() -> None:
        before = sys.gettrace()
        sys.settrace(count.called)
        try:
            said.append(_result(script, _given(script, view, {"print": show})))
        except BaseException as error:  # noqa: BLE001  # never a pass: the finding says that nobody can tell
            said.append(Result(None, _raised(script, error)))
        finally:
            sys.settrace(before)
            ended.set()

    thread = threading.Thread(target=ask, name=script.name.file, daemon=True)
    thread.start()
    if not ended.wait(PATIENCE_S):
        raise InfrastructureError(
            f"{_title(script)} did not answer within {PATIENCE_S:g} s, so there is no verdict; mend the function"
        )
    if count.exhausted:  # whatever it catches, answers or prints by now
        return Result(None, f"{_title(script)} ran more than {MOST_LINES:,} lines of its file: is it endless?")
    result = said[0]
    text = "".join(printed)
    if not text:
        return result
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"
    return replace(result, evidence=(*result.evidence, {"kind": "printed", "text": shown}))


class _Exhausted(BaseException):
    """A function used up its lines; not caught by one that catches every Exception."""


class _Count:
    """Counts the lines of one file that a thread runs, calls included; the last one is stopped."""

    def __init__(self, file: str, ended: threading.Event) -> None:
        self.exhausted = False
        self._file, self._ended, self._left = file, ended, MOST_LINES

    def called(self, frame: FrameType, event: str, argument: object) -> "TraceFunction | None":
        """Told of every call; what libraries run is not counted, since it depends on what they keep."""
        if frame.f_code.co_filename != self._file:
            return None
        frame.f_trace_opcodes = _spins(frame.f_code)
        return self.line(frame, event, argument)

    def line(self, frame: FrameType, event: str, argument: object) -> "TraceFunction":
        """Told of every line of the file."""
        self._left -= 1
        if self._left < 0:
            self.exhausted = True
            self._ended.set()
            raise _Exhausted
        return self.line


@lru_cache(maxsize=1_000)
def _spins(code: CodeType) -> bool:
    """Whether some instruction jumps to itself, as in `while True: pass`: Python tells of no line there."""
    return any(step.opcode in dis.hasjrel and step.argval == step.offset for step in dis.get_instructions(code))


def _given(script: Script, view: CaseView, names: Mapping[str, object]) -> object:
    """What the function returns. Its module is made anew for every question: nothing is left over from one before."""
    module = ModuleType(f"exactchange_task_{script.digest[:16]}")
    module.__dict__.update(names, __file__=script.name.file)
    code = compile(script.code, script.name.file, "exec", dont_inherit=True)
    sys.modules[module.__name__] = module  # dataclasses and others look there for what annotations mean
    try:
        exec(code, module.__dict__)  # noqa: S102  # whoever judges said that it is trusted
        function: object = module.__dict__.get(script.name.function)
        return cast("Callable[[CaseView], object]", function)(view) if callable(function) else _NO_FUNCTION
    finally:
        sys.modules.pop(module.__name__, None)


def _result(script: Script, given: object) -> Result:
    """What a function returned as a result; nobody can tell where it is none."""
    if given is _NO_FUNCTION:
        return Result(None, f"{_title(script)} is no function")
    if given is True or given is False or given is None:
        said = {True: "says that it holds", False: "says that it does not hold", None: "cannot tell"}[given]
        return Result(given, f"{_title(script)} {said}")
    _close(given)
    if type(given) is not Result:
        what = f"{_title(script)} gave a {type(given).__name__}"
        return Result(None, f"{what}; it returns True, False, None or exactchange.Result")
    told: tuple[object, object] = (given.truth, given.why)
    if not (told[0] is True or told[0] is False or told[0] is None) or type(told[1]) is not str:
        what = f"{_title(script)} gave a Result of {type(told[0]).__name__} and {type(told[1]).__name__}"
        return Result(None, f"{what}; it takes True, False or None, and a text")
    return Result(given.truth, given.why[:_LONGEST], shortened(_evidence(given.evidence)))


def _close(given: object) -> None:
    """Let go of what nobody will wait for: else Python complains of it, somewhere and sometime."""
    if isinstance(given, Coroutine):
        cast("Coroutine[object, object, object]", given).close()


def _evidence(given: object) -> Sequence[Mapping[str, Value]]:
    """Items of evidence, copied. Raises UsageError for what no verdict can hold."""
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise UsageError("evidence is a list of mappings, such as {'total': 3}")
    out: list[Mapping[str, Value]] = []
    for item in cast("Sequence[object]", given):
        value = copied(checked_value(item, what="evidence"))
        if not isinstance(value, Mapping):
            raise UsageError("an item of evidence is a mapping, such as {'total': 3}")
        out.append({**value, "kind": "python"})
    return out


def _raised(script: Script, error: BaseException) -> str:
    """One line on an exception, the same in every run: without addresses of memory, at its last line in the script."""
    try:
        said = _ADDRESS.sub("0x…", str(error))
    except BaseException:  # noqa: BLE001  # an exception that cannot even be named
        said = ""
    frames = walk_tb(error.__traceback__)
    lines = [number for frame, number in frames if frame.f_code.co_filename == script.name.file]
    where = f"{script.name.file}:{lines[-1]}" if lines else script.name.file
    words = " ".join(f"{type(error).__name__}: {said}".split())[:_LONGEST].removesuffix(":")
    return f"{where}: {script.name.function} raised {words}"


def _title(script: Script) -> str:
    return f"{script.name.file}:{script.name.function}"
