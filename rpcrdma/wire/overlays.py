"""Opaque fields whose contents another field names: what the XDR of the documents cannot express.

    v2 section 3.1        rdma_optinfo, by rdma_opttype
    xcharext section 2.1  pv_data, by pv_which
    xcharext section 3    the properties and their types (table 1)
    xcharext section 4    the operations and their types (table 2): `rpcrdma.wire.operations`
    rtrext section 8      further properties (table 3; D-91)

The tables are data; whoever adds an extension adds its rows.  `overlaid` shows a message's tree
with such fields opened, and with the fault of the first one that is not what it should be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import _generated_rtrext as rtrext
from rpcrdma.wire import _generated_xcharext as xcharext
from rpcrdma.wire.operations import OPERATIONS
from rpcrdma.xdr.tree_builder import build_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpcrdma.xdr import model
    from rpcrdma.xdr.tree import Node, Tree

__all__ = [
    "BASIC_TYPES",
    "DEFAULT_OF",
    "OPTION_TYPES",
    "PROPERTY_TYPES",
    "Overlay",
    "OverlayType",
    "overlaid",
    "overlays",
]


DEFAULT_OF: Final = "default of "
"""What the label of an empty field begins with that stands for the default of its type."""


@dataclass(frozen=True, slots=True)
class OverlayType:
    """What one value of a selector makes of the octets that it selects.

    Attributes:
        constant: the document's name of the value.
        schema: the types of the document.
        name: of the type in it.
    """

    constant: str
    schema: model.Schema
    name: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """A pair of fields of one structure.

    Attributes:
        selector: the field whose value tells the type.
        opaque: the field that holds an item of it.
        types: by value of the selector; an opaque whose selector is not among them stays opaque.
        empty_is_default: no octets at all stand for the default of the type, and are not decoded.
    """

    selector: str
    opaque: str
    types: Mapping[int, OverlayType]
    empty_is_default: bool


OPTION_TYPES: Final[Mapping[int, OverlayType]] = {
    one.code: OverlayType(one.constant, one.schema, one.contents.__name__) for one in OPERATIONS
}
"""rdma_optinfo by rdma_opttype."""

BASIC_TYPES: Final[Mapping[int, OverlayType]] = {
    xcharext.PROP_RBSIZ: OverlayType("PROP_RBSIZ", xcharext.SCHEMA, "ReceiveBufferSize"),
    xcharext.PROP_REQREMINV: OverlayType(
        "PROP_REQREMINV", xcharext.SCHEMA, "RequesterRemoteInvalidation"
    ),
    xcharext.PROP_BRS: OverlayType("PROP_BRS", xcharext.SCHEMA, "BackwardRequestSupport"),
}
"""pv_data by pv_which, of the basic properties (xcharext 3)."""

PROPERTY_TYPES: Final[Mapping[int, OverlayType]] = {
    **BASIC_TYPES,
    rtrext.XPROP_RTRSUPP: OverlayType("XPROP_RTRSUPP", rtrext.SCHEMA, "RtrSupport"),
    rtrext.XPROP_RBSTRUCT: OverlayType("XPROP_RBSTRUCT", rtrext.SCHEMA, "ReceiveBufferStructure"),
    rtrext.XPROP_REQRXLIM: OverlayType(
        "XPROP_REQRXLIM", rtrext.SCHEMA, "RequestTransmissionReceiveLimit"
    ),
    rtrext.XPROP_RESPSXLIM: OverlayType(
        "XPROP_RESPSXLIM", rtrext.SCHEMA, "ResponseTransmissionSendLimit"
    ),
}
"""pv_data by pv_which, of every property that any document defines."""

_OPTION: Final = Overlay("rdma_opttype", "rdma_optinfo", OPTION_TYPES, empty_is_default=False)


def overlays(properties: Mapping[int, OverlayType]) -> Mapping[str, Overlay]:
    """The fields that are opened, by the Python name of the structure that has both of a pair."""
    value = Overlay("pv_which", "pv_data", properties, empty_is_default=True)
    return {"Rdma2Optional": _OPTION, "PropertyValue": value}


def overlaid(tree: Tree, properties: Mapping[int, OverlayType] = PROPERTY_TYPES) -> Tree:
    """The tree with its overlays opened, however deep they are nested.

    An opened field keeps its node and value, and has the item that it holds for a child; selectors
    get the constant for a label.  Where the tree has no fault of its own, that of the first overlay
    becomes its fault.

    Args:
        tree: of a message, or of a part of one.
        properties: which have a type here; others stay opaque, and are no fault.
    """
    opener = _Opener(tree.octets, overlays(properties))
    root = opener.opened(tree.root)
    return replace(tree, root=root, error=tree.error or opener.error)


class _Opener:
    """Rebuilds nodes with their overlays opened, and keeps the first fault."""

    def __init__(self, octets: bytes, known: Mapping[str, Overlay]) -> None:
        self._octets = octets
        self._overlays = known
        self.error: DecodeError | None = None

    def opened(self, node: Node) -> Node:
        overlay = self._overlays.get(node.label)
        found: OverlayType | None = None
        children = []
        for part in node.children:
            if overlay and part.name == overlay.selector:
                found = overlay.types.get(int(part.value or 0))
                children.append(replace(part, label=found.constant if found else ""))
            elif overlay and found and part.name == overlay.opaque:
                children.append(self._open(part, found, overlay))
            else:
                children.append(self.opened(part))
        return replace(node, children=tuple(children))

    def _open(self, node: Node, found: OverlayType, overlay: Overlay) -> Node:
        held = len(node.value) if isinstance(node.value, bytes) else 0
        if overlay.empty_is_default and not held:
            return replace(node, label=f"{DEFAULT_OF}{found.constant}")
        start = node.offset + 4  # after the length
        inner = build_tree(found.schema, found.name, self._octets[: start + held], start)
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
