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

import msgspec

from rpcrdma.errors import DecodeError, EncodeError
from rpcrdma.xdr.runtime import ZEROES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.xdr.model import Type


class Kind(Enum):
    """What a node stands for."""

    __hash__ = object.__hash__  # a fuzzer looks for kinds of nodes all the time

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


class Node(msgspec.Struct, frozen=True):
    """One item of a message.

    Attributes:
        path: of the field, as in DecodeError.
        kind: what it is.
        offset: of its first octet in the buffer.
        length: in octets, with padding.
        label: the name of its type, or of its enumeration's member.
        value: of a leaf; None for what has children.
        children: in the order of their octets.
        item: the type that it was read as; None for a list's entry, a flag and a count.
    """

    path: str
    kind: Kind
    offset: int
    length: int
    label: str
    value: NodeValue = None
    children: tuple[Node, ...] = ()
    item: Type | None = None

    @property
    def end(self) -> int:
        """The offset after the node."""
        return self.offset + self.length

    @property
    def name(self) -> str:
        """The last step of the path."""
        return self.path.rpartition(".")[2]

    def walk(self) -> Iterator[Node]:
        """The node and everything under it, in the order of their octets."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children:
                waiting += node.children[::-1]


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
