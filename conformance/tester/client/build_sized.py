"""Good Calls of exactly N octets, or with Replies of exactly N octets, to probe inline thresholds.

rfc8166 section 3.3.2  Inline Threshold
v2 section 2.3         the same in Version Two, where a header has a word more
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.sizes import HEADER_ONE, HEADER_TWO
from conformance.tester.client import build
from rpcrdma.wire import v2

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

__all__ = ["call_of", "reply_of"]

_LEAST: Final = 4
"""Octets of the item that the length is made up by."""


def call_of(peer: Peer, length: int) -> Call:
    """A Short call that takes so many octets with its header; a multiple of four."""
    least = build.short(peer, peer.workload.long_call(_LEAST))
    return build.short(peer, peer.workload.long_call(length - len(least.octets) + _LEAST))


def reply_of(peer: Peer, length: int, *, reply: tuple[int, ...] | None = None) -> Call:
    """A call whose Short reply takes so many octets with its header; a multiple of four.

    Args:
        peer: who sends it.
        length: of the reply, all of its Payload stream inline and no chunk returned.
        reply: sizes of a Reply chunk to offer.
    """
    least = peer.workload.fetch(_LEAST)
    beside = least.layer.expectation(least.encode(0)).maximum - _LEAST
    header = HEADER_TWO if peer.version == v2.VERSION else HEADER_ONE
    return build.call(peer, peer.workload.fetch(length - header - beside), reply=reply)
