"""The small changes: what may stand in place of a node of the syntax tree."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

_COMPARED: Final[Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COMPUTED: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
PEOPLE: Final = frozenset({"description", "json_schema_extra"})
"""Named arguments whose value is for people."""
_NAMES: Final = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list", "reversed": "list"}
"""Functions that can stand in for each other."""
_SYMMETRIC: Final = frozenset({"min", "max", "same", "overlap"})


def says_nothing(call: ast.AST, keyword: ast.keyword) -> bool:
    """Whether a named argument is for people, or asserts what is so: `strict` of `zip`."""
    asserts = keyword.arg == "strict" and isinstance(call, ast.Call) and ast.unparse(call.func) == "zip"
    return asserts or keyword.arg in PEOPLE


def instead(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of an expression or a statement; nothing where no small change is worth a test."""
    change = _CHANGES.get(type(node))
    if change is not None:
        yield from change(node)


def _compare(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.Compare)
    for number, operator in enumerate(node.ops):
        for other in _COMPARED[type(operator)]:
            operators = [*node.ops[:number], other(), *node.ops[number + 1 :]]
            yield ast.Compare(node.left, operators, node.comparators)


def _bool_op(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.BoolOp)
    yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    for number in range(len(node.values)):
        rest = [*node.values[:number], *node.values[number + 1 :]]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


def _unary_op(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.UnaryOp)
    yield node.operand


def _bin_op(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.BinOp)
    if type(node.op) in _COMPUTED:
        yield ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)


def _aug_assign(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.AugAssign)
    if type(node.op) in _COMPUTED:
        yield ast.AugAssign(node.target, _COMPUTED[type(node.op)](), node.value)
    yield ast.Assign([node.target], node.value)
    yield ast.Pass()


def _constant(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.Constant)
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value > 0:
            yield ast.Constant(value - 1)
    elif isinstance(value, str):
        yield ast.Constant(f"{value}~")
    elif value is None:
        yield ast.Constant("None")


def _if_test(node: ast.AST) -> Iterator[ast.AST]:
    """The condition turned round. One that compares is changed where it compares, and one with `not` there."""
    if isinstance(node, ast.If):
        yield from (ast.If(test, node.body, node.orelse) for test in _turned(node.test))
    elif isinstance(node, ast.While):
        yield from (ast.While(test, node.body, node.orelse) for test in _turned(node.test))
    elif isinstance(node, ast.IfExp):
        yield from (ast.IfExp(test, node.body, node.orelse) for test in _turned(node.test))
        yield node.body
        yield node.orelse


def _turned(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.BoolOp | ast.NamedExpr | ast.Subscript):
        yield ast.UnaryOp(ast.Not(), test)


def _comprehension(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.comprehension)
    for number, test in enumerate(node.ifs):
        rest = [*node.ifs[:number], *node.ifs[number + 1 :]]
        yield ast.comprehension(node.target, node.iter, rest, node.is_async)
        for other in _turned(test):
            ifs = [*node.ifs[:number], other, *node.ifs[number + 1 :]]
            yield ast.comprehension(node.target, node.iter, ifs, node.is_async)


def _call(node: ast.AST) -> Iterator[ast.AST]:
    """Two arguments swapped, one named argument left out, or another function of the same kind."""
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        yield ast.Call(ast.Name(_NAMES[node.func.id], ast.Load()), node.args, node.keywords)
    symmetric = isinstance(node.func, ast.Name) and node.func.id in _SYMMETRIC
    for number in range(0 if symmetric else len(node.args) - 1):
        first, second = node.args[number], node.args[number + 1]
        swapped = [*node.args[:number], second, first, *node.args[number + 2 :]]
        if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
            yield ast.Call(node.func, swapped, node.keywords)
    for number, keyword in enumerate(node.keywords):
        if not says_nothing(node, keyword):
            yield ast.Call(node.func, node.args, [*node.keywords[:number], *node.keywords[number + 1 :]])


def _return(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.Return)
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield ast.Return(ast.Constant(None))
    yield ast.Pass()


def _yield(node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Constant(None)


def _lambda(node: ast.AST) -> Iterator[ast.AST]:
    assert isinstance(node, ast.Lambda)
    yield ast.Lambda(node.args, ast.Constant(None))


def _statement(node: ast.AST) -> Iterator[ast.AST]:
    """Nothing in place of a statement that acts: a call, a jump, an error, or a store into something that is there."""
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call):
        return
    if isinstance(node, ast.Assign) and not any(isinstance(t, ast.Subscript | ast.Attribute) for t in node.targets):
        return
    yield ast.Pass()


def _jump(node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Pass()
    yield ast.Break() if isinstance(node, ast.Continue) else ast.Continue()


def _starred(node: ast.AST) -> Iterator[ast.AST]:
    """A list, tuple or set without one of its parts that are taken from elsewhere."""
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for rest in _without_one(node.elts):
            yield ast.List(rest, node.ctx) if isinstance(node, ast.List) else ast.Tuple(rest, node.ctx)


def _without_one(elements: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    for number, element in enumerate(elements):
        if isinstance(element, ast.Starred):
            yield [*elements[:number], *elements[number + 1 :]]


_CHANGES: Final[Mapping[type[ast.AST], Callable[[ast.AST], Iterator[ast.AST]]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.UnaryOp: _unary_op,
    ast.BinOp: _bin_op,
    ast.AugAssign: _aug_assign,
    ast.Constant: _constant,
    ast.If: _if_test,
    ast.While: _if_test,
    ast.IfExp: _if_test,
    ast.comprehension: _comprehension,
    ast.Call: _call,
    ast.Return: _return,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Lambda: _lambda,
    ast.Expr: _statement,
    ast.Assign: _statement,
    ast.Raise: _statement,
    ast.Continue: _jump,
    ast.Break: _jump,
    ast.List: _starred,
    ast.Tuple: _starred,
}
