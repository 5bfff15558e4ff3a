"""Mutants: versions and ERR_VERS (rfc8166 sections 4.2.2 and 4.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.core.faults import Fault, FaultAnswer
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import ErrChunk, RdmaError, encode_header
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import ErrorBody, FixedWords, TransportHeader

GETS_ERR_VERS = "rfc8166.4.5.1.unsupported-version-gets-err-vers"
RANGE = "rfc8166.4.5.1.err-vers-range"


@mutant(breaks=GETS_ERR_VERS)
class ServesVersionZero(CallRules):
    """Serves calls in version 0 as if they were in version 1."""

    def supports_version(self, version: int) -> bool:
        return version in (0, 1, 2)


@mutant(breaks=GETS_ERR_VERS)
class ServesVersionThree(CallRules):
    """Serves calls in version 3 as if they were in version 1."""

    def supports_version(self, version: int) -> bool:
        return version in (1, 2, 3)


@mutant(breaks=GETS_ERR_VERS)
class ComparesLowOctetOfVersion(CallRules):
    """Looks at the low sixteen bits of the version only."""

    def supports_version(self, version: int) -> bool:
        return version & 0xFFFF in (1, 2)


@mutant(
    breaks=GETS_ERR_VERS,
    also_trips=dict.fromkeys(
        (
            "rfc8166.3.3.1.every-reply-grants-credits",
            "rfc8166.4.2.4.",
            "rfc8166.4.5.error-xid-echoed",
            "rfc8166.4.5.error-code-tells-the-kind",
        ),
        "ERR_VERS is one of the errors that these cases look at",
    ),
)
class DropsUnknownVersions(Responder):
    """Keeps silent about versions that it does not know."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        return [] if fault is Fault.UNKNOWN_VERSION else super().send_error(words, fault)


@mutant(
    breaks=GETS_ERR_VERS,
    also_trips=dict.fromkeys(
        (
            "bidir.1.3.4.reply-is-matched-by-xid",
            "rfc8166.3.3.1.every-reply-grants-credits",
            "rfc8166.4.2.4.",
            "rfc8166.4.5.error-xid-echoed",
            "rfc8166.4.5.error-code-tells-the-kind",
        ),
        "ERR_VERS is one of the errors that these cases look at",
    ),
)
class AnswersErrChunkToVersions(ReplyRules):
    """Answers an unknown version by ERR_CHUNK."""

    def error_body(self, answer: FaultAnswer) -> ErrorBody:
        return ErrChunk()


@mutant(breaks="rfc8166.4.5.2.version-judged-before-the-rest")
class JudgesHeaderBeforeVersion(Responder):
    """Decodes the whole header before it looks at the version."""

    def _judge(self, message: bytes, words: FixedWords) -> list[Action]:
        if not words.is_error:
            self.calls.decode(message)
        return super()._judge(message, words)


@mutant(
    breaks=RANGE,
    also_trips={
        "bidir.1.3.4.reply-is-matched-by-xid": "ERR_VERS without its range cannot be decoded"
    },
)
class OmitsErrVersRange(ReplyRules):
    """Sends ERR_VERS without the two versions after it."""

    def encode_error(self, header: TransportHeader) -> bytes:
        octets = super().encode_error(header)
        body = header.rdma_body
        is_chunk = isinstance(body, RdmaError) and isinstance(body.error, ErrChunk)
        return octets if is_chunk else octets[:20]


@mutant(breaks=RANGE)
class ClaimsVersionThree(ReplyRules):
    """Names a range up to version 3, which it does not serve."""

    def version_range(self) -> tuple[int, int]:
        return 1, 3


@mutant(breaks=RANGE)
class NamesNoVersion(ReplyRules):
    """Leaves both bounds of the range at zero."""

    def version_range(self) -> tuple[int, int]:
        return 0, 0


@mutant(breaks="rfc8166.4.5.error-version-echoed")
class SendsErrorsInVersionOne(ReplyRules):
    """Sends every error in its own version instead of that of the request."""

    def error_version(self, words: FixedWords) -> int:
        return 1


@mutant(breaks="rfc8166.4.2.2.version-is-one")
class RepliesInVersionThree(ReplyRules):
    """Sends its replies in version 3."""

    def reply_version(self, call: IncomingCall) -> int:
        return 3


@mutant(
    breaks="rfc8166.4.5.error-xid-echoed",
    also_trips={
        "bidir.1.3.4.reply-is-matched-by-xid": (
            "ERR_VERS is how a server may refuse what is no backward Reply"
        )
    },
)
class SwapsVersionErrorXid(ReplyRules):
    """Sends the octets of the XID in ERR_VERS in reverse order."""

    def encode_error(self, header: TransportHeader) -> bytes:
        octets = encode_header(header)
        return octets[3::-1] + octets[4:] if len(octets) > 20 else octets
