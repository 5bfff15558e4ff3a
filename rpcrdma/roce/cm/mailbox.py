"""What a connection manager has to say: messages for peers, notices for its own side.

Both wait until they are fetched, and neither grows without bound, whatever comes from the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from rpcrdma.roce.packet.cm_messages import encode_cm

if TYPE_CHECKING:
    from rpcrdma.roce.cm.handshake import CmHandshake
    from rpcrdma.roce.packet.cm_messages import CmMessage

__all__ = ["CmMailbox", "CmNotice", "CmNoticeKind"]

_MOST_MESSAGES: Final = 1024
"""Messages that wait to be fetched.  What comes on top is lost, as it might be in the network."""


class CmNoticeKind(Enum):
    """What has become of a connection."""

    REQUEST = auto()  # passive: somebody asks; to be answered by `accept` or `reject`
    REPLY = auto()  # active: the peer accepts; to be answered by `ready` or `reject`
    ESTABLISHED = auto()  # passive: the peer is ready, too
    REJECTED = auto()
    DISCONNECTED = auto()
    UNREACHABLE = auto()  # no answer, however often it was asked


_ENDS: Final = frozenset(
    {CmNoticeKind.REJECTED, CmNoticeKind.DISCONNECTED, CmNoticeKind.UNREACHABLE}
)


@dataclass(frozen=True, slots=True)
class CmNotice:
    """Something that the side should know about a connection.

    Attributes:
        handshake: the connection.
        kind: what has happened.
        reason: of a REJECTED or DISCONNECTED that a Reject brought: its reason (12.6.7.2); else 0.
        private_data: what the message brought for the application.
    """

    handshake: CmHandshake
    kind: CmNoticeKind
    reason: int = 0
    private_data: bytes = b""


class CmMailbox:
    """The messages and notices that wait to be fetched.

    Attributes:
        lost: messages for which there was no room.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._messages: list[tuple[str, str, bytes]] = []
        self._notices: list[CmNotice] = []

    def send(self, local: str, remote: str, message: CmMessage, transaction: int) -> None:
        """Have `message` sent from the own address `local` to `remote`."""
        if len(self._messages) < _MOST_MESSAGES:
            self._messages.append((local, remote, encode_cm(message, transaction)))
        else:
            self.lost += 1

    def tell(self, notice: CmNotice) -> None:
        """Have the side told.  A request that ends before anybody has seen it was none."""
        if notice.kind in _ENDS and self.withdraw(notice.handshake):
            return
        self._notices.append(notice)

    def withdraw(self, handshake: CmHandshake) -> bool:
        """Take back the notice of a request; returns whether it was still there."""
        kept = [
            notice
            for notice in self._notices
            if notice.handshake is not handshake or notice.kind is not CmNoticeKind.REQUEST
        ]
        withdrawn = len(kept) < len(self._notices)
        self._notices = kept
        return withdrawn

    def take_messages(self) -> list[tuple[str, str, bytes]]:
        """Own address, peer's address and MAD of what is to be sent, in order."""
        taken, self._messages = self._messages, []
        return taken

    def take_notices(self) -> list[CmNotice]:
        """What the side should know, in the order in which it happened."""
        taken, self._notices = self._notices, []
        return taken
