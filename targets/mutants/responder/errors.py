"""Mutants: faulty headers and the RDMA_ERROR that answers them (rfc8166 sections 4.5 and 4.5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.actions import Disconnect, Send
from rpcrdma.endpoint.core.faults import RULES, Fault, FaultAnswer
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import ErrVers, Procedure, decode_header
from targets.mutants import because
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.wire import ErrorBody, FixedWords, RdmaNomsg, TransportHeader

ERR_CHUNK = "rfc8166.4.5.2.xdr-error-gets-err-chunk"


@mutant(
    breaks="rfc8166.4.5.error-xid-echoed",
    also_trips=dict.fromkeys(
        ("bidir.1.3.4.reply-is-matched-by-xid", "rfc8166.4.5."),
        "the error does not say which call it is about",
    ),
)
class SendsErrorsUnderXidZero(ReplyRules):
    """Leaves the XID of an error at zero."""

    def error_xid(self, words: FixedWords) -> int:
        return 0


@mutant(
    breaks="rfc8166.4.5.error-procedure",
    also_trips=dict.fromkeys(
        ("bidir.1.3.4.reply-is-matched-by-xid", "rfc8166.4.6.2.done-is-not-sent"),
        "a message with that procedure is an RDMA_DONE, and no error",
    ),
)
class SendsErrorsAsDone(ReplyRules):
    """Puts the number of RDMA_DONE into the procedure word of an error."""

    def encode_error(self, header: TransportHeader) -> bytes:
        octets = super().encode_error(header)
        return octets[:12] + Procedure.RDMA_DONE.to_bytes(4) + octets[16:]


@mutant(breaks="rfc8166.4.2.4.error-carries-no-payload")
class AppendsToErrors(ReplyRules):
    """Sends a word after the error union."""

    def encode_error(self, header: TransportHeader) -> bytes:
        return super().encode_error(header) + bytes(4)


@mutant(
    breaks="rfc8166.4.2.4.error-carries-error-information",
    also_trips=dict.fromkeys(
        ("bidir.1.3.4.reply-is-matched-by-xid", "rfc8166.4.header-is-xdr"),
        "an error without its code cannot be decoded",
    ),
)
class SendsErrorsWithoutCode(ReplyRules):
    """Ends an error after the fixed words."""

    def encode_error(self, header: TransportHeader) -> bytes:
        return super().encode_error(header)[:16]


@mutant(
    breaks="rfc8166.4.5.error-code-tells-the-kind",
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.reply-is-matched-by-xid",
            "rfc8166.3.3.1.every-reply-grants-credits",
            "rfc8166.4.2.4.",
            "rfc8166.4.3.1.1.position-tells-where-to-reinsert",
            "rfc8166.4.5.",
            "rfc8166.4.6.1.msgp-gets-err-chunk",
            "rfc8166.6.1.ineligible-argument-is-reported",
        ),
        "every other fault is answered by the wrong code",
    ),
)
class AnswersErrVersToAll(ReplyRules):
    """Reports every fault by ERR_VERS."""

    def error_body(self, answer: FaultAnswer) -> ErrorBody:
        return ErrVers(*self.version_range())


@mutant(
    breaks="rfc8166.4.5.bad-call-header-answered",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.every-reply-grants-credits",
            "rfc8166.4.2.4.",
            "rfc8166.4.5.",
            "rfc8166.4.6.1.msgp-gets-err-chunk",
        ),
        because.NO_ERROR,
    ),
)
class DropsBadHeaders(Responder):
    """Keeps silent about headers that it cannot decode."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        return [] if fault is Fault.UNDECODABLE_HEADER else super().send_error(words, fault)


@mutant(
    breaks=ERR_CHUNK,
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.every-reply-grants-credits",
            "rfc8166.4.2.4.",
            "rfc8166.4.5.error-xid-echoed",
            "rfc8166.4.6.1.msgp-gets-err-chunk",
            "rfc8166.4.5.error-code-tells-the-kind",
        ),
        because.NO_ERROR,
    ),
)
class HangsUpOnBadHeaders(Responder):
    """Closes the connection over a header that it cannot decode."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        if fault is Fault.UNDECODABLE_HEADER:
            return [Disconnect(RULES[fault].requirement)]
        return super().send_error(words, fault)


@mutant(
    breaks="rfc8166.3.3.1.no-unsolicited-messages-to-idle-requester",
    also_trips=dict.fromkeys(
        ("rfc8166.2.2.2.reply-xid-is-the-calls", "rfc8166.4.5."), because.SECOND_COPY
    ),
)
class SendsErrorsTwice(Responder):
    """Sends every error twice."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        actions = super().send_error(words, fault)
        return actions + [Send(one.key, one.data) for one in actions if isinstance(one, Send)]


@mutant(breaks=ERR_CHUNK)
class TakesAnyPresenceWord(CallRules):
    """Takes every presence word that is not zero for "present"."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        return super().decode(with_presence_words_of_one(message))


@mutant(breaks=ERR_CHUNK)
class TakesOddPresenceWordForAbsent(CallRules):
    """Takes every presence word but one for "absent"."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        return super().decode(with_presence_words_of_one(message, 0))


@mutant(breaks=ERR_CHUNK, without=("backward",))
class CompletesCutLists(CallRules):
    """Takes what is missing at the end of a cut header for zeroes."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        header, end = super().decode(message + bytes(64))
        return header, min(end, len(message))


@mutant(
    breaks="rfc8166.4.5.2.invalid-procedure-is-an-xdr-error",
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.every-reply-grants-credits",
            "rfc8166.4.2.4.",
            "rfc8166.4.5.2.xdr-error-gets-err-chunk",
            "rfc8166.4.5.error-xid-echoed",
        ),
        "a procedure number without meaning is how these cases get an ERR_CHUNK",
    ),
)
class TakesUnknownProceduresForMsg(CallRules):
    """Serves procedure numbers without meaning as RDMA_MSG."""

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        if int.from_bytes(message[12:16]) > max(Procedure):
            message = message[:12] + bytes(4) + message[16:]
        return super().decode(message)


@mutant(breaks="rfc8166.4.5.2.nomsg-without-chunks-is-an-xdr-error")
class DropsNomsgWithoutLists(CallRules):
    """Drops an RDMA_NOMSG without any list as if it were an empty message."""

    def judge_long_call(self, body: RdmaNomsg) -> None:
        pass


def with_presence_words_of_one(message: bytes, value: int = 1) -> bytes:
    """The message as somebody sees it who reads presence words other than 0 and 1 as `value`."""
    octets = bytearray(message)
    for _ in range(len(message) // 4):
        try:
            decode_header(octets)
        except DecodeError as error:
            if error.reason is not Reason.BAD_BOOLEAN:
                break
            octets[error.offset : error.offset + 4] = value.to_bytes(4)
        else:
            break
    return bytes(octets)
