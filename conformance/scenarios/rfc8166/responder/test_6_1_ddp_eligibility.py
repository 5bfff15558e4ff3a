"""RFC 8166 section 6.1, DDP-Eligibility."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk
from conformance.tester.client import build, mutate
from conformance.tester.server.misbound import Misbound
from conformance.verify import accepted

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

NOT_PROCESSED: Final = "rfc8166.6.1.ineligible-argument-is-not-processed"
REPORTED: Final = "rfc8166.6.1.ineligible-argument-is-reported"


@requirement(NOT_PROCESSED, REPORTED, interpretations=("D-20",))
@pytest.mark.parametrize("length", [4, 8])
@pytest.mark.parametrize("form", ["chunked", "long"])
def test_responder_refuses_a_reduced_ineligible_argument(
    peer: Peer, form: str, length: int
) -> None:
    """The last octets of a call without eligible arguments, moved into a Read chunk, spoil it."""
    request = peer.workload.small()
    spoilt = replace(request, layer=Misbound(request.layer, length))
    call = build.call(peer, spoilt, reads=((),), whole=() if form == "long" else None)

    peer.send(call)

    answer = verify.expect(
        peer, call, ErrChunk, Answered, statuses=accepted.REFUSED, breaks=REPORTED
    )
    peer.put_aside(answer)
    verify.chunks.refused(peer, call, breaks=NOT_PROCESSED)


WITHIN_THE_HEADER: Final = {"procedure": (20, 4), "credential": (24, 8), "verifier": (32, 8)}
"""What stands within the RPC header of NULL: Position, and octets."""


@requirement(NOT_PROCESSED, REPORTED, interpretations=("D-20", "D-40"))
@pytest.mark.parametrize("what", WITHIN_THE_HEADER)
def test_responder_refuses_a_reduced_part_of_the_rpc_header(peer: Peer, what: str) -> None:
    """Octets of the RPC header in a Read chunk are no argument: the Call is not executed."""
    place, length = WITHIN_THE_HEADER[what]
    call = build.null_call(peer)
    data = call.payload[place : place + length]
    reads = peer.expose(data).read_segments(place)
    call = mutate.payload(call, call.payload[:place] + call.payload[place + length :])
    call = mutate.lists(call, rdma_reads=reads)

    peer.send(call)

    verify.judged(peer, call, breaks=NOT_PROCESSED)
