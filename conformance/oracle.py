"""The specification as an oracle: what may a Version One Responder do with these octets.

    rfc8166 section 4.5  Error Handling
    rfc8166 section 4.6  Protocol Elements No Longer Supported
    rfc8166 section 4.3  Chunk Lists
    rfc8166 section 6.1  DDP-Eligibility

`expected(message, state)` takes any octets.  It judges in the order in which a Responder can learn
of faults: length, version, procedure, header, chunks, RPC message, arguments.  It never executes a
Call; for a well-formed one it wants a Reply that keeps the rules of `conformance.reply_rules`,
whatever its status.  Decoding of the header is the codec's (`rpcrdma.wire`), which is checked
against an interpreter of the XDR; everything behind it is decided here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.expectation import REFUSAL_STATUSES, Allowed, Expectation, ResponderState
from conformance.fixed_words import FixedWords, fixed_words
from conformance.interpretations import choice
from conformance.lenient_presence import with_lenient_presence
from conformance.oracle_chunks import CallStream, examine_call
from conformance.outcome import Answered, Disconnected, ErrChunk, ErrVers, Silent
from rpcrdma.errors import DecodeError
from rpcrdma.ulp.rpc import Outcome as RpcOutcome
from rpcrdma.wire import Procedure, RdmaMsg, RdmaNomsg, TransportHeader, decode_header, rpc

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SHORTEST_MESSAGE", "expected"]

SHORTEST_MESSAGE: Final = 28
"""Octets under which a Responder drops a message unread (rfc8166 4.5; D-10)."""

_VERSION_ONE: Final = 1
_OTHER_REFUSALS: Final = (ErrChunk, Silent, Disconnected)
_CANNOT_REPLY: Final = ("rfc8166.4.5.3.no-write-past-the-reply-chunk",)
_CLOSES: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"
_XDR_ERROR: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
_BAD_HEADER: Final = "rfc8166.4.5.bad-call-header-answered"
_DROPS_ERROR: Final = "rfc8166.4.2.4.responder-discards-error"
_GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"

_SILENCE_SHORT: Final = Allowed(Silent, ("rfc8166.4.5.short-message-discarded",), ("D-10",))
_ERR_CHUNK: Final = Allowed(ErrChunk, (_XDR_ERROR, _BAD_HEADER))

_SPECIAL: Final[Mapping[int, tuple[str, tuple[Allowed, ...]]]] = {
    Procedure.RDMA_ERROR: (
        "RDMA_ERROR sent to a Responder",
        (Allowed(Silent, (_DROPS_ERROR,), ("D-15",)),),
    ),
    Procedure.RDMA_DONE: (
        "RDMA_DONE",
        (Allowed(Silent, ("rfc8166.4.6.2.done-is-discarded",), ("D-14",)),),
    ),
    Procedure.RDMA_MSGP: (
        "RDMA_MSGP",
        (
            Allowed(ErrChunk, ("rfc8166.4.6.1.msgp-gets-err-chunk",), ("D-13",)),
            Allowed(Silent, ("rfc8166.4.6.1.msgp-gets-err-chunk",), ("D-13",), warning=True),
        ),
    ),
}
"""The procedures that are answered in one way, whatever follows the fixed words."""


def expected(message: bytes, state: ResponderState) -> Expectation:
    """What a Version One Responder may do with a message.

    Args:
        message: any octets, as sent in one RDMA Send to a receive that is large enough.
        state: what is known of the device and the connection.

    Raises:
        ValueError: the message is in a version that the device claims and this oracle does not
            know, or the profile chose a reading that does not exist.
    """
    if len(message) < SHORTEST_MESSAGE:
        return Expectation(f"{len(message)} octets only", (_SILENCE_SHORT,))
    words = fixed_words(message)
    if words.version not in state.versions:
        return _unknown_version(words, state)
    if words.version != _VERSION_ONE:
        raise ValueError(f"no oracle for version {words.version}")
    if words.procedure in _SPECIAL:
        fault, allowed = _SPECIAL[words.procedure]
        return Expectation(fault, allowed, words.xid, words.version)
    try:
        header, end = decode_header(message)
    except DecodeError as error:
        return _undecodable(message, words, error, state)
    return _call(header, message[end:], state)


def _unknown_version(words: FixedWords, state: ResponderState) -> Expectation:
    rules = ("rfc8166.4.5.1.unsupported-version-gets-err-vers", "rfc8166.4.5.1.err-vers-range")
    allowed = [Allowed(ErrVers, rules, ("D-11",))]
    if words.procedure == Procedure.RDMA_ERROR:
        allowed.insert(0, Allowed(Silent, (_DROPS_ERROR,), ("D-27",)))
    return Expectation(
        f"version {words.version}",
        tuple(allowed),
        words.xid,
        words.version,
        versions=(min(state.versions), max(state.versions)),
    )


def _undecodable(
    message: bytes, words: FixedWords, error: DecodeError, state: ResponderState
) -> Expectation:
    allowed = [_ERR_CHUNK]
    if state.backward:
        allowed.append(Allowed(Silent, (_BAD_HEADER,), ("D-15", "D-40")))
    fault = Expectation(str(error), tuple(allowed), words.xid, words.version)
    patched = with_lenient_presence(message)
    if patched is None:
        return fault
    header, end = decode_header(patched)
    lenient = _call(header, patched[end:], state)
    tolerated = (
        replace(item, warning=True, interpretations=(*item.interpretations, "D-33"))
        for item in lenient.allowed
        if item.outcome is not ErrChunk
    )
    return replace(lenient, fault=fault.fault, allowed=(*fault.allowed, *tolerated))


def _call(header: TransportHeader, payload: bytes, state: ResponderState) -> Expectation:
    """Judge a header that could be decoded, RDMA_MSG or RDMA_NOMSG, and what it carries."""
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
        return replace(result, allowed=(*stream.refusals, *stream.tolerated))
    return _rpc_message(result, stream, state)


def _rpc_message(result: Expectation, stream: CallStream, state: ResponderState) -> Expectation:
    """Judge the RPC message that header and chunks gave."""
    try:
        message, _ = rpc.decode_message(stream.octets)
    except DecodeError as error:
        allowed = (
            Allowed(Silent, ("rfc8166.4.rpc-layout-is-unchanged",), ("D-40",)),
            Allowed(ErrChunk, (_XDR_ERROR,), ("D-40",)),
            Allowed(Answered, (_GARBAGE,), ("D-40",), statuses=REFUSAL_STATUSES),
            Allowed(Disconnected, (_CLOSES,), ("D-40",), warning=True),
        )
        return replace(
            result, fault=f"no RPC message: {error}", allowed=(*allowed, *stream.tolerated)
        )
    if not isinstance(message.body, rpc.CallBody):
        dropped = Allowed(Silent, ("rfc8166.2.2.2.reply-retires-the-xid",))
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
        fault=f"rdma_xid {result.xid:#x}, but XID {payload_xid:#x} in the RPC message",
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
