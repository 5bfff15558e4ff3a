"""An input as an edit sees it: its tree, the types, chance, and how what was edited is closed.

Some opaque fields hold items of their own (`rpcrdma.wire.overlays`), in trees of which an edit may
change the length of what is inside; the length around it is then made to agree, mostly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fuzz.structure.grow import padded
from rpcrdma.xdr.tree import Kind

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from rpcrdma.xdr.model import Schema, Type
    from rpcrdma.xdr.tree import Node, Tree

__all__ = ["Scene", "elements", "type_number"]

_LEFT_OPEN: Final = 8
"""One of so many edits inside an opaque field leaves the length around it as it was."""

_NUMBERS: Final[dict[int, tuple[Type, int]]] = {}
_EQUAL: Final[dict[Type, int]] = {}


def type_number(item: Type) -> int:
    """The same number for equal types; to hash a type each time would take longest of all."""
    kept = _NUMBERS.get(id(item))
    if kept is None:
        kept = _NUMBERS[id(item)] = item, _EQUAL.setdefault(item, len(_EQUAL))
    return kept[1]


def elements(node: Node) -> tuple[Node, ...]:
    """The elements of a list or counted array, with their discriminators."""
    if node.kind is Kind.LIST:
        return tuple(child for child in node.children if child.kind is Kind.ENTRY and child.length)
    return node.children[1:] if node.kind is Kind.ARRAY else ()


@dataclass(slots=True)
class Scene:
    """What is edited.

    Attributes:
        schema: where the references of all types in the tree lead.
        tree: as much of the input as could be decoded.
        nodes: all of the tree, in the order of their octets.
        draw: where chance comes from.
    """

    schema: Schema
    tree: Tree
    nodes: tuple[Node, ...]
    draw: Random

    def pick(self, wanted: Callable[[Node], bool]) -> Node | None:
        """One of the nodes that are wanted; None where there is none."""
        found = [node for node in self.nodes if wanted(node)]
        return self.draw.choice(found) if found else None

    def put(self, node: Node, octets: bytes) -> bytes:
        """The input with other octets in the place of a node."""
        whole = self.tree.octets
        return self.closed(node, whole[: node.offset] + octets + whole[node.end :])

    def closed(self, node: Node, octets: bytes) -> bytes:
        """The input after an edit within a node, with the lengths of opaque fields around it."""
        more = len(octets) - len(self.tree.octets)
        if not more:
            return octets
        around = [
            one
            for one in self.nodes
            if one.kind is Kind.OPAQUE
            and one.children
            and one.offset < node.offset
            and node.end <= one.end
        ]
        if not around or not self.draw.randrange(_LEFT_OPEN):
            return octets
        for one in reversed(around):
            held = (len(one.value) if isinstance(one.value, bytes) else 0) + more
            start = one.offset + 4
            inside = held.to_bytes(4, "big") + padded(octets[start : start + held])
            after = octets[one.end + more :]
            octets = octets[: one.offset] + inside + after
            more = len(octets) - len(self.tree.octets)
        return octets
