"""The oracle's view of a Call whose header can be decoded: its chunks, RPC message and arguments.

    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 4.5.2  XDR Errors
    rfc8166 section 6.1    DDP-Eligibility

Both versions are judged here, by the ids of Version One.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from conformance.catalogue.interpretations import choice
from conformance.oracle.headers import VERSION_TWO
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, Silent
from conformance.oracle.responder.chunks import CallStream, examine_call
from conformance.oracle.responder.expectation import (
    REFUSAL_STATUSES,
    Allowed,
    Expectation,
    ResponderState,
)
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.rpc import Outcome as RpcOutcome
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, rpc

__all__ = ["expected_of_call"]

_OTHER_REFUSALS: Final = (ErrChunk, Silent, Disconnected)
_CANNOT_REPLY: Final = ("rfc8166.4.5.3.no-write-past-the-reply-chunk",)
_CLOSES: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"
_XDR_ERROR: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
_BAD_HEADER: Final = "rfc8166.4.5.bad-call-header-answered"
_GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
_WRONG_WAY: Final = "v2.4.2.3.wrong-direction-is-not-served"
_NO_CALL: Final = Allowed(Silent, ("rfc8166.4.rpc-layout-is-unchanged",), ("D-40",))


def expected_of_call(header: TransportHeader, payload: bytes, state: ResponderState) -> Expectation:
    """What may be done with an RDMA_MSG or RDMA_NOMSG whose header could be decoded.

    Args:
        header: of the message, in either version.
        payload: what follows it.
        state: what is known of the device and the connection.
    """
    body = header.rdma_body
    if not isinstance(body, RdmaMsg | RdmaNomsg):
        raise TypeError(f"{type(body).__name__} is not judged here")
    stream = examine_call(body, payload, state)
    result = Expectation(
        stream.fault,
        (),
        header.rdma_xid,
        header.rdma_vers,
        call=header,
        unused_reply_chunk=choice("D-19", state.chosen),
    )
    if stream.refusals:
        # What is wrong twice may be found wrong in either way.
        known = any(item.outcome is Silent for item in stream.refusals)
        dropped = () if known or _says_call(body, payload) else (_NO_CALL,)
        return replace(result, allowed=(*stream.refusals, *dropped, *stream.tolerated))
    return _rpc_message(result, stream, state)


def _says_call(body: RdmaMsg | RdmaNomsg, payload: bytes) -> bool:
    """Whether a message says, as far as it is here, that it is a Call."""
    return isinstance(body, RdmaNomsg) or rpc.message_type_of(payload) == rpc.MessageType.CALL


def _rpc_message(result: Expectation, stream: CallStream, state: ResponderState) -> Expectation:
    """Judge the RPC message that header and chunks gave."""
    try:
        message, _ = rpc.decode_message(stream.octets)
    except DecodeError as error:
        allowed = (
            _NO_CALL,
            Allowed(ErrChunk, (_XDR_ERROR,), ("D-40",)),
            Allowed(Answered, (_GARBAGE,), ("D-40",), statuses=REFUSAL_STATUSES),
            Allowed(Disconnected, (_CLOSES,), ("D-40",), warning=True),
        )
        return replace(
            result, fault=f"no RPC message: {error}", allowed=(*allowed, *stream.tolerated)
        )
    if not isinstance(message.body, rpc.CallBody):
        # v2 4.2.3, D-134: such a Reply has a direction word of a Call, which contradicts it.
        in_two = result.version == VERSION_TWO
        rule = _WRONG_WAY if in_two else "rfc8166.2.2.2.reply-retires-the-xid"
        dropped = Allowed(Silent, (rule,))
        refused = Allowed(ErrChunk, (_BAD_HEADER,), ("D-15",), warning=True)
        return replace(result, fault="a Reply that nobody awaits", allowed=(dropped, refused))
    served = (*_arguments(stream, state), *stream.tolerated)
    if message.xid != result.xid:
        return _mismatch(result, message.xid, served, state)
    return replace(result, allowed=served)


def _mismatch(
    result: Expectation, payload_xid: int, served: tuple[Allowed, ...], state: ResponderState
) -> Expectation:
    """Two XIDs that differ: ERR_CHUNK, service under rdma_xid, or either (D-12)."""
    reading = choice("D-12", state.chosen)
    refused = Allowed(ErrChunk, ("rfc8166.4.5.2.xid-mismatch-is-an-xdr-error",), ("D-12",))
    rule = "rfc8166.4.2.1.payload-xid-may-be-ignored"
    under_header = tuple(
        replace(
            item,
            requirements=(rule, *item.requirements),
            interpretations=("D-12", *item.interpretations),
        )
        for item in served
    )
    choices = {
        "either": (refused, *under_header),
        "err-chunk": (refused,),
        "rdma-xid": under_header,
    }
    return replace(
        result,
        fault=f"rdma_xid {result.xid:#010x}, but XID {payload_xid:#010x} in the RPC message",
        allowed=choices[reading],
        payload_xid_differs=True,
    )


def _arguments(stream: CallStream, state: ResponderState) -> tuple[Allowed, ...]:
    """What a Call with a readable header may get, by its arguments and by the room for a Reply."""
    served = Allowed(Answered, ("rfc8166.2.2.2.reply-xid-is-the-calls",))
    layer = state.upper_layer
    if layer is None:
        return (served,)
    try:
        layer.arguments(stream.octets)
        room = layer.expectation(stream.octets)
    except DecodeError:
        # The document says SHOULD, so whatever else does not execute the Call is a warning.
        garbage = Allowed(Answered, (_GARBAGE,), statuses=frozenset({RpcOutcome.GARBAGE_ARGS}))
        refused = Allowed(Answered, (_GARBAGE,), warning=True, statuses=REFUSAL_STATUSES)
        others = (Allowed(kind, (_GARBAGE,), warning=True) for kind in _OTHER_REFUSALS)
        return (garbage, refused, *others)
    if stream.has_room_for(room, state.reply_threshold):
        return (served,)
    return (
        served,
        Allowed(ErrChunk, _CANNOT_REPLY, ("D-21",)),
        Allowed(Disconnected, _CANNOT_REPLY, ("D-21",)),
    )
