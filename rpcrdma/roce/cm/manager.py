"""Connection management of one device: which message belongs to which connection.

    InfiniBand Architecture volume 1, 12.6 (messages), 12.9.7 and 12.9.8 (states, transitions)
    InfiniBand Architecture volume 1, 12.9.8.3.1 (stale connections)
    InfiniBand Architecture annex A11 (service ids of ports)

Sans-I/O.  What comes from the network is dropped and counted where it is no message of connection
management or means nothing; nothing is raised for it, and memory is bounded.

A REQ is judged in this order.  One that is known is a duplicate.  One whose queue pair is that of
a connection shows that this connection is stale, and is rejected itself (12.9.8.3.1; the peer asks
again).  One that nobody listens for, that there is no room for, or that makes no sense is rejected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rpcrdma.errors import BadFrame
from rpcrdma.roce.cm.answers import disconnection_of, rejection_of
from rpcrdma.roce.cm.handshake import CmHandshake
from rpcrdma.roce.cm.mailbox import CmMailbox
from rpcrdma.roce.cm.offer import offer_of_request
from rpcrdma.roce.cm.registry import CmRegistry
from rpcrdma.roce.cm.speaker import CmSpeaker
from rpcrdma.roce.cm.states import CmInput
from rpcrdma.roce.packet.cm_codes import RejectReason, path_mtu_octets
from rpcrdma.roce.packet.cm_messages import (
    AlternatePathResponse,
    ConnectReject,
    ConnectReply,
    ConnectRequest,
    DisconnectReply,
    DisconnectRequest,
    LoadAlternatePath,
    MessageReceipt,
    ReadyToUse,
    decode_cm,
)
from rpcrdma.roce.packet.cm_private_data import port_of_service

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from rpcrdma.roce.cm.mailbox import CmNotice
    from rpcrdma.roce.cm.offer import CmOffer
    from rpcrdma.roce.packet.cm_messages import CmMessage

    _Addressed = (  # all but requests: they say which connection they belong to
        ConnectReply
        | ReadyToUse
        | ConnectReject
        | MessageReceipt
        | DisconnectRequest
        | DisconnectReply
        | LoadAlternatePath
        | AlternatePathResponse
    )

__all__ = ["ConnectionManager"]

_RELIABLE_CONNECTION: Final = 0  # 12.7, transport service type
_ABOUT_REQ: Final = 0  # 12.6.6, the message that a MRA is for
_ABOUT_REP: Final = 1
_GUID_OCTETS: Final = 8

_INPUTS: Final[Mapping[type[CmMessage], CmInput]] = {
    ConnectReply: CmInput.REP,
    ReadyToUse: CmInput.RTU,
    ConnectReject: CmInput.REJ,
    MessageReceipt: CmInput.MRA,
    DisconnectRequest: CmInput.DREQ,
    DisconnectReply: CmInput.DREP,
    LoadAlternatePath: CmInput.LAP,
}


class _Arrival(NamedTuple):
    """A message, and the circumstances of its arrival."""

    source: str
    destination: str
    transaction: int
    now: float


class ConnectionManager:
    """Connection management of one device.

    Attributes:
        malformed: datagrams that were no message of connection management.
        strays: messages that belonged to no connection, or meant nothing in its state.
    """

    def __init__(self, guid: int, random: random.Random) -> None:
        self.malformed = 0
        self.strays = 0
        self._guid = guid
        self._random = random
        self._ports: set[int] = set()
        self._mailbox = CmMailbox()
        self._registry = CmRegistry()

    def connect(
        self, local: str, remote: str, port: int, offer: CmOffer, now: float
    ) -> CmHandshake:
        """Ask for a connection; REPLY, REJECTED or UNREACHABLE says what came of it.

        Raises:
            LocalProtocolError: there is too much private data.
        """
        handshake = self._handshake(local, remote, port)
        handshake.connect(offer, now)
        return handshake

    def listen(self, port: int) -> None:
        """Take in requests for the service at `port`: each is told as REQUEST."""
        self._ports.add(port)

    def unlisten(self, port: int) -> None:
        """Reject requests for the service at `port`, also those that have not been told yet."""
        self._ports.discard(port)
        for handshake in self._registry.half_open():
            if handshake.port == port and self._mailbox.withdraw(handshake):
                handshake.reject(reason=RejectReason.INVALID_SERVICE_ID)

    def receive(self, source: str, destination: str, mad: bytes, now: float) -> None:
        """Take in a datagram from `source` that came to the own address `destination`."""
        try:
            message, transaction = decode_cm(mad)
        except BadFrame:
            self.malformed += 1
            return
        arrival = _Arrival(source, destination, transaction, now)
        if isinstance(message, ConnectRequest):
            is_taken = self._take_request(arrival, message)
        else:
            is_taken = self._take(arrival, message)
        if not is_taken:
            self.strays += 1

    def tick(self, now: float) -> None:
        """Let time pass: what has not been answered is sent again, or given up."""
        for handshake in self._registry.due(now):
            handshake.tick(now)

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: nothing is awaited."""
        return self._registry.deadline()

    def take_messages(self) -> list[tuple[str, str, bytes]]:
        """Own address, peer's address and MAD of what is to be sent to its queue pair 1."""
        return self._mailbox.take_messages()

    def take_events(self) -> list[CmNotice]:
        """What has become of the connections since the last call, in order."""
        return self._mailbox.take_notices()

    def _handshake(self, local: str, remote: str, port: int) -> CmHandshake:
        own_id = 0
        while own_id == 0 or own_id in self._registry:
            own_id = self._random.getrandbits(32)
        speaker = CmSpeaker(self._mailbox, self._random, self._guid, own_id, local, remote)
        return CmHandshake(speaker, self._mailbox, port, self._registry.moved)

    # -- requests

    def _take_request(self, arrival: _Arrival, request: ConnectRequest) -> bool:
        known = self._registry.by_request(arrival.source, request.guid, request.local_id)
        if known is not None:
            return known.take(CmInput.REQ, arrival.now, request, arrival.transaction)
        stale = self._registry.by_queue_pair(arrival.source, request.guid, request.queue_pair)
        if stale is not None:
            self._answer(arrival, rejection_of(request, RejectReason.STALE_CONNECTION))
            stale.end_as_stale(arrival.now)
            return True
        refusal = self._refusal(request)
        if refusal is not None:
            self._answer(arrival, rejection_of(request, refusal))
            return False
        port = port_of_service(request.service_id) or 0
        handshake = self._handshake(arrival.destination, arrival.source, port)
        offer = offer_of_request(request)
        handshake.be_asked(request, offer, arrival.transaction, arrival.now)
        return True

    def _refusal(self, request: ConnectRequest) -> RejectReason | None:
        """Why a new request is not even told to the side."""
        if request.transport_type != _RELIABLE_CONNECTION:
            return RejectReason.INVALID_TRANSPORT_TYPE
        if port_of_service(request.service_id) not in self._ports:
            return RejectReason.INVALID_SERVICE_ID
        if self._registry.is_full:
            return RejectReason.NO_RESOURCES
        try:
            path_mtu_octets(request.path_mtu)
        except BadFrame:
            return RejectReason.INVALID_PATH_MTU
        try:
            offer_of_request(request)
        except BadFrame:
            return RejectReason.CONSUMER  # the service is rdma_cm's, and does not understand it
        return None

    # -- messages of connections

    def _take(self, arrival: _Arrival, message: _Addressed) -> bool:
        if isinstance(message, AlternatePathResponse):
            return False  # an alternate path is never asked for
        handshake = self._addressee(arrival.source, message)
        if handshake is None:
            self._answer_stranger(arrival, message)
            return False
        if not _is_fit(handshake, message):
            return False
        if isinstance(message, ConnectReply) and self._is_stale(arrival, handshake, message):
            return True
        arrived = _INPUTS[type(message)]
        if isinstance(message, ConnectReject) and message.reason == RejectReason.STALE_CONNECTION:
            arrived = CmInput.REJ_STALE
        return handshake.take(arrived, arrival.now, message, arrival.transaction)

    def _addressee(self, source: str, message: _Addressed) -> CmHandshake | None:
        """The connection that a message belongs to; not a connection with another host."""
        handshake = self._registry.by_id(message.remote_id)
        if handshake is not None and handshake.is_with(source, message.local_id):
            return handshake
        if isinstance(message, ConnectReject) and message.reason == RejectReason.TIMEOUT:
            # 12.6.7.2: the peer may never have learnt our id, and says who it is itself.
            guid = int.from_bytes(message.information[:_GUID_OCTETS], "big")
            return self._registry.by_request(source, guid, message.local_id)
        return None

    def _is_stale(self, arrival: _Arrival, handshake: CmHandshake, reply: ConnectReply) -> bool:
        """Whether a reply that is awaited has the queue pair of another connection: both end.

        A late duplicate is not awaited, and ends nothing.
        """
        stale = self._registry.by_queue_pair(arrival.source, reply.guid, reply.queue_pair)
        if stale is None or not handshake.take(
            CmInput.REP_STALE, arrival.now, reply, arrival.transaction
        ):
            return False
        stale.end_as_stale(arrival.now)
        return True

    def _answer_stranger(self, arrival: _Arrival, message: _Addressed) -> None:
        """Answer what waits for an answer although no connection here is meant."""
        if isinstance(message, ConnectReply):
            self._answer(arrival, rejection_of(message, RejectReason.INVALID_COMMUNICATION_ID))
        elif isinstance(message, DisconnectRequest):
            self._answer(arrival, disconnection_of(message))

    def _answer(self, arrival: _Arrival, message: CmMessage) -> None:
        self._mailbox.send(arrival.destination, arrival.source, message, arrival.transaction)


def _is_fit(handshake: CmHandshake, message: _Addressed) -> bool:
    """Whether what a message says of the connection is right."""
    if isinstance(message, MessageReceipt):
        return message.received == (_ABOUT_REP if handshake.is_passive else _ABOUT_REQ)
    if isinstance(message, DisconnectRequest):
        return handshake.offer is not None and message.queue_pair == handshake.offer.queue_pair
    return True
