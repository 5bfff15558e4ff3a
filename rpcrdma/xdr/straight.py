"""What the emitters of straight-line decoders and encoders share.

Both turn a type into code that handles only what is well formed: neighbouring fixed-size items
become one precompiled `struct` format, and anything else that is met raises one of `ODD`, upon
which the generated function asks the interpreter.
"""

from __future__ import annotations

import re
from typing import Final

from rpcrdma.xdr import model
from rpcrdma.xdr.names import snake_case

ODD: Final = "(struct.error, ValueError, KeyError, TypeError, AttributeError, OverflowError)"
"""What straight-line code raises on anything it does not expect."""

ODD_IN_CALLS: Final = ODD.replace(")", ", RpcRdmaError)")
"""The same where the functions of other types are called, whose errors know half of the path."""

ASK_INTERPRETER: Final = "raise ValueError"
"""The statement that leaves straight-line code for the interpreter."""

LARGEST_UNROLLED: Final = 8
"""Elements of a fixed array that are unpacked as separate items of one format."""

MAXIMUM_LINES: Final = 400
"""A type whose straight-line code would be longer calls the functions of the types that it is made
of; if that is still too long, it is left to the interpreter."""

MAXIMUM_NESTING: Final = 12
"""Blocks within blocks that are emitted; CPython itself refuses more than 20."""


class NotStraightError(Exception):
    """A type for which no straight-line code is made: it contains itself, or is too large."""


class Declarations:
    """Names at module level that straight-line code refers to."""

    def __init__(self, schema: model.Schema) -> None:
        self._schema = schema
        self._formats: dict[str, str] = {}
        self._constants: dict[str, str] = {}
        self._tables: dict[str, str] = {}
        self._functions: dict[str, list[str]] = {}

    def format(self, letters: str, method: str) -> str:
        """The name of a bound method of a precompiled big-endian format."""
        word = {"unpack_from": "_UNPACK", "pack": "_PACK", "iter_unpack": "_ITERATE"}[method]
        made, label = f'struct.Struct(">{letters}").{method}', letters.upper()
        for times in (16, 4):
            part = letters[: len(letters) // times]
            if len(part) > 2 and part * times == letters:
                made, label = f'struct.Struct(">" + "{part}" * {times}).{method}', f"{part}_{times}"
                break
        return self._formats.setdefault(made, f"{word}_{label.upper()}_{len(self._formats)}")

    def formats_by_count(self, letters: str, largest: int) -> str:
        """The name of a tuple of unpackers: the n-th is of the format n times over."""
        made = f'struct.Struct(">" + "{letters}" * count).unpack_from'
        name = f"_UNPACK_{letters.upper()}_BY_COUNT"
        self._tables[name] = f"tuple([{made} for count in range({largest + 1})])"
        return name

    def function(self, name: str, lines: list[str]) -> str:
        """Declare a helper function; returns its name."""
        self._functions[name] = lines
        return name

    def constant(self, expression: str) -> str:
        """The name of an immutable object that is made once."""
        return self._constants.setdefault(expression, f"_MINIMAL_{len(self._constants)}")

    def members(self, item: model.Enumeration) -> str:
        """The name of the table from number to member of an enumeration."""
        name = f"_{snake_case(item.name).upper()}_OF"
        self._tables[name] = f"{{int(member): member for member in {item.name}}}"
        return name

    def booleans(self) -> str:
        """The name of the table of the two booleans."""
        self._tables["_BOOLEANS"] = "{0: False, 1: True}"
        return "_BOOLEANS"

    def lines(self, text: str) -> list[str]:
        """The definitions of the names that a text uses.

        Code may have been made and given up for code of another kind; what it asked for is not
        used.
        """
        formats = [f"{name}: Final = {made}" for made, name in self._formats.items()]
        constants = [f"{name}: Final = {made}" for made, name in self._constants.items()]
        tables = [f"{name}: Final = {made}" for name, made in self._tables.items()]
        used = _names(text)
        kept = []
        for line in reversed((*formats, *tables, *constants)):  # a later one may use an earlier one
            if line.partition(":")[0] in used:
                kept.append(line)
                used |= _names(line)
        return kept[::-1]

    def functions(self, text: str) -> list[str]:
        """The helper functions that a text uses."""
        used = _names(text)
        return ["\n".join(lines) for name, lines in self._functions.items() if name in used]


def _names(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


class CodeLines:
    """Lines of code at a changing depth, and names that occur once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0
        self._names = 0

    def add(self, line: str) -> None:
        """One more line."""
        if len(self.lines) == MAXIMUM_LINES:
            raise NotStraightError
        self.lines.append("    " * self._depth + line)

    def enter(self, head: str) -> None:
        """Begin a block."""
        self.add(head)
        self._depth += 1
        if self._depth > MAXIMUM_NESTING:
            raise NotStraightError

    def leave(self) -> None:
        """End a block."""
        self._depth -= 1

    def fresh(self, hint: str) -> str:
        """A local name that nothing else has."""
        self._names += 1
        return f"{hint}_{self._names}"

    def variable(self, hint: str) -> str:
        """A fresh local name that several branches will assign, declared for the type checker."""
        name = self.fresh(hint)
        self.add(f"{name}: Any")
        return name


def letter_of(item: model.Type) -> str:
    """The format letter of a scalar."""
    match item:
        case model.Integer(bits=32, signed=signed):
            return "i" if signed else "I"
        case model.Integer(signed=signed):
            return "q" if signed else "Q"
        case model.Floating(bits=bits):
            return "f" if bits == 32 else "d"
        case model.Enumeration():
            return "i"
        case _:
            return "I"


def size_of(letters: str) -> int:
    """Octets of a format that is made of single letters and `Ns` items."""
    size, digits = 0, ""
    for letter in letters:
        if letter.isdigit():
            digits += letter
        else:
            size += int(digits) if letter == "s" else 8 if letter in "qQd" else 4
            digits = ""
    return size


def is_called(schema: model.Schema, name: str) -> bool:
    """Whether long code calls the function of a type instead of repeating what it does."""
    item = schema.types.get(name)
    return isinstance(item, model.Structure | model.Union) and not is_flat(schema, item)


def is_flat(schema: model.Schema, item: model.Type) -> bool:
    """Whether every encoding of the type is one fixed format without roundup padding."""
    match item:
        case model.Integer() | model.Floating() | model.Boolean() | model.Enumeration():
            return True
        case model.FixedOpaque(length=length):
            return length % 4 == 0 and length > 0
        case model.FixedArray(element=element, length=length):
            return 0 < length <= LARGEST_UNROLLED and is_flat(schema, element)
        case model.Reference(name=name, recursive=recursive):
            return not recursive and is_flat(schema, schema.types[name])
        case model.Structure(fields=fields):
            return bool(fields) and all(is_flat(schema, part.type) for part in fields)
        case _:
            return False
