"""One view of a message: its octets as a tree of typed, placed nodes.

Mutators, the minimiser, strategies and text rendering all see a message this way.  The tree is
built over octets, not over decoded objects, so that a damaged message has one too: it ends where
decoding stops and says why.  Edits return new octets and repair nothing but the count or
discriminator that the edited element itself needs; whoever wants a lie sets that node afterwards.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, EncodeError, Reason
from rpcrdma.xdr import model
from rpcrdma.xdr.runtime import MAXIMUM_DEPTH, ZEROES, ItemFault, Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.xdr.runtime import Buffer


class Kind(Enum):
    """What a node stands for."""

    STRUCTURE = "structure"
    UNION = "union"
    LIST = "list"  # linked by optional-data discriminators
    ENTRY = "entry"  # one discriminator 1 of a list with its element
    ARRAY = "array"  # counted
    TUPLE = "fixed array"
    OPTIONAL = "optional"
    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    ENUM = "enum"
    DISCRIMINANT = "discriminant"
    FLAG = "flag"  # optional-data discriminator
    COUNT = "count"
    OPAQUE = "opaque"
    TEXT = "text"


NodeValue = int | float | bytes | str | None

_WORDS: Final = frozenset(
    {Kind.BOOLEAN, Kind.ENUM, Kind.DISCRIMINANT, Kind.FLAG, Kind.COUNT, Kind.INTEGER}
)


@dataclass(frozen=True, slots=True)
class Node:
    """One item of a message.

    Attributes:
        path: of the field, as in DecodeError.
        kind: what it is.
        offset: of its first octet in the buffer.
        length: in octets, with padding.
        label: the name of its type, or of its enumeration's member.
        value: of a leaf; None for what has children.
        children: in the order of their octets.
    """

    path: str
    kind: Kind
    offset: int
    length: int
    label: str
    value: NodeValue = None
    children: tuple[Node, ...] = ()

    @property
    def end(self) -> int:
        """The offset behind the node."""
        return self.offset + self.length

    @property
    def name(self) -> str:
        """The last step of the path."""
        return self.path.rpartition(".")[2]

    def walk(self) -> Iterator[Node]:
        """The node and everything under it, in the order of their octets."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Tree:
    """A message, or as much of it as could be decoded.

    Attributes:
        octets: the whole buffer.
        root: the node of the type that was asked for.
        error: why decoding stopped; None when the message is complete.
    """

    octets: bytes
    root: Node
    error: DecodeError | None

    def leaves(self) -> Iterator[Node]:
        """All nodes that hold a value."""
        return (node for node in self.root.walk() if node.value is not None)

    def find(self, path: str, kind: Kind | None = None) -> Node:
        """The first node with this path, and of this kind if one is given.

        Raises:
            KeyError: there is none.
        """
        for node in self.root.walk():
            if node.path == path and kind in {None, node.kind}:
                return node
        raise KeyError(path)

    def set(self, node: Node, value: float | bytes | str) -> bytes:
        """The octets with another value in a leaf.

        Counts, discriminators and discriminants are leaves as well; nothing else changes with
        them.

        Raises:
            EncodeError: the leaf cannot hold the value.
        """
        return self._replace(node.offset, node.end, _octets_of(node, value))

    def insert(self, node: Node, index: int, element: bytes) -> bytes:
        """The octets with one more element in a list or counted array, before `index`.

        Raises:
            EncodeError: the node is neither, or has fewer elements.
        """
        self._check_elements(node, index, 1)
        if node.kind is Kind.LIST:
            # The entries come first and the discriminator that ends the list last.
            place = node.children[index].offset
            first = index == 0 and node.label == "nonempty"  # no discriminator before that one
            added = element + _ONE if first else _ONE + element
            return self._replace(place, place, added)
        count, elements = node.children[0], node.children[1:]
        place = elements[index].offset if index < len(elements) else node.end
        inserted = self._replace(place, place, element)
        more = _WORD.pack((int(count.value or 0) + 1) % 2**32)
        return inserted[: count.offset] + more + inserted[count.end :]

    def remove(self, node: Node, index: int) -> bytes:
        """The octets without the element `index` of a list or counted array.

        Raises:
            EncodeError: the node is neither, or has no such element.
        """
        self._check_elements(node, index, 0)
        if node.kind is Kind.LIST:
            entry = node.children[index]
            if index == 0 and node.label == "nonempty":
                if node.children[1].kind is not Kind.ENTRY:
                    raise EncodeError(node.path, "the list must not be empty")
                return self._replace(entry.offset, entry.end + len(_ONE), b"")
            return self._replace(entry.offset, entry.end, b"")
        count, element = node.children[0], node.children[1 + index]
        removed = self._replace(element.offset, element.end, b"")
        fewer = _WORD.pack(max(int(count.value or 0) - 1, 0))
        return removed[: count.offset] + fewer + removed[count.end :]

    def _check_elements(self, node: Node, index: int, more: int) -> None:
        if node.kind not in {Kind.LIST, Kind.ARRAY}:
            raise EncodeError(node.path, f"a {node.kind.value} has no elements")
        held = len(node.children) - 1
        if not 0 <= index < held + more:
            raise EncodeError(node.path, f"no element {index} among {held}")

    def _replace(self, start: int, end: int, octets: bytes) -> bytes:
        return self.octets[:start] + octets + self.octets[end:]


_WORD: Final = struct.Struct(">I")
_ONE: Final = _WORD.pack(1)


def _octets_of(node: Node, value: float | bytes | str) -> bytes:
    try:
        match value:
            case bytes() | str() if node.kind in {Kind.OPAQUE, Kind.TEXT}:
                return _opaque(node, value if isinstance(value, bytes) else value.encode())
            case int() | float() if node.kind is Kind.FLOAT:
                return struct.pack(">f" if node.length == 4 else ">d", value)
            case int() if node.kind in _WORDS:
                letter = "I" if node.length == 4 else "Q"
                return struct.pack(f">{letter if value >= 0 else letter.lower()}", value)
            case _:
                pass
    except (struct.error, OverflowError):
        pass
    raise EncodeError(node.path, f"a {node.kind.value} of {node.length} octets: not {value!r}")


def _opaque(node: Node, octets: bytes) -> bytes:
    padded = octets + ZEROES[-len(octets) & 3]
    if node.label == "fixed":
        if len(padded) != node.length:
            raise EncodeError(node.path, f"{len(octets)} octets do not fit")
        return padded
    return _WORD.pack(len(octets)) + padded


def build_tree(schema: model.Schema, name: str, buffer: Buffer, offset: int = 0) -> Tree:
    """The tree of the named type at an offset of a buffer; never raises for what it finds."""
    walker = _Walker(schema, Reader(buffer, offset))
    error = None
    try:
        walker.walk(schema.types[name], "")
    except ItemFault as fault:
        error = DecodeError(
            fault.offset, walker.path, fault.reason or Reason.TRUNCATED, fault.detail
        )
        walker.close_all()
    return Tree(bytes(buffer), walker.root(), error)


@dataclass(slots=True)
class _OpenNode:
    path: str
    kind: Kind
    offset: int
    label: str
    children: list[Node]


class _Walker:
    """Reads along the types and keeps a stack of the nodes that are not complete."""

    def __init__(self, schema: model.Schema, reader: Reader) -> None:
        self._schema = schema
        self._reader = reader
        self._stack = [_OpenNode("", Kind.STRUCTURE, reader.position, "message", [])]
        self.path = ""
        self._composites: dict[type, Callable[..., None]] = {
            model.Structure: self._structure,
            model.Union: self._union,
            model.LinkedList: self._list,
            model.VariableArray: self._array,
            model.FixedArray: self._tuple,
            model.Optional: self._optional,
        }

    def root(self) -> Node:
        """The node of the whole item; the outermost frame only holds it."""
        outer = self._stack[0]
        if len(outer.children) == 1:
            return outer.children[0]
        length = self._reader.position - outer.offset
        return Node("", outer.kind, outer.offset, length, outer.label, None, tuple(outer.children))

    def walk(self, item: model.Type, path: str) -> None:
        """Read one item and add its node."""
        self.path = path
        match item:
            case model.Reference(name=name, recursive=recursive):
                self._reader.depth += recursive
                if self._reader.depth > MAXIMUM_DEPTH:
                    detail = f"nested deeper than {MAXIMUM_DEPTH}"
                    raise ItemFault(self._reader.position, Reason.TOO_LONG, detail)
                self.walk(self._schema.types[name], path)
                self._reader.depth -= recursive
            case (
                model.Structure()
                | model.Union()
                | model.LinkedList()
                | model.VariableArray()
                | model.FixedArray()
                | model.Optional()
            ):
                self._composites[type(item)](item, path)
            case _:
                self._leaf(item, path)

    def close_all(self) -> None:
        """Complete what a fault left open."""
        while len(self._stack) > 1:
            self._close()

    def _open(self, path: str, kind: Kind, label: str) -> None:
        self._stack.append(_OpenNode(path, kind, self._reader.position, label, []))

    def _close(self) -> None:
        node = self._stack.pop()
        length = self._reader.position - node.offset
        made = Node(
            node.path, node.kind, node.offset, length, node.label, None, tuple(node.children)
        )
        self._stack[-1].children.append(made)

    def _add(self, path: str, kind: Kind, start: int, value: NodeValue, label: str = "") -> None:
        length = self._reader.position - start
        self._stack[-1].children.append(Node(path, kind, start, length, label, value))

    def _leaf(self, item: model.Type, path: str) -> None:
        reader, start = self._reader, self._reader.position
        match item:
            case model.Integer(bits=bits, signed=signed):
                self._add(path, Kind.INTEGER, start, reader.integer(bits, signed=signed))
            case model.Floating(bits=bits):
                self._add(path, Kind.FLOAT, start, reader.floating(bits))
            case model.Boolean():
                self._add(path, Kind.BOOLEAN, start, int(reader.flag()))
            case model.Enumeration(members=members):
                value = reader.integer(32, signed=True)
                label = next((name for name, number in members if number == value), "")
                if not label:
                    raise ItemFault(start, Reason.BAD_ENUM, f"{value}")
                self._add(path, Kind.ENUM, start, value, label)
            case model.FixedOpaque(length=length):
                self._add(path, Kind.OPAQUE, start, reader.opaque(length), "fixed")
            case model.VariableOpaque(maximum=maximum):
                octets = reader.opaque(reader.count(maximum, 1))
                self._add(path, Kind.OPAQUE, start, octets)
            case model.Text(maximum=maximum):
                text = reader.text(reader.count(maximum, 1), self._schema.charset)
                self._add(path, Kind.TEXT, start, text)
            case _:
                raise TypeError(item)

    def _structure(self, item: model.Structure, path: str) -> None:
        self._open(path, Kind.STRUCTURE, item.name)
        self._fields(item.fields, path)
        self._close()

    def _fields(self, fields: tuple[model.Field, ...], path: str) -> None:
        for field in fields:
            self.walk(field.type, f"{path}.{field.name}".removeprefix("."))

    def _union(self, item: model.Union, path: str) -> None:
        self._open(path, Kind.UNION, item.name)
        self.walk(item.discriminant.type, f"{path}.{item.discriminant.name}".removeprefix("."))
        tag = self._stack[-1].children.pop()
        arms = {case: arm for arm in item.arms for case in arm.cases}
        number = int(tag.value or 0)
        arm = arms.get(number, item.default)
        if arm is None:
            raise ItemFault(tag.offset, Reason.BAD_DISCRIMINANT, f"{number}")
        self._add(tag.path, Kind.DISCRIMINANT, tag.offset, tag.value, tag.label)
        self._stack[-1].label = arm.name
        self._fields(arm.fields, path)
        self._close()

    def _flag(self, path: str) -> bool:
        self.path = path
        start = self._reader.position
        value = self._reader.flag()
        self._add(path, Kind.FLAG, start, int(value))
        return value

    def _list(self, item: model.LinkedList, path: str) -> None:
        self._open(path, Kind.LIST, "nonempty" if item.nonempty else "")
        index = 0
        while True:
            entry = f"{path}[{index}]"
            self._open(entry, Kind.ENTRY, "")
            if not (item.nonempty and index == 0) and not self._flag(entry):
                break
            self.walk(item.element, entry)
            self._close()
            index += 1
        # The entry that was opened for the final discriminator is no entry.
        self._stack[-2].children.extend(self._stack.pop().children)
        self._close()

    def _array(self, item: model.VariableArray, path: str) -> None:
        self._open(path, Kind.ARRAY, "")
        self.path = path
        start = self._reader.position
        count = self._reader.count(item.maximum, self._schema.minimum_size(item.element))
        limit = "" if item.maximum == model.UNLIMITED else "limited"
        self._add(path, Kind.COUNT, start, count, limit)
        self._elements(item.element, count, path)

    def _tuple(self, item: model.FixedArray, path: str) -> None:
        self._open(path, Kind.TUPLE, "")
        needed = item.length * self._schema.minimum_size(item.element)
        if needed > self._reader.remaining():
            raise self._reader.short(needed)
        self._elements(item.element, item.length, path)

    def _elements(self, element: model.Type, count: int, path: str) -> None:
        for index in range(count):
            self.walk(element, f"{path}[{index}]")
        self._close()

    def _optional(self, item: model.Optional, path: str) -> None:
        self._open(path, Kind.OPTIONAL, "")
        if self._flag(path):
            self.walk(item.element, path)
        self._close()
