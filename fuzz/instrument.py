"""Makes the functions of the protocol library count which of their blocks an input reaches.

atheris finds the blocks, and has each call a function that counts it.  That takes a fifth of a
microsecond, more than most blocks do.  Here a block counts by itself, in memory that the fuzzer
looks at (`fuzz.counters`), for a quarter of it.  What is compared still goes to atheris, from which
the fuzzer learns the values that an input lacks; unless it is compared with a constant that fits
into an octet: to find that by chance takes less than to tell of it each time.

To instrument all takes seconds, and a harness calls a small part: a function is instrumented when
it is called for the first time.
"""

from __future__ import annotations

import sys
import types
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from atheris import instrument_bytecode

from fuzz.counters import give_to_fuzzer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Blocks", "instrument_library"]

_LIBRARY: Final = "rpcrdma."
_NOT_COUNTED: Final = (
    *("rpcrdma.xdr.interpret", "rpcrdma.xdr.runtime"),
    *("rpcrdma.xdr.tree", "rpcrdma.xdr.tree_builder"),
)
"""The first two decode whatever a generated decoder refuses, by the same code for every type: what
an input reaches in the generated one tells more, and costs less.  By the others mutators read."""

_MEMORY: Final = 4096
"""Counters that the fuzzer is given at a time."""

_NEXT: Final = [min(times + 1, 255) for times in range(256)]
"""Count -> the next one; a byte holds no more.  The interpreter is fastest with a list."""

_LARGEST_FOUND_BY_CHANCE: Final = 255

_ON_THE_STACK: Final = 8
"""Values that a call of atheris' has on the stack beside those compared; a count has fewer."""

_GENERATED: Final = "<string>"
"""File of the methods that `dataclasses` writes, none of which has two ways through it."""


class Blocks:
    """The counters of all blocks, in pieces of memory that never move.

    Attributes:
        memories: the pieces.
    """

    def __init__(self, give: Callable[[bytearray], None] = give_to_fuzzer) -> None:
        self.memories: list[bytearray] = []
        self._give = give
        self._used = _MEMORY

    def take(self) -> tuple[bytearray, int]:
        """The counter of one more block: a piece, and where in it."""
        if self._used == _MEMORY:
            self.memories.append(bytearray(_MEMORY))
            self._give(self.memories[-1])
            self._used = 0
        self._used += 1
        return self.memories[-1], self._used - 1


def instrument_library(blocks: Blocks) -> None:
    """Have what is loaded of it count its blocks, functions and methods alike.

    An import hook would come too late: `python -m` has imported it all with the harness.
    """
    for function in _functions():
        if function.__code__.co_freevars:  # code that has them cannot be put off
            function.__code__ = _counting(function.__code__, blocks)
        else:
            _put_off(function, blocks)


def _functions() -> Iterator[types.FunctionType]:
    for name, module in list(sys.modules.items()):
        if not name.startswith(_LIBRARY) or name in _NOT_COUNTED:
            continue
        for value in list(vars(module).values()):
            members = vars(value).values() if isinstance(value, type) else (value,)
            for member in members:
                if isinstance(member, types.FunctionType) and _is_written_in(name, member):
                    yield member


def _is_written_in(module: str, function: types.FunctionType) -> bool:
    return function.__module__ == module and function.__code__.co_filename != _GENERATED


def _put_off(function: types.FunctionType, blocks: Blocks) -> None:
    code = function.__code__

    def call(*arguments: object, **named: object) -> object:
        if function.__code__ is stub:
            function.__code__ = _counting(code, blocks)
        return function(*arguments, **named)

    constants = tuple(call if one == _CALL else one for one in _STUB.co_consts)
    stub = _STUB.replace(co_consts=constants, co_name=code.co_name, co_qualname=code.co_qualname)
    function.__code__ = stub


_CALL: Final = "what is called"


def _stub(*arguments: object, **named: object) -> object:
    call: Any = "what is called"  # as a constant, in whose place `_put_off` puts the function
    return call(*arguments, **named)


_STUB: Final = _stub.__code__


def _counting(code: types.CodeType, blocks: Blocks) -> types.CodeType:
    """The code, each of whose blocks counts in a counter of its own when it begins."""
    instrumentor = instrument_bytecode.Instrumentor(code)
    # There is no other way to have atheris insert something else than its call.
    instrumentor._generate_trace_branch_invocation = partial(_count_block, instrumentor, blocks)  # noqa: SLF001
    tell = instrumentor._generate_const_cmp_invocation  # noqa: SLF001
    instrumentor._generate_const_cmp_invocation = partial(_compare, instrumentor, tell)  # noqa: SLF001
    instrumentor.trace_control_flow()
    instrumentor.trace_data_flow()
    for place, inner in enumerate(instrumentor.consts):
        if isinstance(inner, types.CodeType):
            instrumentor.consts[place] = _counting(inner, blocks)
    counted: types.CodeType = instrumentor.to_code()
    # atheris adds up what all instructions put on the stack, whatever they take from it.  A frame
    # of tens of kilobytes does not fit into the interpreter's piece of memory for frames, which
    # gets another one from the kernel then, for each call.
    return counted.replace(co_stacksize=code.co_stacksize + _ON_THE_STACK)


class _Instrumentor(Protocol):
    """What is needed of atheris' own."""

    consts: list[object]
    instructions: list[Any]

    def _get_const(self, constant: object) -> int: ...


def _count_block(instrumentor: _Instrumentor, blocks: Blocks, before: object) -> list[object]:
    """`memory[place] = _NEXT[memory[place]]`, without a name, to stand before a block."""
    memory, place = blocks.take()
    known = next((i for i, one in enumerate(instrumentor.consts) if one is memory), None)
    if known is None:  # the instrumentor itself would compare what they hold
        known = len(instrumentor.consts)
        instrumentor.consts.append(memory)
    number = instrumentor._get_const(place)  # noqa: SLF001
    steps = (
        ("LOAD_CONST", instrumentor._get_const(_NEXT)),  # noqa: SLF001
        ("LOAD_CONST", known),
        ("LOAD_CONST", number),
        ("BINARY_SUBSCR", None),
        ("BINARY_SUBSCR", None),
        ("LOAD_CONST", known),
        ("LOAD_CONST", number),
        ("STORE_SUBSCR", None),
    )
    return [instrument_bytecode._generate_instruction(*step, before) for step in steps]  # noqa: SLF001


def _compare(
    instrumentor: _Instrumentor,
    tell: Callable[..., list[object]],
    operation: int,
    compared: object,
    *rest: object,
    **named: object,
) -> list[object]:
    """What stands in place of a comparison with a constant: itself, or atheris' call."""
    loaded = instrumentor.instructions[instrumentor.instructions.index(compared) - 1]
    constant = instrumentor.consts[loaded.arg] if loaded.mnemonic == "LOAD_CONST" else None
    if isinstance(constant, int) and 0 <= constant <= _LARGEST_FOUND_BY_CHANCE:
        return [instrument_bytecode._generate_instruction("COMPARE_OP", operation, compared)]  # noqa: SLF001
    return tell(operation, compared, *rest, **named)
