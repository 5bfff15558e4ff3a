"""The oracle's view of messages in Version Two, at a Responder that speaks it.

    v2 section 3.1    Optional Features
    v2 section 3.2    Message Direction
    v2 section 4.2.3  Transport Errors
    xcharext section 4  New Operations (which of them are answered at all)

What Version Two inherits is judged by the rules of Version One
(`conformance.oracle.responder.calls`), under the ids of its own document.  What an operation
of the transport properties does is not judged here: whether it is supported, refused or dropped is.
Groups of transmissions are judged by `conformance.oracle.responder.groups`, if they are supported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from conformance.catalogue.interpretations import choice
from conformance.oracle.header import VERSION_TWO, decode_header
from conformance.oracle.lenient_presence import with_lenient_presence
from conformance.oracle.outcome import ErrChunk, InvalidOption, OptionReceived, Silent
from conformance.oracle.responder.calls import expected_of_call
from conformance.oracle.responder.expectation import Expectation, ResponderState, may_answer
from conformance.oracle.responder.group_requests import expected_of_request
from conformance.oracle.responder.groups import begun_group
from conformance.oracle.sizes import HEADER_TWO
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import v2
from rpcrdma.wire.operations import BY_CODE, RTREXT, XCHAREXT
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.v2 import Rdma2Procedure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rpcrdma.wire.operations import OptionalOperation
    from rpcrdma.wire.versions import FixedWords

__all__ = ["expected_in_two", "expected_of_sends"]

_RDMA_DONE: Final = 3
"""What Version One calls this number, which nobody may send any more (D-57)."""

_DIRECTION: Final = slice(16, 20)
_DIRECTION_ROOM: Final = 4
"""Octets that a header of Version Two has more than one of Version One."""

_BAD_CALL: Final = ("v2.4.2.3.bad-call-gets-bad-header",)
_OLD: Final = ("v2.4.2.3.old-procedures-are-gone",)
_DROPS_ERROR: Final = ("v2.4.2.3.errors-are-not-answered",)
_WRONG_WAY: Final = ("v2.4.2.3.wrong-direction-is-not-served",)
_OPTIONAL_WAY: Final = ("v2.3.2.optional-messages-tell-their-direction",)
_REFUSED: Final = ("v2.3.1.unsupported-operation-is-answered", "v2.3.1.any-operation-number")
_NO_RPC: Final = ("xcharext.2.3.operations-carry-no-rpc",)
_ANSWERED: Final = ("xcharext.4.2.supported-request-is-answered",)
_UNANSWERED: Final = ("xcharext.2.3.announcements-have-no-answer",)
_XDR_ERROR: Final = ("xcharext.2.1.invalid-data",)

_BY_NUMBER: Final = {
    Rdma2Procedure.RDMA2_ERROR: (
        "RDMA2_ERROR sent to a Responder",
        (may_answer(Silent, _DROPS_ERROR, VERSION_TWO, ("D-53", "D-132")),),
    ),
    _RDMA_DONE: (
        "procedure 3",
        (
            may_answer(ErrChunk, _OLD, VERSION_TWO, ("D-57",)),
            may_answer(Silent, _OLD, VERSION_TWO, ("D-57",)),
        ),
    ),
    2: (
        "procedure 2",
        (
            may_answer(ErrChunk, _OLD, VERSION_TWO, ("D-57",)),
            may_answer(Silent, _OLD, VERSION_TWO, ("D-57",), warning=True),
        ),
    ),
}
"""The procedures that are answered in one way, whatever follows the fixed words."""


def expected_in_two(message: bytes, words: FixedWords, state: ResponderState) -> Expectation:
    """What a Responder of Version Two may do with a message of that version.

    Args:
        message: of 28 octets at least.
        words: its fixed words.
        state: what is known of the device and the connection.
    """
    if words.procedure in _BY_NUMBER:
        fault, allowed = _BY_NUMBER[words.procedure]
        return Expectation(fault, allowed, words.xid, words.version)
    try:
        header, end = v2.decode_header(message)
    except DecodeError as error:
        return _undecodable(message, words, error, state)
    match header.rdma_body:
        case v2.Rdma2Optional() as body if _is_of_group(body, state):
            return expected_of_sends((message,), state)
        case v2.Rdma2Optional() as body:
            result = _optional(body, state)
            operation = _known(body.rdma_opttype, state)
            if end != len(message) and operation is not None and not operation.has_payload:
                result = _with_octets_behind(result, state)
            return replace(result, xid=words.xid, version=words.version)
        case body if v2.direction_of(body) is MessageType.REPLY:
            allowed = (
                may_answer(Silent, _WRONG_WAY, VERSION_TWO, ("D-134",)),
                may_answer(ErrChunk, _WRONG_WAY, VERSION_TWO, ("D-134",)),
            )
            return Expectation("the direction of a Reply", allowed, words.xid, words.version)
        case _:
            return _call(message, state)


def expected_of_sends(sends: Sequence[bytes], state: ResponderState) -> Expectation:
    """What a Responder may do with a message in Version Two, in one Send or several.

    Args:
        sends: as many as there are of the message; of several, the first is an operation of the
            round-trip reductions that the device supports.
        state: what is known of the device and the connection.
    """
    faulty, parts = begun_group(sends, state)
    return expected_of_request(parts, state) if faulty is None else faulty


def _is_of_group(body: v2.Rdma2Optional, state: ResponderState) -> bool:
    """Whether a device takes a message for part of a group, or for a word about one.

    A beginning that says that it is an answer answers nothing, as any other operation.
    """
    operation = BY_CODE.get(body.rdma_opttype)
    if operation is None or operation.document != RTREXT or not _is_supported(operation, state):
        return False
    return body.rdma_optdir is MessageType.CALL or not operation.begins_rpc


def _call(message: bytes, state: ResponderState) -> Expectation:
    found = decode_header(message)
    in_two = replace(state, reply_threshold=state.two_threshold - _DIRECTION_ROOM)
    return expected_of_call(found.header, message[found.end :], in_two)


def _undecodable(
    message: bytes, words: FixedWords, error: DecodeError, state: ResponderState
) -> Expectation:
    rule = _BAD_CALL
    if words.procedure not in set(Rdma2Procedure):
        rule = ("v2.4.2.3.unknown-procedure-gets-bad-header",)
    allowed = [may_answer(ErrChunk, rule, VERSION_TWO)]
    is_reply = message[_DIRECTION] == MessageType.REPLY.to_bytes(4)
    if is_reply or (state.backward and error.reason is Reason.TRUNCATED):
        # Whoever takes backward Replies drops one that cannot be decoded, or is cut (D-15, D-40).
        allowed.append(may_answer(Silent, rule, VERSION_TWO, ("D-15", "D-40")))
    elif len(message) < HEADER_TWO and error.reason is Reason.TRUNCATED:
        # D-133: by the size of Version One it is no message that must be looked at.
        allowed.append(may_answer(Silent, rule, VERSION_TWO, ("D-133",), warning=True))
    fault = Expectation(str(error), tuple(allowed), words.xid, words.version)
    patched = with_lenient_presence(message)
    if patched is None or is_reply:
        return fault
    lenient = _call(patched, state)
    tolerated = (
        replace(item, warning=True, readings=(*item.readings, "D-33"))
        for item in lenient.allowed
        if item.kind.outcome is not ErrChunk
    )
    return replace(lenient, fault=fault.fault, allowed=(*fault.allowed, *tolerated))


def _with_octets_behind(result: Expectation, state: ResponderState) -> Expectation:
    """The same of an operation with octets after it, which may be a fault as well (D-60)."""
    plain = {item.kind.outcome for item in result.allowed if not item.warning}
    errors = []
    if ErrChunk not in plain:
        errors.append(may_answer(ErrChunk, _NO_RPC, VERSION_TWO, ("D-32", "D-60")))
    if not any(item.kind.outcome is InvalidOption for item in result.allowed):
        # Such a fault is reported as any other: the second word for it is the worse one.
        strict = choice("D-59", state.chosen) == "bad-header"
        readings = ("D-32", "D-59", "D-60")
        errors.append(may_answer(InvalidOption, _NO_RPC, VERSION_TWO, readings, warning=strict))
    return replace(result, allowed=(*result.allowed, *errors))


def _optional(body: v2.Rdma2Optional, state: ResponderState) -> Expectation:
    refused = may_answer(InvalidOption, _REFUSED, VERSION_TWO, ("D-53",))
    operation = _known(body.rdma_opttype, state)
    supported = None if operation is None else _is_supported(operation, state)
    if body.rdma_optdir is MessageType.REPLY:
        dropped = may_answer(Silent, _OPTIONAL_WAY, VERSION_TWO, ("D-146",))
        error = may_answer(ErrChunk, _OPTIONAL_WAY, VERSION_TWO, ("D-146",), warning=True)
        if operation is not None and operation.document == RTREXT and supported:
            # D-107: whoever tells of it does not refuse it as unknown.
            return Expectation("a response to no request", (dropped, error))
        is_answer = supported is True and operation is not None and operation.is_answer
        refusal = replace(refused, warning=is_answer)
        return Expectation("an answer to no request", (dropped, refusal, error))
    if operation is None:
        return Expectation(f"operation {body.rdma_opttype}", (refused,))
    try:
        decode_option(body, known=state.properties)
    except DecodeError as error_found:
        strict = choice("D-59", state.chosen) == "bad-header"
        answers = [
            may_answer(ErrChunk, _XDR_ERROR, VERSION_TWO, ("D-59",)),
            replace(refused, readings=("D-59", "D-63"), warning=strict),
        ]
        if error_found.reason is Reason.TRAILING:
            # Octets left over in the contents or in a value may be passed over.
            outcome = OptionReceived if operation.answered_by else Silent
            answers.append(may_answer(outcome, _XDR_ERROR, VERSION_TWO, ("D-60", "D-76")))
        return Expectation(str(error_found), tuple(answers))
    if supported is False:
        # D-63: whoever supports some operations refuses the others as if they were unknown.
        return Expectation(f"{operation.name}, which is not supported", (refused,))
    # Without the device's word either may be.
    refusals = () if supported else (refused,)
    if operation.answered_by:
        answer = may_answer(OptionReceived, _ANSWERED, VERSION_TWO)
        return Expectation("", (answer, *refusals))
    if operation.is_answer:
        odd = (
            may_answer(Silent, _OPTIONAL_WAY, VERSION_TWO),
            may_answer(ErrChunk, _OPTIONAL_WAY, VERSION_TWO),
            refused,
        )
        return Expectation("an answer that says that it begins something", odd)
    return Expectation("", (may_answer(Silent, _UNANSWERED, VERSION_TWO), *refusals))


def _known(code: int, state: ResponderState) -> OptionalOperation | None:
    """The operation that a device may take it for.

    None of them knows of the round-trip reductions unless it says so: to others these are
    operations that nobody knows (v2 3.1).
    """
    operation = BY_CODE.get(code)
    if operation is None or operation.document == XCHAREXT or _is_supported(operation, state):
        return operation
    return None


def _is_supported(operation: OptionalOperation, state: ResponderState) -> bool | None:
    """Whether the device supports an operation; None if nobody knows."""
    return None if state.operations is None else operation.name in state.operations
