"""RFC 8166 section 8.2.2, RPCSEC_GSS: calls within an established context.

To a server of NFS the context is made by Kerberos, to the suite's own program by a mechanism that
protects nobody: what a Responder may reduce depends on the service that is asked for, not on what
that is worth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.client import build
from conformance.tester.server.misbound import Misbound
from conformance.tester.workload import protected

if TYPE_CHECKING:
    from conformance.oracle.outcome import Answered
    from conformance.tester.client.peer import Peer
    from conformance.tester.workload.protected import Protection

NOT_REDUCED: Final = "rfc8166.8.2.2.gss-elements-are-not-reduced"
KEEPS: Final = "rfc8166.8.2.2.2.gss-authentication-keeps-eligibility"
UNDER: Final = "rfc8166.8.2.2.3.no-reduction-under-integrity-or-privacy"
BUFFERS: Final = "rfc8166.8.2.2.3.rdma-between-intermediate-buffers"
NOT_PROCESSED: Final = "rfc8166.6.1.ineligible-argument-is-not-processed"
REPORTED: Final = "rfc8166.6.1.ineligible-argument-is-reported"


def protection(peer: Peer) -> Protection:
    """A context that the device has just given out."""
    asked = protected.ask_for_context(peer.workload)
    call = build.short(peer, asked.request)
    peer.send(call)
    return asked.given_by(verify.served(peer, call).payload)


def used(answer: Answered) -> list[int]:
    """Octets that the segments of the returned Write chunks hold."""
    return [one.length for chunk in answer.body.rdma_writes for one in chunk.target]


@requirement(NOT_REDUCED)
def test_responder_reduces_nothing_of_a_new_context(peer: Peer) -> None:
    """A Write chunk with the Call that asks for a context comes back unused."""
    request = protected.ask_for_context(peer.workload).request
    call = build.call(peer, request, writes=((512,),))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=NOT_REDUCED)
    verify.equal(used(answer), [0], "the lengths of the Write chunk", breaks=NOT_REDUCED)
    verify.chunks.right(peer, call, answer, breaks=NOT_REDUCED)


@requirement(KEEPS)
@pytest.mark.parametrize("length", [300, 5000])
def test_responder_pushes_an_eligible_result_under_authentication(peer: Peer, length: int) -> None:
    """With the service "none" a result goes into its Write chunk as it does without RPCSEC_GSS."""
    request = protection(peer).of(peer.workload.fetch(length), "none")
    call = build.with_write_chunks(peer, request)

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=KEEPS)
    verify.equal(used(answer), [length], "the lengths of the Write chunk", breaks=KEEPS)
    verify.chunks.right(peer, call, answer, breaks=KEEPS)


@requirement(KEEPS)
def test_responder_takes_an_eligible_argument_under_authentication(peer: Peer) -> None:
    """With the service "none" an argument in a Read chunk arrives as it does without RPCSEC_GSS."""
    request = protection(peer).of(protected.exchange(peer.workload, 2001), "none")
    results = request.layer.expectation(request.encode(0)).items
    call = build.call(peer, request, reads=((),), writes=[(largest,) for largest in results])

    peer.send(call)

    verify.chunks.served(peer, call, breaks=KEEPS)


@requirement(UNDER, BUFFERS)
@pytest.mark.parametrize("length", [300, 5000], ids=["short-reply", "long-reply"])
@pytest.mark.parametrize("service", protected.WRAPPED)
def test_responder_reduces_no_result_under_integrity_or_privacy(
    peer: Peer, service: str, length: int
) -> None:
    """A Write chunk comes back unused; the result is in the Payload stream, as it was protected."""
    request = protection(peer).of(peer.workload.fetch(length), service)
    call = build.long_reply(peer, request, writes=((8192,),))

    peer.send(call)

    answer = verify.chunks.taken(peer, call, breaks=BUFFERS)
    verify.equal(used(answer), [0], "the lengths of the Write chunk", breaks=UNDER)
    verify.chunks.right(peer, call, answer, breaks=BUFFERS)


@requirement(BUFFERS)
@pytest.mark.parametrize("service", protected.WRAPPED)
def test_responder_serves_long_messages_under_integrity_or_privacy(
    peer: Peer, service: str
) -> None:
    """A Long Call with a Reply chunk is served: RDMA moves what was protected as a whole."""
    request = protection(peer).of(protected.exchange(peer.workload, 5001), service)
    room = request.layer.expectation(request.encode(0)).maximum
    call = build.long_call(peer, request, reply=(room,))

    peer.send(call)

    verify.chunks.served(peer, call, breaks=BUFFERS)


@requirement(NOT_PROCESSED, REPORTED, interpretations=("D-20",))
@pytest.mark.parametrize("service", protected.WRAPPED)
def test_responder_refuses_a_reduced_argument_under_integrity_or_privacy(
    peer: Peer, service: str
) -> None:
    """The last octets of a protected argument in a Read chunk: nothing is eligible there."""
    request = protection(peer).of(peer.workload.store(bytes(range(200))), service)
    spoilt = replace(request, layer=Misbound(request.layer, 32))
    call = build.call(peer, spoilt, reads=((),))

    peer.send(call)

    verify.chunks.refused(peer, call, breaks=(NOT_PROCESSED, REPORTED))
