"""Makes the tree of a message: reads along the types and notes what lies where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.xdr import model
from rpcrdma.xdr.runtime import MAXIMUM_DEPTH, ItemFault, Reader
from rpcrdma.xdr.tree import Kind, Node, Tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.xdr.runtime import Buffer
    from rpcrdma.xdr.tree import NodeValue

__all__ = ["build_tree"]


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
