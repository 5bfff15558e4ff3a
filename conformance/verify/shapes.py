"""The verification of a Call of a drawn shape: sent, judged by the oracle, and read back.

rfc8166 section 3.4.4  Chunks
rfc8166 section 6.1    DDP-Eligibility
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.client.build_shape import build_shape, data_of
from conformance.tester.client.shape_rows import NUMBERS
from conformance.verify import answers, chunks
from conformance.verify.judged import judged

if TYPE_CHECKING:
    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer
    from conformance.tester.client.shapes import Shape

__all__ = ["refused_with_a_warning", "shaped"]

_EMPTY_FOR_ONE: Final = ("nfs4", "testprog")
"""Bindings that have an only result come inline for an empty Write chunk."""

REJOINED: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"
VALID: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"
EMPTY: Final = "rfc8166.3.4.3.segment-length-in-octets"
ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"


def shaped(peer: Peer, shape: Shape) -> None:
    """A Call of a shape of `SHAPES` is served in every detail, or refused as the oracle allows.

    Raises:
        Unsupported: the binding has no such call, or the device claims to bear fewer chunks.
    """
    number = NUMBERS[shape]
    call = build_shape(peer, shape, number)
    breaks = statements((_about(shape),), peer.version)

    peer.send(call)

    only = shape.writes == "empty" and shape.call != "fetch-two"
    tolerated = refused_with_a_warning(peer) if only else ()
    outcome = judged(peer, call, tolerated=tolerated, breaks=breaks)
    data = b"".join(data_of(shape, number))
    if data and isinstance(outcome, Answered):
        reply = answers.reply_of(call, outcome)
        if reply.rpc.succeeded and not call.request.fails(reply.payload):
            chunks.fetched_back(peer, data, breaks)


def refused_with_a_warning(peer: Peer) -> tuple[type[Outcome], ...]:
    """What may come of an empty Write chunk for the only result, with a warning (D-148)."""
    return () if peer.profile.binding.value in _EMPTY_FOR_ONE else (ErrChunk,)


def _about(shape: Shape) -> str:
    """What is broken where a Call of this shape is served wrongly."""
    if "short" in (shape.writes, shape.reply):
        return ROOM
    if shape.read in ("empty-first", "empty-last"):
        return EMPTY
    return REJOINED if shape.stores else VALID
