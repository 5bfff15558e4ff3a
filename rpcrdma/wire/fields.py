"""What lies where in a message, for a person: a table of fields that covers every octet once.

The fields are the leaves of the message's trees (`rpcrdma.wire.describe.trees`), hence of the XDR
of the documents, in the order of their octets; what groups them is a heading of no length.  What
no XDR describes is in the table as well: the octets after the headers, and those that cannot be
decoded, with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rpcrdma.errors import Reason
from rpcrdma.wire.describe import trees, value_of
from rpcrdma.wire.overlays import DEFAULT_OF
from rpcrdma.wire.words import octets_in_words
from rpcrdma.xdr.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rpcrdma.errors import DecodeError
    from rpcrdma.xdr.tree import Node, Tree

__all__ = ["PlacedField", "fields_of"]

_TITLES: Final = ("transport header", "RPC message")
_WORD: Final = 4
_IN_ONE_WORD: Final = frozenset(
    {Reason.BAD_BOOLEAN, Reason.BAD_ENUM, Reason.BAD_DISCRIMINANT, Reason.TOO_LONG}
)
"""Faults of one word; after it the decoding stops."""


class PlacedField(NamedTuple):
    """One field of a message.

    Attributes:
        path: as in DecodeError; empty for what belongs to no field of the XDR.
        offset: of its first octet in the message.
        length: in octets, with padding; 0 for a heading, whose parts follow.
        depth: levels of nesting; 0 for the two headers and for what follows them.
        name: the last step of the path, or what the octets are.
        value: in the words of the documents; empty where only the parts have one.
    """

    path: str
    offset: int
    length: int
    depth: int
    name: str
    value: str

    @property
    def end(self) -> int:
        """The offset after it."""
        return self.offset + self.length


def fields_of(octets: bytes) -> tuple[PlacedField, ...]:
    """The fields of a message; never raises for what it finds."""
    return tuple(_fields(octets))


def _fields(octets: bytes) -> Iterator[PlacedField]:
    end, after, error = 0, "payload", None
    for tree, title in zip(trees(octets), _TITLES, strict=False):
        yield PlacedField("", tree.root.offset, 0, 0, title, "")
        end = tree.root.offset
        for field in _of_nodes(tree.root.children, tree, 1):
            yield field
            end = field.end
        error = tree.error
        after = _after(tree)
    if error is not None:
        yield from _undecoded(octets, end, len(octets), error, 1)
    elif end < len(octets):
        yield PlacedField("", end, len(octets) - end, 0, after, octets_in_words(octets[end:]))


def _after(tree: Tree) -> str:
    """What the octets after a tree's message are."""
    told = {node.path: node.label for node in tree.root.walk() if node.kind is Kind.DISCRIMINANT}
    return {"CALL": "arguments", "REPLY": "results"}.get(told.get("body.mtype", ""), "payload")


def _of_nodes(nodes: Iterable[Node], tree: Tree, depth: int) -> Iterator[PlacedField]:
    for node in nodes:
        yield from _of_node(node, tree, depth)


def _of_node(node: Node, tree: Tree, depth: int) -> Iterator[PlacedField]:
    if node.kind is Kind.OPAQUE and node.children:
        yield from _opened(node, tree, depth)
        return
    if not node.children and (node.value is not None or node.label.startswith(DEFAULT_OF)):
        name = node.name + {Kind.COUNT: " (count)", Kind.FLAG: " (discriminator)"}.get(
            node.kind, ""
        )
        yield PlacedField(node.path, node.offset, node.length, depth, name, value_of(node))
        return
    yield PlacedField(node.path, node.offset, 0, depth, node.name, _heading(node))
    yield from _of_nodes(_parts(node), tree, depth + 1)


def _parts(node: Node) -> Iterator[Node]:
    """The children of a node; those of an entry's or optional's item in the item's place."""
    for child in node.children:
        if child.path == node.path and child.children and child.kind is not Kind.OPAQUE:
            yield from _parts(child)
        else:
            yield child


def _heading(node: Node) -> str:
    entries = sum(child.kind not in {Kind.FLAG, Kind.COUNT} for child in node.children)
    match node.kind:
        case Kind.LIST | Kind.ARRAY | Kind.TUPLE:
            return f"{entries} entr{'y' if entries == 1 else 'ies'}" if entries else "empty"
        case Kind.OPTIONAL:
            return "present" if entries else "absent"
        case _:
            return ""


def _opened(node: Node, tree: Tree, depth: int) -> Iterator[PlacedField]:
    """An opaque field in which an item of another XDR lies: its length, the item, its padding."""
    held = len(node.value) if isinstance(node.value, bytes) else 0
    yield PlacedField(node.path, node.offset, 0, depth, node.name, node.label)
    yield PlacedField(node.path, node.offset, _WORD, depth + 1, f"{node.name} (count)", f"{held}")
    end, stop = node.offset + _WORD, node.offset + _WORD + held
    for child in _parts(node):
        for field in _of_node(child, tree, depth + 1):
            yield field
            end = field.end
    if end < stop:
        error = tree.error
        if error is not None and node.offset < error.offset <= stop:
            yield from _undecoded(tree.octets, end, stop, error, depth + 1)
        else:
            rest = octets_in_words(tree.octets[end:stop])
            yield PlacedField(node.path, end, stop - end, depth + 1, "not decoded", rest)
    if stop < node.end:
        padding = octets_in_words(tree.octets[stop : node.end])
        yield PlacedField(node.path, stop, node.end - stop, depth + 1, "roundup padding", padding)


def _undecoded(
    octets: bytes, start: int, stop: int, error: DecodeError, depth: int
) -> Iterator[PlacedField]:
    """The octets from where the decoding could not go on: those of the fault, and the others."""
    name = error.path.rpartition(".")[2] or "message"
    fault = min(max(error.offset, start), stop)
    end = min(fault + _WORD, stop) if error.reason in _IN_ONE_WORD else stop
    if start < fault:
        before = octets_in_words(octets[start:fault])
        yield PlacedField(error.path, start, fault - start, depth, name, before)
    detail = f" ({error.detail})" if error.detail else ""
    told = f"{octets_in_words(octets[fault:end])}, not decoded: {error.reason.value}{detail}"
    yield PlacedField(error.path, fault, end - fault, depth, name, told)
    if end < stop:
        rest = octets_in_words(octets[end:stop])
        yield PlacedField("", end, stop - end, depth, "after what cannot be decoded", rest)
