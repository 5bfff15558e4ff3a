"""Makes the tree of a message: reads along the types and notes what lies where.

Each type becomes a function once, as in the interpreter, since a fuzzer makes a tree for every
input.  The functions read what is good by themselves; what is not is read again by the `Reader` of
the interpreter, which says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.xdr import model
from rpcrdma.xdr.runtime import MAXIMUM_DEPTH, ZEROES, ItemFault, Reader
from rpcrdma.xdr.tree import Kind, Node, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.xdr.runtime import Buffer

__all__ = ["build_tree"]

Value = TypeVar("Value")

_WORD: Final = Struct(">I").unpack_from
_SIGNED_WORD: Final = Struct(">i").unpack_from
_NUMBERS: Final[Mapping[model.Type, Callable[..., tuple[Any, ...]]]] = {
    model.Integer(32, signed=False): _WORD,
    model.Integer(32, signed=True): _SIGNED_WORD,
    model.Integer(64, signed=False): Struct(">Q").unpack_from,
    model.Integer(64, signed=True): Struct(">q").unpack_from,
    model.Floating(32): Struct(">f").unpack_from,
    model.Floating(64): Struct(">d").unpack_from,
}

_MOST_SCHEMAS: Final = 64
"""Schemas whose functions are kept."""


def build_tree(schema: model.Schema, name: str, buffer: Buffer, offset: int = 0) -> Tree:
    """The tree of the named type at an offset of a buffer; never raises for what it finds."""
    reading = _Reading(buffer, offset)
    found: list[Node] = []
    error = None
    try:
        _compiler_of(schema).named(name)(reading, "", found)
    except ItemFault as fault:
        reason = fault.reason or Reason.TRUNCATED
        error = DecodeError(fault.offset, reading.path, reason, fault.detail)
    nothing = Node("", Kind.STRUCTURE, offset, reading.at - offset, "message")
    return Tree(bytes(buffer), found[0] if found else nothing, error)


class _Reading:
    """A buffer and how far it has been read; `path` is of the item at which a fault was found."""

    __slots__ = ("at", "buffer", "depth", "path", "size")

    def __init__(self, buffer: Buffer, offset: int) -> None:
        self.buffer = buffer
        self.size = len(buffer)
        self.at = offset
        self.depth = 0
        self.path = ""

    def again(self, path: str, read: Callable[[Reader], Value]) -> Value:
        """Read the item at the position with the `Reader`, which raises what is wrong with it."""
        self.path = path
        reader = Reader(self.buffer, self.at)
        try:
            return read(reader)
        finally:
            self.at = reader.position

    def flag(self, path: str, found: list[Node]) -> int:
        """A boolean or an optional-data discriminator that is good."""
        start = self.at
        value: int = _WORD(self.buffer, start)[0] if start + 4 <= self.size else 2
        if value > 1:
            self.again(path, Reader.flag)
        self.at = start + 4
        found.append(Node(path, Kind.FLAG, start, 4, "", value))
        return value

    def opaque(self, length: int, path: str) -> bytes:
        """Octets with their roundup padding."""
        start, padding = self.at, -length & 3
        end = start + length
        # What does not fit has other padding than it needs, too.
        if bytes(self.buffer[end : end + padding]) != ZEROES[padding] or end > self.size:
            self.again(path, lambda reader: reader.opaque(length))
        self.at = end + padding
        return bytes(self.buffer[start:end])

    def count(self, maximum: int, least: int, path: str) -> int:
        """A count that the rest of the buffer can hold."""
        start = self.at
        count: int = _WORD(self.buffer, start)[0] if start + 4 <= self.size else -1
        if not 0 <= count <= maximum or count * least > self.size - start - 4:
            self.again(path, lambda reader: reader.count(maximum, least))
        self.at = start + 4
        return count


_Visit = Callable[[_Reading, str, list[Node]], None]
"""Reads an item at a path, and adds its node; after a fault, as much of the node as there is."""


def _compiler_of(schema: model.Schema) -> _Compiler:
    kept = _COMPILERS.get(id(schema))
    if kept is None or kept.schema is not schema:
        if len(_COMPILERS) >= _MOST_SCHEMAS:
            _COMPILERS.clear()
        kept = _COMPILERS[id(schema)] = _Compiler(schema)
    return kept


class _Compiler:
    """Makes the functions of a schema's types, each when it is first asked for."""

    def __init__(self, schema: model.Schema) -> None:
        self.schema = schema
        self._named: dict[str, _Visit] = {}

    def named(self, name: str) -> _Visit:
        """The function of a named type."""
        visit = self._named.get(name)
        if visit is None:
            visit = self._named[name] = self._compile(self.schema.types[name])
        return visit

    def _compile(self, item: model.Type) -> _Visit:  # noqa: C901 - one case a type
        match item:
            case model.Reference(name=name, recursive=True):
                return partial(_visit_deeper, lambda: self.named(name))
            case model.Reference(name=name):
                return self.named(name)
            case model.Structure(name=name):
                return partial(_visit_fields, self._fields(item.fields), item, Kind.STRUCTURE, name)
            case model.Union():
                return self._union(item)
            case model.LinkedList():
                return partial(_visit_list, self._compile(item.element), item)
            case model.VariableArray(element=element):
                least = self.schema.minimum_size(element)
                return partial(_visit_array, self._compile(element), item, least)
            case model.FixedArray(element=element, length=length):
                needed = length * self.schema.minimum_size(element)
                return partial(_visit_tuple, self._compile(element), item, needed)
            case model.Optional(element=element):
                return partial(_visit_optional, self._compile(element), item)
            case model.Integer() | model.Floating():
                return partial(_visit_number, item, _NUMBERS[item])
            case model.Boolean():
                return partial(_visit_boolean, item)
            case model.Enumeration(members=members):
                # The first of several names of a value is the one that is shown.
                labels = {number: name for name, number in reversed(members)}
                return partial(_visit_enumeration, item, labels)
            case model.FixedOpaque() | model.VariableOpaque():
                return partial(_visit_opaque, item)
            case model.Text():
                return partial(_visit_text, item, self.schema.charset)

    def _fields(self, fields: tuple[model.Field, ...]) -> tuple[tuple[str, _Visit], ...]:
        return tuple((field.name, self._compile(field.type)) for field in fields)

    def _union(self, item: model.Union) -> _Visit:
        arms = {
            case: (arm.name, self._fields(arm.fields)) for arm in item.arms for case in arm.cases
        }
        other = item.default
        default = None if other is None else (other.name, self._fields(other.fields))
        tag = item.discriminant.name, self._compile(item.discriminant.type)
        return partial(_visit_union, item, tag, arms, default)


_COMPILERS: Final[dict[int, _Compiler]] = {}


# Visits: `reading`, `path` and `found` come last, what the type says before them


def _visit_deeper(
    visit: Callable[[], _Visit], reading: _Reading, path: str, found: list[Node]
) -> None:
    reading.depth += 1
    if reading.depth > MAXIMUM_DEPTH:
        reading.path = path
        raise ItemFault(reading.at, Reason.TOO_LONG, f"nested deeper than {MAXIMUM_DEPTH}")
    visit()(reading, path, found)
    reading.depth -= 1


def _visit_fields(
    fields: tuple[tuple[str, _Visit], ...],
    item: model.Type,
    kind: Kind,
    label: str,
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start = reading.at
    children: list[Node] = []
    lead = f"{path}." if path else ""
    try:
        for name, visit in fields:
            visit(reading, lead + name, children)
    finally:
        length = reading.at - start
        found.append(Node(path, kind, start, length, label, None, tuple(children), item))


def _visit_union(
    item: model.Union,
    tag: tuple[str, _Visit],
    arms: Mapping[int, tuple[str, tuple[tuple[str, _Visit], ...]]],
    default: tuple[str, tuple[tuple[str, _Visit], ...]] | None,
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start, label = reading.at, item.name
    children: list[Node] = []
    lead = f"{path}." if path else ""
    try:
        tag[1](reading, lead + tag[0], children)
        read = children.pop()
        number = int(read.value or 0)
        arm = arms.get(number, default)
        if arm is None:
            reading.path = read.path
            raise ItemFault(read.offset, Reason.BAD_DISCRIMINANT, f"{number}")
        path_of, offset, length = read.path, read.offset, read.length
        value, of = read.value, read.item
        children.append(Node(path_of, Kind.DISCRIMINANT, offset, length, read.label, value, (), of))
        label = arm[0]
        for name, visit in arm[1]:
            visit(reading, lead + name, children)
    finally:
        length = reading.at - start
        found.append(Node(path, Kind.UNION, start, length, label, None, tuple(children), item))


def _visit_list(
    visit: _Visit, item: model.LinkedList, reading: _Reading, path: str, found: list[Node]
) -> None:
    start, index = reading.at, 0
    label = "nonempty" if item.nonempty else ""
    children: list[Node] = []
    try:
        while True:
            name, first, inner = f"{path}[{index}]", reading.at, list[Node]()
            ended = False
            try:
                if index or not item.nonempty:
                    ended = not reading.flag(name, inner)
                if not ended:
                    visit(reading, name, inner)
            finally:
                # The discriminator that ends the list belongs to no entry.
                if ended:
                    children += inner
                else:
                    length = reading.at - first
                    children.append(Node(name, Kind.ENTRY, first, length, "", None, tuple(inner)))
            if ended:
                break
            index += 1
    finally:
        length = reading.at - start
        found.append(Node(path, Kind.LIST, start, length, label, None, tuple(children), item))


def _visit_array(
    visit: _Visit,
    item: model.VariableArray,
    least: int,
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start = reading.at
    children: list[Node] = []
    limit = "" if item.maximum == model.UNLIMITED else "limited"
    try:
        count = reading.count(item.maximum, least, path)
        children.append(Node(path, Kind.COUNT, start, 4, limit, count))
        for index in range(count):
            visit(reading, f"{path}[{index}]", children)
    finally:
        length = reading.at - start
        found.append(Node(path, Kind.ARRAY, start, length, "", None, tuple(children), item))


def _visit_tuple(
    visit: _Visit,
    item: model.FixedArray,
    needed: int,
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start = reading.at
    children: list[Node] = []
    try:
        if needed > reading.size - start:
            reading.path = path
            raise Reader(reading.buffer, start).short(needed)
        for index in range(item.length):
            visit(reading, f"{path}[{index}]", children)
    finally:
        length = reading.at - start
        found.append(Node(path, Kind.TUPLE, start, length, "", None, tuple(children), item))


def _visit_optional(
    visit: _Visit, item: model.Optional, reading: _Reading, path: str, found: list[Node]
) -> None:
    start = reading.at
    children: list[Node] = []
    try:
        if reading.flag(path, children):
            visit(reading, path, children)
    finally:
        length = reading.at - start
        found.append(Node(path, Kind.OPTIONAL, start, length, "", None, tuple(children), item))


def _visit_number(
    item: model.Integer | model.Floating,
    unpack: Callable[..., tuple[Any, ...]],
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start, length = reading.at, item.bits >> 3
    if start + length > reading.size:
        reading.again(path, lambda reader: reader.floating(item.bits))
    reading.at = start + length
    kind = Kind.INTEGER if isinstance(item, model.Integer) else Kind.FLOAT
    value = unpack(reading.buffer, start)[0]
    found.append(Node(path, kind, start, length, "", value, (), item))


def _visit_boolean(item: model.Boolean, reading: _Reading, path: str, found: list[Node]) -> None:
    start = reading.at
    value = reading.flag(path, [])
    found.append(Node(path, Kind.BOOLEAN, start, 4, "", value, (), item))


def _visit_enumeration(
    item: model.Enumeration,
    labels: Mapping[int, str],
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start = reading.at
    if start + 4 > reading.size:
        reading.again(path, Reader.word)
    value = _SIGNED_WORD(reading.buffer, start)[0]
    reading.at = start + 4
    label = labels.get(value)
    if label is None:
        reading.path = path
        raise ItemFault(start, Reason.BAD_ENUM, f"{value}")
    found.append(Node(path, Kind.ENUM, start, 4, label, value, (), item))


def _visit_opaque(
    item: model.FixedOpaque | model.VariableOpaque,
    reading: _Reading,
    path: str,
    found: list[Node],
) -> None:
    start = reading.at
    if isinstance(item, model.FixedOpaque):
        label, octets = "fixed", reading.opaque(item.length, path)
    else:
        label, octets = "", reading.opaque(reading.count(item.maximum, 1, path), path)
    length = reading.at - start
    found.append(Node(path, Kind.OPAQUE, start, length, label, octets, (), item))


def _visit_text(
    item: model.Text, charset: str, reading: _Reading, path: str, found: list[Node]
) -> None:
    start = reading.at
    length = reading.count(item.maximum, 1, path)
    text = reading.again(path, lambda reader: reader.text(length, charset))
    taken = reading.at - start
    found.append(Node(path, Kind.TEXT, start, taken, "", text, (), item))
