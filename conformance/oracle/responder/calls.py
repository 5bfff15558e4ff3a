"""The oracle's view of a Call whose header can be decoded: its chunks, RPC message and arguments.

    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 4.5.2  XDR Errors
    rfc8166 section 6.1    DDP-Eligibility

Both versions are judged here, each under the ids that it has for a rule.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statement
from conformance.catalogue.interpretations import choice
from conformance.oracle.header import VERSION_ONE, VERSION_TWO
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, Silent
from conformance.oracle.responder.backward_replies import expected_of_reply
from conformance.oracle.responder.chunks import CallStream, examine_call
from conformance.oracle.responder.expectation import (
    REFUSAL_STATUSES,
    Answer,
    Expectation,
    ResponderState,
    may_answer,
)
from conformance.oracle.responder.unusable_room import needs_unusable_memory
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.wire import RdmaMsg, RdmaNomsg, TransportHeader, rpc

if TYPE_CHECKING:
    from conformance.oracle.verdict import Alternative

__all__ = ["PROGRAMS_ANSWER", "expected_of_call", "expected_of_stream"]

PROGRAMS_ANSWER: Final = ("rfc8166.2.2.2.reply-xid-is-the-calls",)
"""On what a Reply rests whose status is the program's affair alone."""

_OTHER_REFUSALS: Final = (ErrChunk, Silent, Disconnected)
_CANNOT_REPLY: Final = ("rfc8166.4.5.3.no-write-past-the-reply-chunk",)
_CLOSES: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"
_XDR_ERROR: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
_BAD_HEADER: Final = "rfc8166.4.5.bad-call-header-answered"
_GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"
_WORD: Final = 4
_GARBAGE_ARGS: Final = frozenset({RpcOutcome.GARBAGE_ARGS})
_WRONG_WAY: Final = "v2.4.2.3.wrong-direction-is-not-served"


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
    version = header.rdma_vers
    if state.backward and version == VERSION_ONE:
        reply = expected_of_reply(header, payload)
        if reply is not None:
            return reply
    stream = examine_call(body, payload, state, version)
    result = Expectation(
        stream.fault,
        (),
        header.rdma_xid,
        version,
        call=header,
        unused_reply_chunk=choice("D-19", state.chosen),
    )
    if stream.refusals:
        # What is wrong twice may be found wrong in either way.
        kinds = {item.kind for item in stream.refusals}
        known = any(kind.outcome is Silent for kind in kinds)
        others = () if _is_whole(body, payload) else _no_message(version)
        also = tuple(item for item in others if item.kind not in kinds)
        dropped = () if known or _says_call(body, payload) else (_no_call(version),)
        return replace(result, allowed=(*stream.refusals, *dropped, *also, *stream.tolerated))
    return expected_of_stream(result, stream, state)


def _no_call(version: int) -> Alternative[Answer]:
    """What is no RPC Call may be nothing to answer at all, however good its header is (D-40)."""
    return may_answer(Silent, "rfc8166.4.rpc-layout-is-unchanged", version, ("D-40",))


def _no_message(version: int) -> tuple[Alternative[Answer], ...]:
    """What may be done with octets that are no RPC message, besides dropping them (D-40)."""
    return (
        may_answer(ErrChunk, (_XDR_ERROR,), version, ("D-40",)),
        may_answer(Answered, (_GARBAGE,), version, ("D-40",), statuses=_GARBAGE_ARGS),
        may_answer(
            Answered, (_GARBAGE,), version, ("D-40",), warning=True, statuses=REFUSAL_STATUSES
        ),
        may_answer(Disconnected, (_CLOSES,), version, ("D-40",), warning=True),
    )


def _is_whole(body: RdmaMsg | RdmaNomsg, payload: bytes) -> bool:
    """Whether the header of the RPC message, if it is inline, is all there."""
    if isinstance(body, RdmaNomsg):
        return True
    try:
        rpc.decode_message(payload)
    except DecodeError:
        return False
    return True


def _says_call(body: RdmaMsg | RdmaNomsg, payload: bytes) -> bool:
    """Whether a message says, as far as it is here, that it is a Call."""
    return isinstance(body, RdmaNomsg) or rpc.message_type_of(payload) == rpc.MessageType.CALL


def expected_of_stream(
    result: Expectation, stream: CallStream, state: ResponderState
) -> Expectation:
    """What may be done with the RPC message that header and chunks gave.

    Args:
        result: what is known of the Call without it.
        stream: the RPC message.
        state: what is known of the device and the connection.
    """
    version = result.version
    try:
        message, _ = rpc.decode_message(stream.octets)
    except DecodeError as error:
        allowed = (_no_call(version), *_no_message(version), *stream.tolerated)
        # D-12: of a Call that has another XID there a refusal repeats the one or the other.
        differs = len(stream.octets) >= _WORD and rpc.xid_of(stream.octets) != result.xid
        fault = f"no RPC message: {error}"
        return replace(result, fault=fault, allowed=allowed, payload_xid_differs=differs)
    if not isinstance(message.body, rpc.CallBody):
        # v2 4.2.3, D-134: such a Reply has a direction word of a Call, which contradicts it.
        in_two = version == VERSION_TWO
        rule = _WRONG_WAY if in_two else "rfc8166.2.2.2.reply-retires-the-xid"
        dropped = may_answer(Silent, (rule,), version)
        refused = may_answer(ErrChunk, (_BAD_HEADER,), version, ("D-15",), warning=True)
        return replace(result, fault="a Reply that nobody awaits", allowed=(dropped, refused))
    served = _arguments(stream, state, version)
    if message.xid != result.xid:
        return _mismatch(result, message.xid, served, state)
    return replace(result, allowed=served)


def _mismatch(
    result: Expectation,
    payload_xid: int,
    served: tuple[Alternative[Answer], ...],
    state: ResponderState,
) -> Expectation:
    """Two XIDs that differ: ERR_CHUNK, service under rdma_xid, or either (D-12)."""
    version = result.version
    reading = choice("D-12", state.chosen)
    refused = may_answer(
        ErrChunk, ("rfc8166.4.5.2.xid-mismatch-is-an-xdr-error",), version, ("D-12",)
    )
    rule = statement("rfc8166.4.2.1.payload-xid-may-be-ignored", version)
    under_header = tuple(
        replace(
            item,
            ids=tuple(dict.fromkeys((rule, *item.ids))),
            readings=("D-12", *item.readings),
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


def _arguments(
    stream: CallStream, state: ResponderState, version: int
) -> tuple[Alternative[Answer], ...]:
    """What a Call with a readable header may get: by its arguments, its chunks and their memory."""
    served = may_answer(Answered, PROGRAMS_ANSWER, version)
    layer = state.upper_layer
    if layer is None:
        return (served, *stream.tolerated)
    try:
        layer.arguments(stream.octets)
        room = layer.expectation(stream.octets)
    except DecodeError as error:
        # What follows the arguments a program may read over: they can be parsed.
        over = (served,) if error.reason is Reason.TRAILING else ()
        # The document says SHOULD, so whatever else does not execute the Call is a warning.
        garbage = may_answer(Answered, (_GARBAGE,), version, statuses=_GARBAGE_ARGS)
        refused = may_answer(
            Answered, (_GARBAGE,), version, warning=True, statuses=REFUSAL_STATUSES
        )
        others = (may_answer(kind, (_GARBAGE,), version, warning=True) for kind in _OTHER_REFUSALS)
        return (garbage, *over, refused, *others, *stream.tolerated)
    if needs_unusable_memory(stream.body, room, state.memory, state.reply_threshold):
        # What the chunks excuse is all that can come, unless the program refuses the Call.
        failed = may_answer(Answered, PROGRAMS_ANSWER, version, statuses=REFUSAL_STATUSES)
        return (*stream.tolerated, failed)
    if stream.has_room_for(room, state.reply_threshold):
        return (served, *stream.tolerated)
    return (
        served,
        may_answer(ErrChunk, _CANNOT_REPLY, version, ("D-21",)),
        may_answer(Disconnected, _CANNOT_REPLY, version, ("D-21",)),
        *stream.tolerated,
    )
