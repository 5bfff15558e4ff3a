"""Resolved types to helper functions that read or write many elements of one fixed format.

Making a tuple of each element, calling a function for it and moving a position on is most of what
a long chunk list costs; so elements are unpacked by the count, made column by column inside
`map`, and packed four at a time.  Counts of one and two, which most messages have, are spelt out.
"""

from __future__ import annotations

from itertools import count as counter
from typing import TYPE_CHECKING, Final

from rpcrdma.xdr import model
from rpcrdma.xdr.names import snake_case
from rpcrdma.xdr.straight import Declarations, is_flat, letter_of, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LARGEST_TABLE: Final = 16
"""Counts up to this have a format of their own; more elements are unpacked one by one."""

_GROUP: Final = 4


def flat_items(schema: model.Schema, item: model.Type) -> list[model.Type]:
    """The parts of a type of which `is_flat` holds."""
    match item:
        case model.Reference(name=name):
            return flat_items(schema, schema.types[name])
        case model.Structure(fields=fields):
            return [single for part in fields for single in flat_items(schema, part.type)]
        case model.FixedArray(element=element, length=length):
            return flat_items(schema, element) * length
        case _:
            return [item]


def flat_letter(item: model.Type) -> str:
    """The format of such a part."""
    return f"{item.length}s" if isinstance(item, model.FixedOpaque) else letter_of(item)


def flat_letters(schema: model.Schema, item: model.Type) -> str:
    """The format of a whole type of which `is_flat` holds."""
    return "".join(flat_letter(single) for single in flat_items(schema, item))


class Bulk:
    """Declares the helpers; each method returns the name of one."""

    def __init__(self, schema: model.Schema, declarations: Declarations) -> None:
        self._schema = schema
        self._declarations = declarations

    def take_array(self, element: model.Type) -> str:
        """The reader of a counted run: (buffer, position, count) to a tuple."""
        name = f"_take_{self._label(element)}_run"
        letters = flat_letters(self._schema, element)
        one, two = (self._spelt(element, number) for number in (1, 2))
        columns = self._columns(element, "items")
        unpack = self._declarations.format(letters, "unpack_from")
        unpack_two = self._declarations.format(letters * 2, "unpack_from")
        iterate = self._declarations.format(letters, "iter_unpack")
        table = self._declarations.formats_by_count(letters, LARGEST_TABLE)
        lines = [
            f"def {name}(buffer: Buffer, p: int, count: int) -> tuple[Any, ...]:",
            "    if count == 1:",
            f"        {one[0]} = {unpack}(buffer, p)",
            f"        return ({one[1]},)",
            "    if count == 2:",
            f"        {two[0]} = {unpack_two}(buffer, p)",
            f"        return ({two[1]})",
            f"    if count <= {LARGEST_TABLE}:",
            f"        items = iter({table}[count](buffer, p))",
            f"        return tuple({columns})",
            f"    end = p + count * {size_of(letters)}",
            "    if end > len(buffer):",
            "        raise ValueError",
            f"    return tuple([{one[1]} for {one[0]} in {iterate}(buffer[p:end])])",
        ]
        return self._declarations.function(name, lines)

    def take_list(self, element: model.Type) -> str:
        """The reader of whole blocks of list entries, each followed by a 1.

        (buffer, position, items) to the position after the last such block; entries that make
        no whole block are the caller's.
        """
        name = f"_take_{self._label(element)}_blocks"
        letters = flat_letters(self._schema, element)
        stride = size_of(letters) + 4
        flags = self._declarations.format(f"{stride - 4}xI" * LARGEST_TABLE, "unpack_from")
        unpack = self._declarations.format(f"{letters}4x" * LARGEST_TABLE, "unpack_from")
        ones = self._declarations.constant(f"(1,) * {LARGEST_TABLE}")
        lines = [
            f"def {name}(buffer: Buffer, p: int, items: list[Any]) -> int:",
            f"    while p + {stride * LARGEST_TABLE} <= len(buffer):",
            f"        if {flags}(buffer, p) != {ones}:",
            "            break",
            f"        words = iter({unpack}(buffer, p))",
            f"        items.extend({self._columns(element, 'words')})",
            f"        p += {stride * LARGEST_TABLE}",
            "    return p",
        ]
        return self._declarations.function(name, lines)

    def put_array(self, element: model.Type, head: str, before: tuple[str, ...] = ()) -> str | None:
        """The writer of all elements of a tuple: (parts, values, the words in front of them).

        None for elements that need a look before they are packed.

        Args:
            element: what the tuple holds.
            head: letters of the words in front of the elements, which are packed with them.
            before: constant words before each element.
        """
        if not is_flat(self._schema, element) or self._written(element, "item") is None:
            return None
        name = f"_put_{self._label(element)}_{'list' if before else 'run'}_after_{len(head)}"
        if head.replace("I", ""):  # two heads may have the same letters in another order
            name += f"_{head}"
        words = [f"head_{number + 1}" for number in range(len(head))]
        names = [f"item_{number + 1}" for number in range(_GROUP)]
        few = []
        for number in (1, 2):
            few += [
                f"    {'if' if number == 1 else 'elif'} count == {number}:",
                f"        {', '.join(names[:number])}{',' if number == 1 else ''} = values",
                f"        parts.append({self._pack(element, before, names[:number], head, words)})",
            ]
        packed = f"{self._declarations.format(head, 'pack')}({', '.join(words)})" if head else ""
        parameters = ["parts: list[bytes]", "values: Any", *(f"{word}: Any" for word in words)]
        lines = [
            f"def {name}({', '.join(parameters)}) -> None:",
            "    count = len(values)",
            *few,
            "    else:",
            *([f"        parts.append({packed})"] if head else []),
            f"        whole = count & -{_GROUP}",
            "        items = iter(values[:whole])",
            "        parts += [",
            f"            {self._pack(element, before, names)}",
            f"            for {', '.join(names)} in zip({', '.join(['items'] * _GROUP)})",
            "        ]",
            "        for item_1 in values[whole:]:",
            f"            parts.append({self._pack(element, before, names[:1])})",
        ]
        return self._declarations.function(name, lines)

    def _label(self, element: model.Type) -> str:
        match element:
            case model.Reference(name=name) | model.Structure(name=name):
                return snake_case(name)
            case model.Enumeration(name=name):
                return snake_case(name)
            case model.Integer(bits=bits, signed=signed):
                return f"{'int' if signed else 'uint'}{bits}"
            case model.FixedOpaque(length=length):
                return f"opaque{length}"
            case model.FixedArray(element=inner, length=length):
                return f"{length}_{self._label(inner)}"
            case model.Floating(bits=bits):
                return f"float{bits}"
            case _:
                return "bool"

    def _spelt(self, element: model.Type, number: int) -> tuple[str, str]:
        """Names to unpack that many elements into, and the elements made from them."""
        numbers = counter(1)
        made = [self.made(element, lambda: f"item_{next(numbers)}") for _ in range(number)]
        names = [f"item_{index + 1}" for index in range(next(numbers) - 1)]
        return ", ".join(names) + ("," if len(names) == 1 else ""), ", ".join(made)

    def made(self, item: model.Type, source: Callable[[], str]) -> str:
        """One element as an expression of its unpacked parts."""
        match item:
            case model.Reference(name=name):
                return self.made(self._schema.types[name], source)
            case model.Structure(name=name, fields=fields):
                return f"{name}({', '.join([self.made(part.type, source) for part in fields])})"
            case model.FixedArray(element=element, length=length):
                return f"({', '.join([self.made(element, source) for _ in range(length)])},)"
            case model.Boolean():
                return f"{self._declarations.booleans()}[{source()}]"
            case model.Enumeration():
                return f"{self._declarations.members(item)}[{source()}]"
            case _:
                return source()

    def _columns(self, item: model.Type, source: str) -> str:
        """All elements as one iterable, made from an iterator over all their parts."""
        match item:
            case model.Reference(name=name):
                return self._columns(self._schema.types[name], source)
            case model.Structure(name=name, fields=fields):
                parts = [self._columns(part.type, source) for part in fields]
                return f"map({name}, {', '.join(parts)})"
            case model.FixedArray(element=element, length=length):
                parts = [self._columns(element, source) for _ in range(length)]
                return f"zip({', '.join(parts)})"
            case model.Boolean():
                return f"map({self._declarations.booleans()}.__getitem__, {source})"
            case model.Enumeration():
                return f"map({self._declarations.members(item)}.__getitem__, {source})"
            case _:
                return source

    def _pack(
        self,
        element: model.Type,
        before: tuple[str, ...],
        names: list[str],
        head: str = "",
        words: Sequence[str] = (),
    ) -> str:
        parts = [
            part for name in names for part in (*before, *(self._written(element, name) or ()))
        ]
        letters = head + ("I" * len(before) + flat_letters(self._schema, element)) * len(names)
        return f"{self._declarations.format(letters, 'pack')}({', '.join([*words, *parts])})"

    def _written(self, item: model.Type, value: str) -> list[str] | None:
        """The words of an element, as expressions; None for an array, whose length may differ."""
        match item:
            case model.Reference(name=name):
                return self._written(self._schema.types[name], value)
            case model.Structure(fields=fields):
                parts = [self._written(part.type, f"{value}.{part.name}") for part in fields]
                known = [part for part in parts if part is not None]
                return (
                    [word for part in known for word in part] if len(known) == len(parts) else None
                )
            case model.Boolean():
                return [f"{self._declarations.booleans()}[{value}]"]
            case model.Enumeration():
                return [f"{self._declarations.members(item)}[{value}]"]
            case model.FixedArray() | model.FixedOpaque():
                return None
            case _:
                return [value]
