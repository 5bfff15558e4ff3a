"""What one side of a connection says to the other: it makes the messages and keeps their ids.

    InfiniBand Architecture volume 1, 12.6 (messages), 12.7 (their fields), 12.8 (alternate paths)
    InfiniBand Architecture annex A11 (ports and addresses in the private data of a request)

Fields that RoCE has no use for have the values that rdma_cm of Linux gives them.  Messages of one
exchange have one transaction id: request, reply, ready to use, and what rejects or defers them.  A
disconnection has its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.roce.cm.states import CmState
from rpcrdma.roce.cm.waiting import MOST_RETRIES, RESPONSE_CODE, SERVICE_CODE
from rpcrdma.roce.packet.cm_codes import PathStatus, RejectReason, path_mtu_code
from rpcrdma.roce.packet.cm_messages import (
    AlternatePathResponse,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    MessageReceipt,
    ReadyToUse,
)
from rpcrdma.roce.packet.cm_private_data import IpHeader, encode_private_data, service_of_port
from rpcrdma.roce.packet.internet import gid_of_address

if TYPE_CHECKING:
    import random

    from rpcrdma.roce.cm.mailbox import CmMailbox
    from rpcrdma.roce.cm.offer import CmOffer
    from rpcrdma.roce.packet.cm_messages import CmMessage

__all__ = ["ACK_DELAY", "CmSpeaker"]

ACK_DELAY: Final = 16
"""Code of the time that this side takes to acknowledge (12.7): 268 ms, since a tester in Python
acknowledges when it is polled."""

_FAILOVER_NOT_SUPPORTED: Final = 1  # 12.7

_REQ, _REP, _OTHER = 0, 1, 2
"""Which message a REJ or a MRA is about (12.6.6, 12.6.7)."""

_ABOUT: Final = {
    CmState.REQ_RCVD: _REQ,
    CmState.MRA_REQ_SENT: _REQ,
    CmState.REP_RCVD: _REP,
    CmState.MRA_REP_SENT: _REP,
}
"""State -> the message that waits for this side's answer."""

_FIRST_EPHEMERAL: Final = 49152
_END_OF_PORTS: Final = 65536


class CmSpeaker:
    """The voice of one side of one connection.

    Attributes:
        local: own address; `remote` is the peer's.
        own_id: communication id of this side; `peer_id` that of the peer, 0 while it is unknown.
        transaction: id of the exchange that makes the connection.
    """

    def __init__(
        self,
        mailbox: CmMailbox,
        source: random.Random,
        guid: int,
        own_id: int,
        local: str,
        remote: str,
    ) -> None:
        self.local = local
        self.remote = remote
        self.own_id = own_id
        self.peer_id = 0
        self.transaction = source.getrandbits(64)
        self._mailbox = mailbox
        self._source = source
        self._guid = guid
        self._last: tuple[CmMessage, int] | None = None

    def request(self, port: int, offer: CmOffer) -> None:
        """Ask for a connection with the service at `port` (12.6.5)."""
        header = IpHeader(
            6 if ":" in self.local else 4,
            self._source.randrange(_FIRST_EPHEMERAL, _END_OF_PORTS),
            self.local,
            self.remote,
        )
        message = ConnectRequest(
            local_id=self.own_id,
            service_id=service_of_port(port),
            guid=self._guid,
            queue_pair=offer.queue_pair,
            responder_resources=offer.responder_resources,
            initiator_depth=offer.initiator_depth,
            remote_timeout=RESPONSE_CODE,
            flow_control=1,
            starting_psn=offer.starting_psn,
            local_timeout=RESPONSE_CODE,
            retry=offer.retry,
            path_mtu=path_mtu_code(offer.path_mtu),
            rnr_retry=offer.rnr_retry,
            most_cm_retries=MOST_RETRIES,
            local_gid=gid_of_address(self.local),
            remote_gid=gid_of_address(self.remote),
            ack_timeout=offer.ack_timeout,
            private_data=encode_private_data(header, offer.private_data),
        )
        self._say(message, self.transaction)

    def reply(self, offer: CmOffer) -> None:
        """Accept a request (12.6.8)."""
        message = ConnectReply(
            local_id=self.own_id,
            remote_id=self.peer_id,
            queue_pair=offer.queue_pair,
            starting_psn=offer.starting_psn,
            responder_resources=offer.responder_resources,
            initiator_depth=offer.initiator_depth,
            ack_delay=ACK_DELAY,
            failover=_FAILOVER_NOT_SUPPORTED,
            flow_control=1,
            rnr_retry=offer.rnr_retry,
            guid=self._guid,
            private_data=offer.private_data,
        )
        self._say(message, self.transaction)

    def ready(self) -> None:
        """Say that the queue pair is ready, once or once more (12.6.9)."""
        self._say(ReadyToUse(local_id=self.own_id, remote_id=self.peer_id), self.transaction)

    def defer(self, is_passive: bool) -> None:
        """Ask for time to answer a request, or a reply if this side is active (12.6.6)."""
        message = MessageReceipt(
            local_id=self.own_id,
            remote_id=self.peer_id,
            received=_REQ if is_passive else _REP,
            service_timeout=SERVICE_CODE,
        )
        self._say(message, self.transaction)

    def reject(self, state: CmState, reason: int, private_data: bytes) -> None:
        """Refuse what has come, or give up what has been said (12.6.7)."""
        message = ConnectReject(
            # Nothing has been said under an own id yet.
            local_id=0 if state is CmState.REQ_RCVD else self.own_id,
            remote_id=self.peer_id,
            rejected=_ABOUT.get(state, _OTHER),
            reason=reason,
            private_data=private_data,
        )
        self._say(message, self.transaction)

    def give_up(self) -> None:
        """Say that the wait for an answer is over (12.6.7.2, reason 4).

        The peer finds the connection by the GUID and `own_id`: its own id is 0 where it is unknown.
        """
        guid = self._guid.to_bytes(8, "big")
        message = ConnectReject(
            local_id=self.own_id,
            remote_id=self.peer_id,
            rejected=_OTHER,
            reason=RejectReason.TIMEOUT,
            information_length=len(guid),
            information=guid,
        )
        self._say(message, self.transaction)

    def disconnect(self, queue_pair: int) -> None:
        """End the connection with this queue pair of the peer (12.6.10)."""
        message = DisconnectRequest(
            local_id=self.own_id, remote_id=self.peer_id, queue_pair=queue_pair
        )
        self._say(message, self._source.getrandbits(64))

    def disconnected(self, transaction: int) -> None:
        """Confirm the end of the connection (12.6.11)."""
        self._say(DisconnectReply(local_id=self.own_id, remote_id=self.peer_id), transaction)

    def refuse_path(self, transaction: int) -> None:
        """Take no alternate path (12.8.2)."""
        message = AlternatePathResponse(
            local_id=self.own_id, remote_id=self.peer_id, status=PathStatus.NOT_SUPPORTED
        )
        self._say(message, transaction)

    def again(self) -> None:
        """Repeat the last message, octet by octet."""
        if self._last is not None:
            self._mailbox.send(self.local, self.remote, *self._last)

    def _say(self, message: CmMessage, transaction: int) -> None:
        self._last = (message, transaction)
        self._mailbox.send(self.local, self.remote, message, transaction)
