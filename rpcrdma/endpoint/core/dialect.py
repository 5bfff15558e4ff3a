"""How a version puts its headers on the wire: all that most of the endpoint knows of versions.

    rfc8166 section 4.2.2  Version Number
    v2 section 4.2.3       Transport Errors (as in Version One)
    v2 section 5           Protocol Version Negotiation (the thresholds that belong to a version)

Version Two carries the lists, procedures and errors of Version One in a header of its own.  So the
roles work on Version One's objects, whatever the version is, and a `Dialect` turns them into octets
and back.  Of what has no counterpart in Version One, RDMA2_OPTIONAL, only operations that carry an
RPC message or are about one come as far as a role (`group_bodies`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from rpcrdma.wire import RdmaMsg, TransportHeader, decode_header, encode_header

if TYPE_CHECKING:
    from rpcrdma.wire import Body
    from rpcrdma.wire.rpc import MessageType

__all__ = ["NO_CHUNKS", "ONE", "Dialect", "VersionOne"]

NO_CHUNKS: Final = RdmaMsg((), (), None)
"""The body of a message with nothing but its Payload stream."""


class Dialect(Protocol):
    """A version of RPC-over-RDMA, as far as its headers go."""

    @property
    def number(self) -> int:
        """Its rdma_vers."""
        ...

    @property
    def header(self) -> int:
        """Octets of the header of a message without chunks."""
        ...

    @property
    def threshold(self) -> int:
        """The inline threshold that holds where nothing else is known, in octets."""
        ...

    @property
    def plain(self) -> Body:
        """The one object that `decode` returns for every RDMA_MSG without chunks."""
        ...

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        """The header of a message, and the offset of what follows it.

        Raises:
            DecodeError: it has none.
        """
        ...

    def encode(self, header: TransportHeader, direction: MessageType) -> bytes:
        """The octets of a header; `direction` is that of the message, whatever it carries."""
        ...


class VersionOne:
    """rfc8166."""

    number: Final = 1
    header: Final = 28
    threshold: Final = 1024
    plain: Final[Body] = decode_header(encode_header(TransportHeader(0, 1, 0, NO_CHUNKS)))[
        0
    ].rdma_body

    decode = staticmethod(decode_header)
    """The very function, as it is called for every message."""

    def encode(self, header: TransportHeader, direction: MessageType) -> bytes:
        """The header of Version One does not contain the direction."""
        return encode_header(header)


ONE: Final = VersionOne()
"""Version One."""
