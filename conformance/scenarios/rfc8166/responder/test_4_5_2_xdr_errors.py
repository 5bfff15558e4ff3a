"""Headers and arguments that a Responder cannot decode.

rfc8166 section 4.5.2  XDR Errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.oracle.sizes import SHORTEST_MESSAGE
from conformance.tester.client import build, mutate
from conformance.verify import accepted
from rpcrdma import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

GETS_ERR_CHUNK: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
INVALID_PROCEDURE: Final = "rfc8166.4.5.2.invalid-procedure-is-an-xdr-error"
ANSWERED: Final = "rfc8166.4.5.bad-call-header-answered"
CHECKED: Final = "rfc8166.4.5.header-checked-before-the-rpc-layer"
NO_LIST: Final = "rfc8166.4.5.2.nomsg-without-chunks-is-an-xdr-error"
GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
NOMSG: Final = 1
PROCEDURES: Final = (5, 6, 255, 256, 2**31, 2**32 - 1)


@requirement(GETS_ERR_CHUNK, INVALID_PROCEDURE)
@pytest.mark.parametrize("procedure", PROCEDURES, ids="procedure-{:#x}".format)
def test_responder_answers_an_invalid_procedure_with_err_chunk(peer: Peer, procedure: int) -> None:
    """A procedure that no document defines gets ERR_CHUNK, though a good Call follows it."""
    call = mutate.procedure(build.small_call(peer), procedure)

    peer.send(call)

    verify.expect(peer, call, ErrChunk)


@requirement(GETS_ERR_CHUNK, NO_LIST)
@pytest.mark.parametrize("after", ["nothing", "a-call"])
def test_responder_answers_nomsg_without_any_list_with_err_chunk(peer: Peer, after: str) -> None:
    """An RDMA_NOMSG without any list gets ERR_CHUNK, also if a Call stands after it."""
    call = mutate.procedure(build.small_call(peer), NOMSG)
    if after == "nothing":
        call = mutate.payload(call, b"")

    peer.send(call)

    verify.reported(peer, call)


@requirement(ANSWERED, interpretations=("D-22",))
@pytest.mark.parametrize("present", ["write-list", "reply-chunk", "read-chunk-not-at-zero"])
def test_responder_executes_no_nomsg_whose_lists_hold_no_call(peer: Peer, present: str) -> None:
    """An RDMA_NOMSG with lists, but no Position-Zero Read chunk, gets ERR_CHUNK or nothing."""
    call = mutate.payload(build.null_call(peer), b"")
    bodies = {
        "write-list": wire.RdmaNomsg((), (peer.room((64,)).write_chunk(),), None),
        "reply-chunk": wire.RdmaNomsg((), (), peer.room((1024,)).write_chunk()),
        "read-chunk-not-at-zero": wire.RdmaNomsg(
            peer.expose(call.unreduced).read_segments(40), (), None
        ),
    }
    call = mutate.body(call, bodies[present])

    peer.send(call)

    verify.discarded(peer, call, ErrChunk, tolerated=(Disconnected,), breaks=ANSWERED)


@requirement(GARBAGE, "rfc8166.4.5.2.garbage-args-by-rdma-msg")
def test_responder_answers_arguments_that_end_early_with_garbage_args(peer: Peer) -> None:
    """A good header and arguments that are cut off get GARBAGE_ARGS in an RDMA_MSG."""
    call = build.short(peer, peer.workload.garbage())

    peer.send(call)

    reply = verify.garbage_args(peer, call, breaks=GARBAGE)
    verify.that(not reply.answer.is_long, "the Reply is an RDMA_MSG", actual=str(reply.answer))


@requirement(CHECKED, interpretations=("D-40",))
@pytest.mark.parametrize("length", [0, 4, 8, 20], ids="{}-octets".format)
def test_responder_executes_no_call_whose_rpc_header_is_cut(peer: Peer, length: int) -> None:
    """A good transport header with less than an RPC header is dropped or refused."""
    call = build.null_call(peer)
    call = mutate.payload(call, call.payload[:length])

    peer.send(call)

    kinds = (ErrChunk, Answered)
    answer = verify.discarded(
        peer,
        call,
        *kinds,
        tolerated=(Disconnected,),
        breaks=CHECKED,
        statuses=accepted.REFUSED,
    )
    if isinstance(answer, Answered):
        verify.not_executed(peer, call, answer, breaks=CHECKED)


CUT: Final[Mapping[str, Callable[[Peer], Call]]] = {
    "null": build.null_call,
    "arguments": build.small_call,
    "three-lists": lambda peer: build.call(
        peer,
        peer.workload.store(bytes(64)),
        reads=((24,),),
        writes=((64, 64),),
        reply=(1024,),
    ),
}
"""Good Calls that are cut: at all of their lengths."""


@requirement(
    "rfc8166.4.rpc-layout-is-unchanged",
    "rfc8166.4.5.2.xdr-error-gets-err-chunk",
    GARBAGE,
    interpretations=("D-10", "D-40"),
)
@pytest.mark.parametrize("octet", range(4), ids="octet-{}-of-a-word".format)
@pytest.mark.parametrize("form", CUT)
def test_responder_bears_a_call_cut_anywhere(
    peer: Peer, connect: Callable[..., Peer], form: str, octet: int
) -> None:
    """A Call that is cut, to any length of a header or more, is dropped or refused (D-40)."""
    whole = len(CUT[form](peer).octets)

    verify.cuts.anywhere(peer, connect, range(SHORTEST_MESSAGE + octet, whole, 4), CUT[form])
