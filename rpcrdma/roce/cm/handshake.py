"""One connection in the eyes of connection management: its state, its timer, its acts.

    InfiniBand Architecture volume 1, 12.6 (messages), 12.9.7 and 12.9.8 (states, transitions)

`MOVES` (`states.py`) decides what follows an act, a message or a time-out; here is what its actions
do.  What a message says is in `speaker.py`, which connection it belongs to in `manager.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rpcrdma.errors import LocalProtocolError
from rpcrdma.roce.cm.answers import rejection_of
from rpcrdma.roce.cm.mailbox import CmNotice, CmNoticeKind
from rpcrdma.roce.cm.offer import MOST_IN_REJECT, MOST_IN_REPLY, MOST_IN_REQUEST, offer_of_reply
from rpcrdma.roce.cm.states import MOVES, OVER, TIMED, CmAction, CmInput, CmState
from rpcrdma.roce.cm.waiting import (
    MOST_RETRIES,
    RESPONSE_CODE,
    CmTimer,
    response_seconds,
    service_seconds,
    time_wait_seconds,
)
from rpcrdma.roce.packet.cm_codes import RejectReason
from rpcrdma.roce.packet.cm_messages import (
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    MessageReceipt,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rpcrdma.roce.cm.mailbox import CmMailbox
    from rpcrdma.roce.cm.offer import CmOffer
    from rpcrdma.roce.cm.speaker import CmSpeaker
    from rpcrdma.roce.packet.cm_messages import CmMessage

__all__ = ["CmHandshake"]


class _Cause(NamedTuple):
    """What a move is made for."""

    happened: CmInput
    now: float
    message: CmMessage | None
    transaction: int

    @property
    def reason(self) -> int:
        """Why the connection ends, as far as there is a reason of a REJ for it; else 0."""
        if isinstance(self.message, ConnectReject):
            return self.message.reason
        if self.happened in (CmInput.STALE, CmInput.REP_STALE):
            return RejectReason.STALE_CONNECTION
        return 0

    @property
    def private_data(self) -> bytes:
        """What the message brings for the application."""
        if self.message is None or isinstance(self.message, ConnectReply):
            return b""  # a reply's is not for an end
        return self.message.private_data


class CmHandshake:
    """One connection, from the request to the end of its time wait.

    A side learns by notices (`CmNotice`) what it may do next.  An act that comes too late, since
    the connection has ended meanwhile, does nothing.  The end of a connection is told once, and
    not at all where an act of this side ended it at once.

    Attributes:
        port: of the service that was asked for.
        offer: of this side; None before it has made one.
        peer: what the peer offers; None before it is known.
        peer_guid: GUID of the peer's device; 0 before it is known.
        is_passive: the peer asked for the connection.
        state: how far it is.
    """

    def __init__(
        self,
        speaker: CmSpeaker,
        mailbox: CmMailbox,
        port: int,
        moved: Callable[[CmHandshake], None],
    ) -> None:
        self.port = port
        self.offer: CmOffer | None = None
        self.peer: CmOffer | None = None
        self.peer_guid = 0
        self.is_passive = False
        self.state = CmState.IDLE
        self._speaker = speaker
        self._mailbox = mailbox
        self._moved = moved
        self._timer = CmTimer(response_seconds(RESPONSE_CODE), MOST_RETRIES)
        self._refusal: tuple[int, bytes] = (RejectReason.CONSUMER, b"")
        self._is_end_told = False

    @property
    def local(self) -> str:
        """The own address."""
        return self._speaker.local

    @property
    def remote(self) -> str:
        """The peer's address, the only one that is listened to."""
        return self._speaker.remote

    @property
    def own_id(self) -> int:
        """Communication id of this side."""
        return self._speaker.own_id

    @property
    def peer_id(self) -> int:
        """Communication id of the peer; 0 before it is known."""
        return self._speaker.peer_id

    @property
    def is_over(self) -> bool:
        """Whether there is no connection any more, nor anybody who wants one."""
        return self.state in OVER

    @property
    def is_disconnecting(self) -> bool:
        """Whether the peer was told that this is the end, and has not confirmed it."""
        return self.state is CmState.DREQ_SENT

    @property
    def deadline(self) -> float | None:
        """When `tick` has something to do; None: nothing is awaited."""
        return self._timer.deadline

    # -- acts of this side

    def accept(self, offer: CmOffer, now: float) -> None:
        """Answer a REQUEST by a reply.

        Raises:
            LocalProtocolError: nobody has asked, or there is too much private data.
        """
        _check_length(offer.private_data, MOST_IN_REPLY, "reply")
        self.offer = offer
        self._act(CmInput.ACCEPT, now)

    def reject(self, private_data: bytes = b"", reason: int = RejectReason.CONSUMER) -> None:
        """Answer a REQUEST or a REPLY by a refusal.

        Raises:
            LocalProtocolError: there is nothing to refuse, or there is too much private data.
        """
        _check_length(private_data, MOST_IN_REJECT, "rejection")
        self._refusal = (reason, private_data)
        self._act(CmInput.REJECT)

    def ready(self) -> None:
        """Answer a REPLY: the queue pair is ready.

        Raises:
            LocalProtocolError: no reply has come.
        """
        self._act(CmInput.READY)

    def communication_established(self) -> None:
        """Note that a packet of the peer has come, which may be before its ready to use."""
        self._step(CmInput.COMMUNICATION_ESTABLISHED)

    def disconnect(self, now: float) -> None:
        """End the connection; the notice DISCONNECTED follows when the peer knows, or is silent.

        An attempt to connect ends at once, without a notice.
        """
        self._step(CmInput.DISCONNECT, now)

    def abandon(self) -> None:
        """Say once that this is the end, wait for nothing, and forget the connection."""
        self._step(CmInput.ABANDON)

    # -- what the manager hands over

    def connect(self, offer: CmOffer, now: float) -> None:
        """Send the request.

        Raises:
            LocalProtocolError: there is too much private data.
        """
        _check_length(offer.private_data, MOST_IN_REQUEST, "request")
        self.offer = offer
        self._act(CmInput.CONNECT, now)

    def be_asked(
        self, request: ConnectRequest, offer: CmOffer, transaction: int, now: float
    ) -> None:
        """Take in the first request of a peer, which offers this."""
        self.is_passive = True
        self.peer = offer
        self.peer_guid = request.guid
        self._speaker.peer_id = request.local_id
        self._speaker.transaction = transaction
        # 12.7: the time in which the peer answers a reply; a disconnection is given the same.
        self._timer = CmTimer(response_seconds(request.local_timeout), request.most_cm_retries)
        self._step(CmInput.REQ, now, request, transaction)

    def is_with(self, source: str, peer_id: int) -> bool:
        """Whether the peer is this host with this id; any id as long as it is not known."""
        return source == self.remote and self.peer_id in (0, peer_id)

    def take(self, arrived: CmInput, now: float, message: CmMessage, transaction: int) -> bool:
        """Take in a message of the peer; returns whether it means anything in this state."""
        return self._step(arrived, now, message, transaction)

    def end_as_stale(self, now: float) -> None:
        """End: the peer uses the queue pair for another connection by now (12.9.8.3.1)."""
        self._step(CmInput.STALE, now)

    def tick(self, now: float) -> None:
        """Let time pass."""
        if self._timer.deadline is not None and now >= self._timer.deadline:
            is_tried = self._timer.try_again(now)
            self._step(CmInput.TIMEOUT if is_tried else CmInput.EXHAUSTED, now)

    # -- the engine

    def _act(self, act: CmInput, now: float = 0.0) -> None:
        if not self._step(act, now) and self.state not in OVER:
            raise LocalProtocolError(f"{act.name} in the state {self.state.name}")

    def _step(
        self,
        happened: CmInput,
        now: float = 0.0,
        message: CmMessage | None = None,
        transaction: int = 0,
    ) -> bool:
        """Make the move that the table has for it; returns whether it has one."""
        move = MOVES.get((self.state, happened))
        if move is None:
            return False
        cause = _Cause(happened, now, message, transaction)
        for action in move.actions:
            self._ACTIONS[action](self, cause)
        if move.target not in TIMED:
            self._timer.stop()
        elif move.target is CmState.TIME_WAIT is not self.state:
            self._timer.start_once(now, time_wait_seconds(self._ack_timeout()))
        self.state = move.target
        self._moved(self)
        return True

    def _ack_timeout(self) -> int:
        """The code that the request had, whoever sent it."""
        asked = self.peer if self.is_passive else self.offer
        return 0 if asked is None else asked.ack_timeout

    # -- actions: messages

    def _send_req(self, cause: _Cause) -> None:
        if self.offer is not None:
            self._speaker.request(self.port, self.offer)
            self._timer.start(cause.now)

    def _send_rep(self, cause: _Cause) -> None:
        if self.offer is not None:
            self._speaker.reply(self.offer)
            self._timer.start(cause.now)

    def _send_rtu(self, _: _Cause) -> None:
        self._speaker.ready()

    def _send_mra(self, _: _Cause) -> None:
        self._speaker.defer(self.is_passive)

    def _send_rej(self, _: _Cause) -> None:
        self._speaker.reject(self.state, *self._refusal)

    def _send_rej_timeout(self, _: _Cause) -> None:
        self._speaker.give_up()

    def _send_rej_stale(self, cause: _Cause) -> None:
        self._refuse_message(cause, RejectReason.STALE_CONNECTION)

    def _send_rej_unknown(self, cause: _Cause) -> None:
        self._refuse_message(cause, RejectReason.INVALID_COMMUNICATION_ID)

    def _send_dreq(self, cause: _Cause) -> None:
        if self.peer is not None:
            self._speaker.disconnect(self.peer.queue_pair)
            self._timer.start(cause.now)

    def _send_drep(self, cause: _Cause) -> None:
        self._speaker.disconnected(cause.transaction)

    def _send_apr(self, cause: _Cause) -> None:
        self._speaker.refuse_path(cause.transaction)

    def _send_again(self, _: _Cause) -> None:
        self._speaker.again()

    def _refuse_message(self, cause: _Cause, reason: int) -> None:
        if isinstance(cause.message, ConnectRequest | ConnectReply):
            rejection = rejection_of(cause.message, reason)
            self._mailbox.send(self.local, self.remote, rejection, cause.transaction)

    # -- actions: what is kept, and what is told

    def _learn_rep(self, cause: _Cause) -> None:
        if isinstance(cause.message, ConnectReply) and self.offer is not None:
            self._speaker.peer_id = cause.message.local_id
            self.peer_guid = cause.message.guid
            self.peer = offer_of_reply(cause.message, self.offer)

    def _prolong(self, cause: _Cause) -> None:
        if isinstance(cause.message, MessageReceipt):
            self._timer.prolong(cause.now, service_seconds(cause.message.service_timeout))

    def _tell_request(self, _: _Cause) -> None:
        self._tell_offer(CmNoticeKind.REQUEST)

    def _tell_reply(self, _: _Cause) -> None:
        self._tell_offer(CmNoticeKind.REPLY)

    def _tell_offer(self, kind: CmNoticeKind) -> None:
        private_data = b"" if self.peer is None else self.peer.private_data
        self._mailbox.tell(CmNotice(self, kind, private_data=private_data))

    def _tell_established(self, cause: _Cause) -> None:
        self._mailbox.tell(
            CmNotice(self, CmNoticeKind.ESTABLISHED, private_data=cause.private_data)
        )

    def _tell_rejected(self, cause: _Cause) -> None:
        self._tell_end(CmNoticeKind.REJECTED, cause)

    def _tell_disconnected(self, cause: _Cause) -> None:
        self._tell_end(CmNoticeKind.DISCONNECTED, cause)

    def _tell_unreachable(self, cause: _Cause) -> None:
        self._tell_end(CmNoticeKind.UNREACHABLE, cause)

    def _tell_end(self, kind: CmNoticeKind, cause: _Cause) -> None:
        if not self._is_end_told:
            self._is_end_told = True
            self._mailbox.tell(CmNotice(self, kind, cause.reason, cause.private_data))

    _ACTIONS: ClassVar[Mapping[CmAction, Callable[[CmHandshake, _Cause], None]]] = {
        CmAction.SEND_REQ: _send_req,
        CmAction.SEND_REP: _send_rep,
        CmAction.SEND_RTU: _send_rtu,
        CmAction.SEND_MRA: _send_mra,
        CmAction.SEND_REJ: _send_rej,
        CmAction.SEND_REJ_TIMEOUT: _send_rej_timeout,
        CmAction.SEND_REJ_STALE: _send_rej_stale,
        CmAction.SEND_REJ_UNKNOWN: _send_rej_unknown,
        CmAction.SEND_DREQ: _send_dreq,
        CmAction.SEND_DREP: _send_drep,
        CmAction.SEND_APR: _send_apr,
        CmAction.SEND_AGAIN: _send_again,
        CmAction.LEARN_REP: _learn_rep,
        CmAction.PROLONG: _prolong,
        CmAction.TELL_REQUEST: _tell_request,
        CmAction.TELL_REPLY: _tell_reply,
        CmAction.TELL_ESTABLISHED: _tell_established,
        CmAction.TELL_REJECTED: _tell_rejected,
        CmAction.TELL_DISCONNECTED: _tell_disconnected,
        CmAction.TELL_UNREACHABLE: _tell_unreachable,
    }


def _check_length(private_data: bytes, most: int, what: str) -> None:
    if len(private_data) > most:
        raise LocalProtocolError(
            f"{len(private_data)} octets of private data; a {what} carries {most}"
        )
