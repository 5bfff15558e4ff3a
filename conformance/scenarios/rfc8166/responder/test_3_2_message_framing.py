"""RFC 8166 section 3.2, Message Framing: one answer to each Call, and nothing around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

NO_FRAMING: Final = "rfc8166.3.2.no-other-framing"
FOLLOWS: Final = "rfc8166.3.2.payload-follows-the-header"
XID_FIRST: Final = "rfc8166.3.2.payload-begins-with-xid"
MSG_TYPE: Final = "rfc8166.2.2.2.reply-msg-type"
SHORT: Final = "rfc8166.3.5.1.short-message-is-one-send"
CHUNKED: Final = "rfc8166.3.5.2.reduced-stream-in-one-send"

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "null": build.null_call,
    "short": build.small_call,
    "read-chunk": lambda peer: build.with_read_chunks(peer, peer.workload.store(b"once" * 300)),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(2000)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.small()),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(4000)),
}


@requirement(
    "rfc8166.3.2.one-rpc-message-each",
    "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
)
@pytest.mark.parametrize("name", CALLS)
def test_responder_answers_a_call_once(peer: Peer, name: str) -> None:
    """One Reply comes for one Call, and nothing more after it."""
    call = CALLS[name](peer)

    peer.send(call)

    verify.served(peer, call)
    verify.silent(peer)


@requirement(
    "rfc8166.4.5.2.xdr-error-gets-err-chunk",
    "rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
)
def test_responder_reports_an_error_once(peer: Peer) -> None:
    """One ERR_CHUNK comes for one Call with a Write list that is cut, and nothing more after it."""
    call = mutate.truncate(build.with_write_chunks(peer, peer.workload.fetch(2000)), 40)

    peer.send(call)

    verify.cut(peer, call)
    verify.silent(peer)


def framed_wrongly(answer: Answered, xid: bytes) -> tuple[str, ...]:
    """What is broken by a payload that does not begin with the XID and the type of a Reply."""
    if not answer.payload:
        return (CHUNKED if answer.body.rdma_writes else SHORT, FOLLOWS)
    match answer.payload.find(xid):
        case 0:
            return (MSG_TYPE,)
        case -1:
            return (XID_FIRST,)
        case _:
            return (NO_FRAMING, FOLLOWS)


@requirement(NO_FRAMING, FOLLOWS, XID_FIRST, MSG_TYPE, SHORT, CHUNKED)
@pytest.mark.parametrize("name", ["null", "short", "read-chunk", "write-chunk"])
def test_payload_of_a_reply_stands_right_behind_its_header(peer: Peer, name: str) -> None:
    """After the header of an RDMA_MSG come the XID and the message type, without a record mark."""
    call = CALLS[name](peer)

    peer.send(call)

    answer = verify.awaited(peer, call, Answered)
    inline = "the Reply is an RDMA_MSG"
    verify.that(not answer.is_long, inline, actual=str(answer), breaks=FOLLOWS)
    xid = call.xid.to_bytes(4)
    start = xid + (1).to_bytes(4)
    verify.equal(
        answer.payload[:8].hex(),
        start.hex(),
        "the start of the payload",
        breaks=framed_wrongly(answer, xid),
    )
    verify.look(peer, call, answer)
