"""The operators that make faults: one node of a syntax tree in, what could stand there instead out.

They are those that mutation-testing tools have.  None of the tools could be taken: cosmic-ray and
mutmut work on trees of other parsers (parso, libcst), inside runners and databases of their own;
mutatest is kept no more; the operators of poodle and pytest-gremlins are over `ast`, but have no
statement that is removed, no condition that is dropped, and no default.  So the tables are here.

Where a replacement could only crash (an attribute that is never set, a name that is never bound,
None for an object) there is none: such faults would be found by anything, and would say nothing.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["OPERATORS", "Function", "NodePlace"]

Function = ast.FunctionDef | ast.AsyncFunctionDef

_COMPARED: Final[Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
"""The border moved by one, and the opposite."""

_CALCULATED: Final[Mapping[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}

_SEQUENCES: Final = (ast.Tuple, ast.List, ast.JoinedStr, ast.Dict, ast.Set)
"""What cannot be calculated with: `+` joins it, and anything else would crash."""

_NEUTRAL: Final[Mapping[str, tuple[str, ...]]] = {
    "bool": ("True", "False"),
    "int": ("0",),
    "bytes": ("b''",),
    "tuple": ("()",),
    "list": ("[]",),
    "dict": ("{}",),
    "Mapping": ("{}",),
    "set": ("set()",),
    "frozenset": ("frozenset()",),
}
"""What a function of this type may return instead: nothing, of its kind."""


@dataclass(frozen=True, slots=True)
class NodePlace:
    """Where a node stands.

    Attributes:
        node: itself.
        function: the innermost one around it; None: none.
    """

    node: ast.AST
    function: Function | None = None


def _compare(place: NodePlace) -> Iterator[ast.AST]:
    """Another comparison."""
    node = place.node
    if isinstance(node, ast.Compare):
        for index, old in enumerate(node.ops):
            for new in _COMPARED[type(old)]:
                yield _with(node, ops=[*node.ops[:index], new(), *node.ops[index + 1 :]])


def _constant(place: NodePlace) -> Iterator[ast.AST]:
    """A number off by one, or the other truth."""
    if isinstance(place.node, ast.Constant):
        yield from _others(place.node)


def _default(place: NodePlace) -> Iterator[ast.AST]:
    """Another default of an argument."""
    node = place.node
    if not isinstance(node, ast.arguments):
        return
    for name, values in (("defaults", node.defaults), ("kw_defaults", node.kw_defaults)):
        for index, value in enumerate(values):
            if isinstance(value, ast.Constant):
                for other in _others(value):
                    changed = [*values[:index], other, *values[index + 1 :]]
                    yield _with(node, **{name: changed})


def _remove(place: NodePlace) -> Iterator[ast.AST]:
    """A statement that is not there."""
    node = place.node
    match node:
        case ast.Expr(value=ast.Constant()):  # a docstring, or the body of a protocol
            return
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__"))):  # crashes
            return
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="_log")))):  # for people
            return
        case ast.Expr() | ast.Raise() | ast.Break() | ast.Continue() | ast.Delete():
            yield ast.Pass()
        case ast.AugAssign():
            yield ast.Pass()
        case ast.Assign(targets=[target]) | ast.AnnAssign(target=target, value=ast.expr()):
            if _is_set_before(target, place):
                yield ast.Pass()
        case _:
            return


def _negate(place: NodePlace) -> Iterator[ast.AST]:
    """The branches of a condition exchanged."""
    node = place.node
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            yield _with(node, test=node.test.operand)
        elif not isinstance(node.test, ast.Compare | ast.Constant):  # `compare` has the opposite
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def _condition(place: NodePlace) -> Iterator[ast.AST]:
    """A condition, or one part of it, that is dropped."""
    node = place.node
    match node:
        case ast.If():
            yield _with(node, test=ast.Constant(value=True))
            yield _with(node, test=ast.Constant(value=False))
        case ast.While() if not isinstance(node.test, ast.Constant):
            yield _with(node, test=ast.Constant(value=False))
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.comprehension() if node.ifs:
            yield _with(node, ifs=[])
        case ast.match_case() if node.guard is not None:
            yield _with(node, guard=None)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield _with(node, op=other)
            for index in range(len(node.values)):
                kept = [*node.values[:index], *node.values[index + 1 :]]
                yield kept[0] if len(kept) == 1 else _with(node, values=kept)
        case _:
            return


def _arithmetic(place: NodePlace) -> Iterator[ast.AST]:
    """Another operation on numbers."""
    node = place.node
    if isinstance(node, ast.BinOp):
        operands: tuple[ast.expr, ...] = (node.left, node.right)
    elif isinstance(node, ast.AugAssign):
        operands = (node.value,)
    else:
        return
    if type(node.op) in _CALCULATED and not any(map(_is_sequence, operands)):
        yield _with(node, op=_CALCULATED[type(node.op)]())


def _return(place: NodePlace) -> Iterator[ast.AST]:
    """Nothing is returned, of the type that it must have."""
    node, function = place.node, place.function
    if not isinstance(node, ast.Return) or node.value is None or function is None:
        return
    if isinstance(node.value, ast.Constant) or function.returns is None:
        return
    kind = ast.unparse(function.returns)
    neutral = ("None",) if kind.endswith("| None") else _NEUTRAL.get(kind.partition("[")[0], ())
    old = ast.unparse(node.value)
    yield from (ast.parse(f"return {one}").body[0] for one in neutral if one != old)


OPERATORS: Final[Mapping[str, Callable[[NodePlace], Iterator[ast.AST]]]] = {
    "compare": _compare,
    "constant": _constant,
    "default": _default,
    "remove": _remove,
    "negate": _negate,
    "condition": _condition,
    "arithmetic": _arithmetic,
    "return": _return,
}
"""Name -> replacements of a node, always the same in the same order."""


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """A copy of a node with other fields; what has not changed is shared."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _others(constant: ast.Constant) -> Iterator[ast.Constant]:
    if isinstance(constant.value, bool):
        yield ast.Constant(value=not constant.value)
    elif isinstance(constant.value, int):
        yield ast.Constant(value=constant.value + 1)
        yield ast.Constant(value=constant.value - 1)


def _is_sequence(node: ast.expr) -> bool:
    """Whether the value is none to calculate with, as far as that is to be seen."""
    if isinstance(node, ast.BinOp):
        return _is_sequence(node.left) or _is_sequence(node.right)
    text = isinstance(node, ast.Constant) and not isinstance(node.value, int | float)
    return text or isinstance(node, _SEQUENCES)


def _is_set_before(target: ast.expr, place: NodePlace) -> bool:
    """Whether what is assigned to has a value already, without which everything would crash."""
    function = place.function
    if function is None or function.name in ("__init__", "__post_init__"):
        return False
    match target:
        case ast.Attribute() | ast.Subscript():
            return True
        case ast.Name(id=name):
            parameters = [argument.arg for argument in _parameters(function.args)]
            return name in parameters or any(
                isinstance(other, ast.Name)
                and isinstance(other.ctx, ast.Store)
                and other.id == name
                and other.lineno < target.lineno
                for other in ast.walk(function)
            )
        case _:
            return False


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))
