"""A Responder of Version One alone, to a Requester that tries Version Two first.

v2 section 5.2  Responder Does Not Support RPC-over-RDMA Version Two
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import ErrVers
from conformance.oracle.responder.error_rules import XID_ECHOED
from conformance.oracle.sizes import FIRST_MESSAGE_TWO
from conformance.tester.client import build, build_sized, mutate
from rpcrdma import wire
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.properties import ReceiveBufferSize, property_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message

ANSWERED: Final = "v2.5.2.one-only-responder-answers-err-vers"
SAME_XID: Final = "v2.5.2.err-vers-has-the-same-xid"
RANGE: Final = "v2.5.2.err-vers-reports-a-range"
THRESHOLDS: Final = "v2.5.2.thresholds-follow-the-version"
KEPT: Final = "v2.5.2.threshold-changes-keep-the-connection"
OFFERS: Final[dict[str, Callable[[Peer], Call | Message]]] = {
    "null-call": lambda peer: build.null_call(peer, version=2),
    "call-of-1024-octets": lambda peer: in_two(
        peer, lambda: build_sized.call_of(peer, FIRST_MESSAGE_TWO)
    ),
    "long-call": lambda peer: in_two(
        peer, lambda: build.long_call(peer, peer.workload.long_call(3000))
    ),
    "connprop": lambda peer: build.option(
        peer, ConnProp(property_values(ReceiveBufferSize(4096)), ())
    ),
    "unknown-operation": lambda peer: build.option(peer, UnknownOption(77, b"")),
    "unknown-procedure": lambda peer: mutate.procedure(build.null_call(peer, version=2), 9),
    "cut-to-28-octets": lambda peer: mutate.truncate(build.null_call(peer, version=2), 28),
}
"""What may come first from a Requester that speaks Version Two."""


def in_two(peer: Peer, make: Callable[[], Call]) -> Call:
    """What a builder gives for Version Two, on a connection that goes on in Version One."""
    peer.version = 2
    try:
        return make()
    finally:
        peer.version = 1


@requirement(
    ANSWERED,
    SAME_XID,
    RANGE,
    interpretations=("D-136",),
    means={XID_ECHOED: SAME_XID},
)
@pytest.mark.parametrize("offer", OFFERS)
def test_one_only_responder_answers_version_two_by_err_vers(
    one_only: Callable[..., Peer], offer: str
) -> None:
    """Whatever comes first in Version Two gets ERR_VERS, under its XID and with 1..1."""
    peer = one_only()
    message = OFFERS[offer](peer)

    peer.send(message)

    error = verify.expect(peer, message, ErrVers, breaks=ANSWERED)
    verify.equal(error.versions, (1, 1), "the range in ERR_VERS", breaks=RANGE)


@requirement(ANSWERED, interpretations=("D-27", "D-136"))
def test_one_only_responder_may_drop_an_error(one_only: Callable[..., Peer]) -> None:
    """An error in Version Two is dropped or gets ERR_VERS, and Version One is served then."""
    peer = one_only()
    message = build.error(peer, wire.ErrVers(2, 2), version=2)

    peer.send(message)

    verify.discarded(peer, message, ErrVers)


def refused_first(peer: Peer) -> None:
    """Try Version Two, as a Requester does that speaks both."""
    offer = build.null_call(peer, version=2)
    peer.send(offer)
    verify.expect(peer, offer, ErrVers, breaks=ANSWERED)


@requirement(KEPT, ANSWERED)
@pytest.mark.parametrize("form", ["small", "write-chunk", "long-call", "long-reply"])
def test_one_only_responder_goes_on_in_version_one_on_the_same_connection(
    one_only: Callable[..., Peer], form: str
) -> None:
    """Right after its ERR_VERS, Calls in Version One are served on the same connection."""
    peer = one_only()
    refused_first(peer)
    calls = {
        "small": lambda: build.small_call(peer),
        "write-chunk": lambda: build.with_write_chunks(peer, peer.workload.fetch(3100)),
        "long-call": lambda: build.long_call(peer, peer.workload.long_call(3000)),
        "long-reply": lambda: build.long_reply(peer, peer.workload.long_reply(3000)),
    }
    call = calls[form]()

    peer.send(call)

    verify.chunks.served(peer, call, breaks=KEPT)


@requirement(THRESHOLDS, interpretations=("D-55",))
@pytest.mark.parametrize("length", [1028, 1500], ids="{}-octets".format)
def test_one_only_responder_keeps_to_1024_octets_afterwards(
    one_only: Callable[..., Peer], length: int
) -> None:
    """After the fall back a Reply of more than 1024 octets goes into the Reply chunk."""
    peer = one_only()
    refused_first(peer)
    call = build_sized.reply_of(peer, length, reply=(length,))

    peer.send(call)

    reply = verify.chunks.served(peer, call, breaks=THRESHOLDS)
    inline = reply.answer.length <= FIRST_MESSAGE_TWO
    actual = f"{reply.answer.length} octets"
    verify.that(inline, "no message is longer than 1024 octets", actual=actual, breaks=THRESHOLDS)
