"""One item of a valid message spoilt in one named way, with the fault that must be reported.

The generated strategies draw from here; a message is spoilt through its tree, so that all the
rest of it stays valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from rpcrdma.errors import Reason
from rpcrdma.xdr.tree import Kind, Node, Tree
from rpcrdma.xdr.tree_builder import build_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.xdr.model import Schema


@dataclass(frozen=True, slots=True)
class Spoilt:
    """Octets that are invalid in one way.

    Attributes:
        octets: the message.
        path: the field that was spoilt.
        reason: what a decoder must say.
    """

    octets: bytes
    path: str
    reason: Reason


def spoilings(schema: Schema, name: str, octets: bytes) -> st.SearchStrategy[Spoilt]:
    """As `every_spoiling`, for hypothesis to choose from."""
    ways = every_spoiling(schema, name, octets)
    return st.sampled_from(ways) if ways else st.nothing()


def every_spoiling(schema: Schema, name: str, octets: bytes) -> tuple[Spoilt, ...]:
    """Every way to spoil one item of a valid message, and every way to cut it short."""
    tree = build_tree(schema, name, octets)
    return (*spoil_items(tree), *_cuts(tree))


def spoil_items(tree: Tree) -> Iterator[Spoilt]:
    """Every way to spoil one item of a valid message; overlays that are opened in it, too."""
    for node in tree.leaves():
        yield from spoil_node(tree, node)


def spoil_node(tree: Tree, node: Node) -> Iterator[Spoilt]:
    """Every way to spoil one leaf of a tree; none for what takes any octets."""
    match node.kind:
        case Kind.FLAG | Kind.BOOLEAN:
            for value in (2, 2**32 - 1):
                yield Spoilt(tree.set(node, value), node.path, Reason.BAD_BOOLEAN)
        case Kind.COUNT:
            yield Spoilt(tree.set(node, 2**32 - 1), node.path, _count_reason(node))
        case Kind.ENUM | Kind.DISCRIMINANT if node.label:
            # No enumeration of the documents has a member at the edge of the type.
            yield Spoilt(tree.set(node, 2**31 - 1), node.path, Reason.BAD_ENUM)
        case _:
            pass


def _count_reason(node: Node) -> Reason:
    """An absurd count breaks the declared maximum if there is one, and the buffer in any case."""
    return Reason.TOO_LONG if node.label == "limited" else Reason.TRUNCATED


def _cuts(tree: Tree) -> Iterator[Spoilt]:
    """The message cut off before each of its leaves."""
    for node in _outside_arrays(tree.root):
        if node.length:
            yield Spoilt(tree.octets[: node.offset], node.path, Reason.TRUNCATED)


def _outside_arrays(node: Node) -> Iterator[Node]:
    """The leaves of a node; of a counted array the count, which answers for its elements."""
    if node.value is not None:
        yield node
    for child in node.children[:1] if node.kind is Kind.ARRAY else node.children:
        if node.kind is not Kind.TUPLE:
            yield from _outside_arrays(child)
