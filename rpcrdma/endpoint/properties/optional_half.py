"""What becomes of the optional messages of Version Two on a connection.

    v2 section 3.1       Optional Features (what is not supported is refused)
    xcharext section 3   Basic Transport Properties (what they change in the roles)
    xcharext section 4   New Operations
    rtrext section 5.4   Error Reporting (of groups that are broken)

`PropertyExchange` knows the operations and the properties; here its words become actions, and the
properties in force become limits of the two halves of a `Duplex`.  Nothing is told to the peer
before it has shown by its first message that it speaks Version Two here.

Hooks (methods that a mutant may override, one each):

    credit                  rdma_credit of an optional message (D-78)
    apply                   which properties of the peer limit the halves
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.endpoint.core.actions import Action, Disconnect, PostReceive, Send
from rpcrdma.endpoint.properties.exchange import OptionMessage, PostedLength, Refusal
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaError, decode_any_header, fixed_words, v2
from rpcrdma.wire.operations import ReqProp
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rpcrdma.endpoint.core.events import Connected, GroupBroken
    from rpcrdma.endpoint.properties.exchange import Outgoing, PropertyExchange
    from rpcrdma.endpoint.properties.values import PropertyValues

__all__ = ["Limited", "OptionalHalf"]

_OBEYED: Final = "xcharext.3.1.no-send-beyond-the-announced-size"

SPARE_RECEIVES: Final = 2
"""Receives beside those of the halves: for one message that is not answered, and one that answers
ours.  Neither has a credit (D-54)."""


class Limited(Protocol):
    """A half, as far as properties limit it."""

    def heed(self, version: int, send_limit: int, peer: PropertyValues) -> None:
        """From now on, keep to what holds in a version.

        Args:
            version: in which it holds.
            send_limit: octets of the longest message.
            peer: what the peer says of itself.
        """
        ...

    def post_from_now(self, octets: int) -> None:
        """From now on, post Receives of this length."""
        ...


class OptionalHalf:
    """The optional messages of one connection.

    Args:
        exchange: of the transport properties.
        granted: rdma_credit of what is sent: the Receives for messages of the peer.
        wishes: what the application wants done about properties.
    """

    def __init__(
        self, exchange: PropertyExchange, granted: int, wishes: PropertyWishes | None = None
    ) -> None:
        self.exchange = exchange
        self.granted = granted
        self.wishes = wishes or PropertyWishes()
        self._halves: tuple[Limited, ...] = ()
        self._agreed: bool | None = None

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """Receives for optional messages."""
        return (self.exchange.posted_length,) * SPARE_RECEIVES

    def join(self, halves: Sequence[Limited], posted: Iterable[int]) -> None:
        """Limit these halves; Receives of these lengths are posted first."""
        self._halves = tuple(halves)
        for length in posted:
            self.exchange.receives.posted(length)

    def connected(self, event: Connected) -> None:
        """Say nothing of this end that the connection cannot do (xcharext 3.2, D-80)."""
        if not event.bears_invalidation:
            self.exchange.options = self.exchange.options.without_invalidation()

    def is_agreed_by(self, message: bytes) -> bool:
        """Whether the peer settles by a message, the first that is good, that it speaks Two."""
        if self._agreed is not None:
            return False
        try:
            header, _ = decode_any_header(message)
        except DecodeError:
            return False
        if isinstance(header.rdma_body, RdmaError | v2.Rdma2Error):
            return False
        self._agreed = header.rdma_vers == v2.VERSION
        return self._agreed

    def begin(self) -> list[Action]:
        """Version Two is agreed: tell the peer our properties."""
        return self._carry_out(self.exchange.start())

    def heard(self, sends: int) -> list[Action]:
        """A message came, whatever it is, by so many Sends, each of which used up a Receive."""
        said = [one for _ in range(sends) for one in self.exchange.received()]
        return self._carry_out(said)

    def fulfil(self) -> list[Action]:
        """Do what the application wants done, if Version Two is agreed."""
        return self._carry_out(self.wishes.fulfil(self.exchange)) if self._agreed else []

    def take(self, message: bytes) -> list[Action]:
        """An RDMA2_OPTIONAL came, or the error that refuses one."""
        header, _ = v2.decode_header(message)
        before = self.exchange.posted_length
        if isinstance(header.rdma_body, v2.Rdma2Optional):
            outgoing = self.exchange.receive(header.rdma_xid, header.rdma_body)
            # xcharext 3.1: it is posted in front of the answer, and must suit what that tells as
            # well as what has been told.
            longer = max(before, self.exchange.posted_length)
            return [PostReceive.of(longer), *self._carry_out(outgoing)]
        self.exchange.refused(header.rdma_xid)
        return [PostReceive.of(before)]

    def group_broken(self, event: GroupBroken) -> list[Action]:
        """Sends came that will never be a message: tell their sender (rtrext 5.4, 9.5)."""
        # D-110: the report goes the way of Replies, under the XID of what it is about.
        xid = event.report.optre_bad.xmsi_xid
        report = OptionMessage(xid, MessageType.REPLY, event.report)
        return [*self.heard(event.sends), *self._carry_out([report])]

    def is_about_an_rpc(self, message: bytes) -> bool:
        """Whether an error refuses an RPC as if it were an operation: none is meant (D-53)."""
        words = fixed_words(message)
        return words.is_error and not self.exchange.has_told(words.xid)

    def rejects(self, message: bytes) -> bool:
        """Whether a message is an error about an optional message of ours, and no half's."""
        words = fixed_words(message)
        about_ours = words.is_error and words.version == v2.VERSION
        return about_ours and self.exchange.rejected(words.xid)

    def posted(self, actions: Iterable[Action]) -> None:
        """Note the Receives that are posted."""
        for action in actions:
            if isinstance(action, PostReceive):
                self.exchange.receives.posted(action.length)

    def credit(self) -> int:
        """rdma_credit of an optional message: as in any other of this end."""
        return self.granted

    def apply(self) -> None:
        """Have the halves keep to the properties of the peer."""
        for half in self._halves:
            half.heed(v2.VERSION, self.exchange.send_limit, self.exchange.peer)

    def _carry_out(self, outgoing: Sequence[Outgoing]) -> list[Action]:
        actions: list[Action] = []
        for one in outgoing:
            match one:
                case OptionMessage(option=option):
                    actions.append(self._said(one, asks=isinstance(option, ReqProp)))
                case Refusal():
                    actions.append(self._said(one))
                case PostedLength(octets=octets):
                    for half in self._halves:
                        half.post_from_now(octets)
        if self._agreed:
            self.apply()
        return actions

    def _send(self, xid: int, body: v2.Rdma2Body) -> Send:
        # No key of the halves is 0: whatever comes of it, it is no Call's or Reply's.
        header = v2.Rdma2Header(xid, v2.VERSION, self.credit(), body)
        return Send(0, v2.encode_header(header))

    def _said(self, message: OptionMessage | Refusal, *, asks: bool = False) -> Action:
        if self.exchange.has_room(message.length, asks=asks):
            return self._send(message.xid, message.body)
        # D-142: what could wait for room has waited; an answer cannot.
        reason = f"the peer has no Receive of {message.length} octets for an answer"
        return Disconnect(f"{_OBEYED}: {reason}")
