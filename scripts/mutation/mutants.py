"""Every mutant of a module: its code with one small change, and what tells it from all others."""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Final, cast

from scripts.mutation.operators import instead, says_nothing

_MODULE: Final = "<module>"
_TYPES: Final = frozenset({"TypeVar", "cast", "PrivateAttr"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change. `function`: outermost function that it is in; `lines`: of the statement that it changes.

    `name` stays the same while the function does, wherever in the file it stands.
    """

    file: str
    function: str
    line: int
    lines: range
    change: str
    name: str

    @property
    def of_module(self) -> bool:
        """Whether it changes what runs at import, which no exchange of a function's code can bring about."""
        return self.function.startswith(_MODULE)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A node, where it hangs in the tree, and what is around it."""

    parent: ast.AST
    field: str
    index: int | None
    node: ast.AST
    function: str
    statement: ast.stmt | None

    def put(self, node: ast.AST) -> None:
        """Hang another node in its place."""
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.index] = node


def mutants(file: str, source: str) -> Iterator[tuple[Mutant, CodeType]]:
    """Every mutant of a module with its compiled code, in the file's order."""
    tree = ast.parse(source)
    known: dict[str, int] = {}
    meant = {_meaning(compile(tree, file, "exec", dont_inherit=True))}
    for spot in list(_spots(tree, _MODULE, None)):
        before = ast.unparse(spot.node)
        for other in instead(spot.node):
            after = ast.unparse(ast.fix_missing_locations(ast.copy_location(other, spot.node)))
            spot.put(other)
            code = _compiled(tree, file)
            spot.put(spot.node)
            if code is not None and (meaning := _meaning(code)) not in meant:
                meant.add(meaning)
                change = f"{_short(before)}  =>  {_short(after)}"
                said = f"{file} {spot.function} {before} {after}"
                known[said] = known.get(said, 0) + 1
                name = hashlib.blake2b(f"{said} {known[said]}".encode(), digest_size=5).hexdigest()
                line = getattr(spot.node, "lineno", spot.statement.lineno if spot.statement else 1)
                yield Mutant(file, spot.function, line, _lines(spot, line), change, name), code


def _meaning(code: CodeType) -> bytes:
    """What a code does, wherever it stands: two changes that compile to the same are one."""
    parts: list[object] = [code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable]
    constants: tuple[object, ...] = code.co_consts
    for constant in constants:
        parts.append(_meaning(constant) if isinstance(constant, CodeType) else (type(constant), constant))
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


def _compiled(tree: ast.Module, file: str) -> CodeType | None:
    try:
        return compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
    except SyntaxError:  # such as `break` in place of `continue` where no loop is
        return None


def _lines(spot: _Spot, line: int) -> range:
    """Lines of the statement's own part: its body is none of it."""
    statement = spot.statement
    if statement is None:
        return range(line, line + 1)
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body and not isinstance(spot.node, ast.stmt) else statement.end_lineno or line
    return range(statement.lineno, max(last, statement.lineno) + 1)


def _spots(node: ast.AST, function: str, statement: ast.stmt | None) -> Iterator[_Spot]:
    for field, value in ast.iter_fields(node):
        for index, child in _children(value):
            if _is_silent(node, field, child):
                continue
            at_import = field in ("args", "returns") and isinstance(node, ast.FunctionDef)
            inside = _named(child, function)
            around = child if isinstance(child, ast.stmt) else statement
            if not isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield _Spot(node, field, index, child, _outside(function) if at_import else function, around)
            yield from _spots(child, _outside(function) if at_import else inside, around)


def _children(value: object) -> Iterator[tuple[int | None, ast.AST]]:
    if isinstance(value, ast.AST):
        yield None, value
    elif isinstance(value, list):
        items = cast("list[object]", value)
        yield from ((index, item) for index, item in enumerate(items) if isinstance(item, ast.AST))


def _named(node: ast.AST, function: str) -> str:
    """The outermost function, dotted, in which the parts of a node run; a class is no function."""
    if isinstance(node, ast.ClassDef) and function.startswith(_MODULE):
        return f"{function}.{node.name}"
    if isinstance(node, ast.FunctionDef) and function.startswith(_MODULE):
        return f"{function}.{node.name}".removeprefix(f"{_MODULE}.")
    return function


def _outside(function: str) -> str:
    return function if function.startswith(_MODULE) else _MODULE


def _is_silent(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """What a change of means nothing: annotations, docstrings, imports, assertions, and words for people."""
    if field in ("annotation", "returns", "decorator_list", "type_comment", "bases", "type_params"):
        return True
    if isinstance(child, ast.Assert | ast.Import | ast.ImportFrom | ast.Load | ast.Store | ast.ExceptHandler):
        return not isinstance(child, ast.ExceptHandler)
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True
    if isinstance(parent, ast.Compare) and isinstance(child, ast.Constant) and child.value is None:
        return True  # the comparison itself is turned round
    if isinstance(child, ast.keyword) and says_nothing(parent, child):
        return True
    if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
        return True
    if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) == "__all__":
        return True
    if isinstance(parent, ast.JoinedStr) and isinstance(child, ast.Constant):
        return True
    if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id in _TYPES:
        return True
    if isinstance(parent, ast.Raise) and field in ("exc", "cause"):
        return True
    return isinstance(child, ast.AnnAssign) and ast.unparse(child.annotation) == "TypeAlias"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 120 else f"{line[:117]}..."
