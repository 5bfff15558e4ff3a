"""Opaque fields whose contents another field names: what the XDR of the documents cannot express.

    v2 section 3.1        rdma_optinfo, by rdma_opttype
    xcharext section 2.1  pv_data, by pv_which

The types are those of the tables of operations (`rpcrdma.wire.operations`) and of properties
(`rpcrdma.wire.properties`).  `overlaid` shows a message's tree with such fields opened, and with
the fault of the first one that is not what it should be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire.operations import BY_CODE
from rpcrdma.wire.properties import ADOPTED
from rpcrdma.xdr.tree import Tree
from rpcrdma.xdr.tree_builder import build_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.properties import PropertyNumbers, TransportProperty
    from rpcrdma.xdr.tree import Node

    _Row = OptionalOperation | TransportProperty

__all__ = ["DEFAULT_OF", "Overlay", "overlaid", "overlays"]


DEFAULT_OF: Final = "default of "
"""What the label of an empty field begins with that stands for the default of its type."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A pair of fields of one structure.

    Attributes:
        selector: the field whose value tells the type.
        opaque: the field that holds an item of it.
        rows: by value of the selector; an opaque whose selector is not among them stays opaque.
        empty_is_default: no octets at all stand for the default of the type, and are not decoded.
    """

    selector: str
    opaque: str
    rows: Mapping[int, _Row]
    empty_is_default: bool


_OPTION: Final = Overlay("rdma_opttype", "rdma_optinfo", BY_CODE, empty_is_default=False)


def overlays(known: PropertyNumbers) -> Mapping[str, Overlay]:
    """The fields that are opened, by the Python name of the structure that has both of a pair."""
    value = Overlay("pv_which", "pv_data", known.by_code, empty_is_default=True)
    return {"Rdma2Optional": _OPTION, "PropertyValue": value}


def overlaid(tree: Tree, known: PropertyNumbers = ADOPTED) -> Tree:
    """The tree with its overlays opened, however deep they are nested.

    An opened field keeps its node and value, and has the item that it holds for a child; selectors
    get the constant for a label.  Where the tree has no fault of its own, that of the first overlay
    becomes its fault.

    Args:
        tree: of a message, or of a part of one.
        known: the properties that are opened; others stay opaque, and are no fault.
    """
    opener = _Opener(tree.octets, overlays(known))
    root = opener.opened(tree.root)
    return Tree(tree.octets, root, tree.error or opener.error)


class _Opener:
    """Rebuilds nodes with their overlays opened, and keeps the first fault."""

    def __init__(self, octets: bytes, known: Mapping[str, Overlay]) -> None:
        self._octets = octets
        self._overlays = known
        self.error: DecodeError | None = None

    def opened(self, node: Node) -> Node:
        if not node.children:
            return node
        overlay = self._overlays.get(node.label)
        found: _Row | None = None
        children = []
        for part in node.children:
            if overlay and part.name == overlay.selector:
                found = overlay.rows.get(int(part.value or 0))
                children.append(replace(part, label=found.constant if found else ""))
            elif overlay and found and part.name == overlay.opaque:
                children.append(self._open(part, found, overlay))
            else:
                children.append(self.opened(part))
        return replace(node, children=tuple(children))

    def _open(self, node: Node, found: _Row, overlay: Overlay) -> Node:
        held = len(node.value) if isinstance(node.value, bytes) else 0
        if overlay.empty_is_default and not held:
            return replace(node, label=f"{DEFAULT_OF}{found.constant}")
        start = node.offset + 4  # after the length
        octets = self._octets[: start + held]
        inner = build_tree(found.schema, found.contents.__name__, octets, start)
        opened = self.opened(_below(inner.root, node.path))
        fault = inner.error or _left_over(inner, start + held)
        if fault is not None and self.error is None:
            path = ".".join(part for part in (node.path, fault.path) if part)
            self.error = DecodeError(fault.offset, path, fault.reason, fault.detail)
        return replace(node, label=found.constant, children=(opened,))


def _left_over(inner: Tree, end: int) -> DecodeError | None:
    if (left := end - inner.root.end) == 0:
        return None
    return DecodeError(inner.root.end, "", Reason.TRAILING, f"{left} octets")


def _below(node: Node, path: str) -> Node:
    """The node and everything under it with the path of the field that holds it in front."""
    children: Iterator[Node] = (_below(child, path) for child in node.children)
    joined = ".".join(part for part in (path, node.path) if part)
    return replace(node, path=joined, children=tuple(children))
