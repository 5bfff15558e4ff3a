"""Edits of RDMA segments: one becomes two that say the same, or lacks what it just has.

Chunks of several segments, and chunks that fit to the octet, are what a Responder's arithmetic goes
wrong with; a number drawn at random is hardly ever either.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from fuzz.structure.grow import SEGMENT
from fuzz.structure.scene import elements
from rpcrdma.xdr.tree import Kind, Node

if TYPE_CHECKING:
    from fuzz.structure.scene import Scene

__all__ = ["beside", "split"]

_SEGMENT: Final = struct.Struct(">IIQ")
"""handle, length, offset (rfc8166 4.1.2, v2 4.2)."""

_STEPS: Final = (-1, -1, 1, -4, 4)


def beside(scene: Scene) -> bytes | None:
    """A segment a little shorter or longer than it was."""
    node = scene.pick(lambda node: node.label == SEGMENT and node.length == _SEGMENT.size)
    if node is None:
        return None
    handle, length, offset = _SEGMENT.unpack_from(scene.tree.octets, node.offset)
    length = (length + scene.draw.choice(_STEPS)) % 2**32
    return scene.put(node, _SEGMENT.pack(handle, length, offset))


def split(scene: Scene) -> bytes | None:
    """A segment in two, one after the other in memory and in its list or array."""
    node = scene.pick(lambda node: any(_segment(one) for one in elements(node)))
    if node is None:
        return None
    chosen = scene.draw.choice([one for one in elements(node) if _segment(one)])
    segment = _segment(chosen)
    if segment is None:
        return None
    octets = scene.tree.octets
    handle, length, offset = _SEGMENT.unpack_from(octets, segment.offset)
    first = scene.draw.choice((0, 1, 4, length // 2 & ~3, max(length - 4, 0), length))
    first = min(first, length)
    parts = (first, offset), (length - first, (offset + first) % 2**64)
    lead, tail = octets[chosen.offset : segment.offset], octets[segment.end : chosen.end]
    two = b"".join(lead + _SEGMENT.pack(handle, size, at) + tail for size, at in parts)
    made = octets[: chosen.offset] + two + octets[chosen.end :]
    if node.kind is Kind.ARRAY:
        count = node.children[0]
        total = (int(count.value or 0) + 1) % 2**32
        made = made[: count.offset] + total.to_bytes(4, "big") + made[count.end :]
    return scene.closed(node, made)


def _segment(element: Node) -> Node | None:
    """The only segment of an element; None if it has none or several."""
    found = [node for node in element.walk() if node.label == SEGMENT]
    return found[0] if len(found) == 1 and found[0].length == _SEGMENT.size else None
