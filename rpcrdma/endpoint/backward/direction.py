"""Which of the two directions of a connection a message belongs to.

    bidir section 1.3.4  XID Values (an XID means nothing without the msg_type)
    bidir section 1.5.4  Payload Size (msg_type has a fixed place when there are no chunks)
    bidir section 2.4    Backward Direction Message Size (messages that are too small)
    v2 section 4.2.2     Message Direction (a field of the header)

In Version One only the msg_type tells, whatever the XIDs are.  Where a message has none (a header
that cannot be decoded, RDMA_NOMSG, RDMA_ERROR, another version), it belongs to the forward half,
which knows what rfc8166 says about it; but an RDMA_ERROR is for the half that makes Calls (D-15),
and an RDMA_NOMSG with a Position-Zero Read chunk is a Call.

In Version Two a word of the header tells, where an end speaks that version; and what belongs to the
optional features, RDMA2_OPTIONAL and the error that refuses one, is no half's, unless the operation
carries an RPC message (`has_payload` of `rpcrdma.wire.operations`) or reports a fault of one.

Hooks (methods that a mutant may override, one each):

    sort                    which half takes a message
    sort_two                the same in Version Two
    is_runt                 which messages have no effect at all
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from rpcrdma.endpoint.responder.call_rules import MINIMUM_HEADER
from rpcrdma.errors import DecodeError
from rpcrdma.wire import Procedure, RdmaMsg, RdmaNomsg, decode_header, fixed_words, v2
from rpcrdma.wire.operations import ROPT_REPTERR, ReptErr, among
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.rpc import CallBody, MessageType, ReplyBody, decode_message, message_type_of
from rpcrdma.xdr.runtime import word_at

__all__ = ["DirectionRules", "Half", "is_whole"]

_FIXED_WORDS: Final = 16
_VERSION: Final = 1

_DIRECTION: Final = 16
"""Offset of the direction in Version Two, after the fixed words; errors have none (D-51)."""

_BODIES: Final = {MessageType.CALL: CallBody, MessageType.REPLY: ReplyBody}


class Half(Enum):
    """Who takes a message."""

    FORWARD = "forward"
    BACKWARD = "backward"
    NOBODY = "nobody"
    OPTIONAL = "optional"


def is_whole(payload: bytes, kind: MessageType) -> bool:
    """Whether an RPC message begins with the whole header of a Call or of a Reply."""
    try:
        message, _ = decode_message(payload)
    except DecodeError:
        return False
    return isinstance(message.body, _BODIES[kind])


class DirectionRules:
    """How one end tells the directions apart.

    Args:
        backward: msg_type of the backward messages that this end receives: REPLY at a server, CALL
            at a client.
        operations: the optional operations that this end supports, by opttype; None if it does not
            speak Version Two.

    Attributes:
        errors: the half that makes Calls, which errors are for (D-15).
    """

    def __init__(self, backward: MessageType, operations: frozenset[int] | None = None) -> None:
        is_server = backward is MessageType.REPLY
        self.backward = backward
        self.speaks_two = operations is not None
        supported = among(operations or ())
        self._carrying = {code for code, one in supported.items() if one.has_payload}
        self._takes_reports = ROPT_REPTERR in supported
        self.forward = MessageType.CALL if is_server else MessageType.REPLY
        self.errors = Half.BACKWARD if is_server else Half.FORWARD

    def sort(self, message: bytes) -> Half:
        """Which half takes a message."""
        if len(message) < _FIXED_WORDS:
            return Half.NOBODY
        words = fixed_words(message)
        if words.version == v2.VERSION and self.speaks_two:
            return self.sort_two(message)
        if words.is_error:
            return self.errors
        if words.version != _VERSION or len(message) < MINIMUM_HEADER:
            return Half.FORWARD
        try:
            header, end = decode_header(message)
        except DecodeError:
            return Half.FORWARD
        body = header.rdma_body
        if isinstance(body, RdmaMsg):
            return self._sort_payload(message[end:])
        if isinstance(body, RdmaNomsg) and words.procedure == Procedure.RDMA_NOMSG:
            is_call = any(segment.position == 0 for segment in body.rdma_reads)
            return Half.BACKWARD if is_call and self.backward is MessageType.CALL else Half.FORWARD
        return Half.FORWARD

    def sort_two(self, message: bytes) -> Half:
        """Which half takes a message in Version Two (v2 3.2, 4.2.2)."""
        try:
            body = v2.decode_header(message)[0].rdma_body
        except DecodeError:
            # Whoever serves Calls of this direction has to answer what cannot be decoded.
            is_call = len(message) >= _DIRECTION + 4 and not fixed_words(message).is_error
            known = is_call and word_at(message, _DIRECTION) == self.backward
            return Half.BACKWARD if known else Half.FORWARD
        match body:
            case v2.Rdma2Optional(way, opttype) if opttype in self._carrying:
                return Half.BACKWARD if way == self.backward else Half.FORWARD
            case v2.Rdma2Optional(rdma_opttype=opttype) if opttype == ROPT_REPTERR:
                return self._sort_report(body) if self._takes_reports else Half.OPTIONAL
            case v2.Rdma2Optional() | v2.Rdma2Error(error=v2.ErrInvalidOption()):
                return Half.OPTIONAL
            case v2.Rdma2Error():
                return self.errors
            case v2.Rdma2Msg(rdma_direction=way) | v2.Rdma2Nomsg(rdma_direction=way):
                return Half.BACKWARD if way == self.backward else Half.FORWARD

    def _sort_report(self, body: v2.Rdma2Optional) -> Half:
        """An error report is for the half whose message it is about (rtrext 9.5)."""
        try:
            option = decode_option(body)
        except DecodeError:
            return Half.OPTIONAL
        if not isinstance(option, ReptErr):
            return Half.OPTIONAL
        if option.optre_bad.xmsi_dir is MessageType.CALL:
            return self.errors
        return Half.FORWARD if self.errors is Half.BACKWARD else Half.BACKWARD

    def _sort_payload(self, payload: bytes) -> Half:
        kind = message_type_of(payload)
        if self.is_runt(payload):
            return Half.NOBODY
        return Half.BACKWARD if kind == self.backward else Half.FORWARD

    def is_runt(self, payload: bytes) -> bool:
        """Whether an RPC message is too short to have a whole header (bidir 2.4, D-40)."""
        return not (is_whole(payload, MessageType.CALL) or is_whole(payload, MessageType.REPLY))
