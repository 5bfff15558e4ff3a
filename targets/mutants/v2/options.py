"""Mutants of either end: optional messages that are not supported (v2 sections 3.1 and 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.actions import Disconnect, PostReceive, Send
from rpcrdma.endpoint.properties.optional_half import OptionalHalf
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ROPT_CONNPROP, ROPT_UPDPROP
from rpcrdma.wire.optional import decode_option
from rpcrdma.wire.rpc import MessageType
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.wire.v2 import Rdma2ErrorBody, Rdma2Optional

BOTH: Final = ("responder", "requester")
REFUSED: Final = "an operation that is not supported is refused by the same error"


@mutant(breaks="v2.3.1.unsupported-operation-is-answered", roles=BOTH)
class PassesOverUnknownOperations(PropertyRules):
    """Says nothing of an operation that it does not support."""

    def unsupported(self) -> Rdma2ErrorBody | None:
        return None


@mutant(
    breaks="v2.3.1.refusal-has-its-own-code",
    roles=BOTH,
    also_trips={"v2.3.2.": REFUSED},
    trips_at={"responder": {"v2.3.1.unsupported-operation-is-answered": REFUSED}},
)
class RefusesOperationsByBadHeader(PropertyRules):
    """Refuses an operation that it does not support by RDMA2_ERR_BAD_HEADER."""

    def unsupported(self) -> Rdma2ErrorBody | None:
        return v2.ErrBadHeader()


@mutant(
    breaks="v2.3.1.refusal-echoes-the-xid",
    roles=BOTH,
    also_trips={"xcharext.2.1.": "every error about an optional message has that XID"},
    trips_at={
        "responder": {"v2.3.2.": "every error about an optional message has that XID"},
        "requester": {
            "v2.4.2.3.requester-sends-no-other-error": (
                "every error about an optional message has that XID"
            )
        },
    },
)
class RefusesOperationsUnderXidZero(OptionalHalf):
    """Sends errors about optional messages under XID 0."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        return super()._send(0 if isinstance(body, v2.Rdma2Error) else xid, body)


@mutant(
    breaks="v2.3.1.refusal-is-an-error-message",
    roles=BOTH,
    also_trips={"v2.3.1.unsupported-operation-is-answered": REFUSED},
    trips_at={"responder": {"v2.3.2.": REFUSED}},
)
class RefusesOperationsByAnOptionalReply(OptionalHalf):
    """Refuses an operation by an optional message that is a reply."""

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        is_refusal = isinstance(body, v2.Rdma2Error) and isinstance(body.error, v2.ErrInvalidOption)
        reply = v2.Rdma2Optional(MessageType.REPLY, 0, b"")
        return super()._send(xid, reply if is_refusal else body)


@mutant(breaks="v2.3.1.any-operation-number", roles=BOTH)
class PassesOverHighOperations(OptionalHalf):
    """Passes over operations from 2147483648 on."""

    def take(self, message: bytes) -> list[Action]:
        body = v2.decode_header(message)[0].rdma_body
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype >= 1 << 31:
            return [PostReceive.of(self.exchange.posted_length)]
        return super().take(message)


@mutant(breaks="v2.3.1.optinfo-is-read-by-its-operation-only", roles=BOTH)
class ReadsEveryOptinfoAsProperties(OptionalHalf):
    """Passes over an operation that it does not know, if its content is no list of properties."""

    def take(self, message: bytes) -> list[Action]:
        body = v2.decode_header(message)[0].rdma_body
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype > ROPT_UPDPROP:
            info = body.rdma_optinfo or bytes(8)
            try:
                decode_option(v2.Rdma2Optional(body.rdma_optdir, ROPT_CONNPROP, info))
            except DecodeError:
                return [PostReceive.of(self.exchange.posted_length)]
        return super().take(message)


@mutant(breaks="v2.3.2.optional-messages-tell-their-direction", roles=BOTH)
class AnswersWhatIsAnAnswer(PropertyRules):
    """Takes every REQPROP for a request, whatever its direction is."""

    def is_request(self, message: Rdma2Optional) -> bool:
        return True


@mutant(
    breaks="v2.1.interoperates-without-optional-features",
    roles=BOTH,
    also_trips=dict.fromkeys(
        (
            "xcharext.3.refusal-of-the-operation-is-rejection",
            "xcharext.4.3.other-value-is-taken",
        ),
        "so ends every exchange with an end that refuses something",
    ),
)
class InsistsOnItsAnnouncement(OptionalHalf):
    """Ends the connection when one of its optional messages is refused."""

    def take(self, message: bytes) -> list[Action]:
        if isinstance(v2.decode_header(message)[0].rdma_body, v2.Rdma2Error):
            return [Disconnect("the peer does not support what this end needs")]
        return super().take(message)
