"""Transmissions: the Sends of one direction that together carry one message.

    rtrext section 4.2  Message Continuation Changes (transmission groups)
    rtrext section 4.3  Message Continuation and Credits

Between a connection, which carries Sends, and whoever deals with messages.  The transport header
that counts is that of the first Send; the Payload stream goes on in those after it.  Each Send uses
up one Receive and so takes one credit, whatever it carries: who counts either asks here.

How many Sends belong together is for the operation to say that begins the message (`sends` of the
table in `rpcrdma.wire.operations`); whatever is no such operation comes by itself.  Every operation
of the table does so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import DecodeError
from rpcrdma.wire import v2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire.operations import OptionalOperation

__all__ = ["Assembler", "Transmission", "divided"]

_VERSION: Final = slice(4, 8)
_PROCEDURE: Final = slice(12, 16)
_TWO: Final = v2.VERSION.to_bytes(4)
_OPTIONAL: Final = v2.Rdma2Procedure.RDMA2_OPTIONAL.to_bytes(4)


class Transmission(msgspec.Struct, frozen=True):
    """One message, however many Sends it came by.

    Attributes:
        parts: the Sends as they were received, in their order.
        octets: the transport header of the first and the Payload stream of all of them, as if one
            Send had carried the whole.
    """

    parts: tuple[bytes, ...]
    octets: bytes

    @property
    def sends(self) -> int:
        """How many Receives it used up, and how many credits it takes."""
        return len(self.parts)


class Assembler:
    """Makes transmissions of the Sends that arrive on one connection.

    Nothing of the same direction comes between the Sends of a group (rtrext 4.2): a Send that does
    not go on with the group that is under way is taken by itself, and the group is lost.

    Args:
        operations: which begin groups here, by code; of all others each Send is a message.
    """

    def __init__(self, operations: Mapping[int, OptionalOperation]) -> None:
        self._operations = operations
        self._parts: list[bytes] = []
        self._payload: list[bytes] = []
        self._missing = 0
        self._xid = 0

    def is_whole(self, send: bytes) -> bool:
        """A Send has arrived; whether its fixed words say that it is a message by itself.

        Nearly all are, and these need no `take`.  The group that was under way is lost with it.
        """
        if send[_PROCEDURE] == _OPTIONAL and send[_VERSION] == _TWO:
            return False
        self._missing = 0
        return True

    def take(self, send: bytes) -> Transmission | None:
        """A Send has arrived; returns the message that is complete with it, None if more follow."""
        if self.is_whole(send):
            return Transmission((send,), send)
        try:
            header, end = v2.decode_header(send)
        except DecodeError:
            self._missing = 0
            return Transmission((send,), send)
        if self._missing and header.rdma_xid == self._xid:
            self._parts.append(send)
            self._payload.append(send[end:])
            self._missing -= 1
        else:
            self._parts, self._payload = [send], [send]
            self._missing = self._sends(header) - 1
            self._xid = header.rdma_xid
        if self._missing:
            return None
        return Transmission(tuple(self._parts), b"".join(self._payload))

    def _sends(self, header: v2.Rdma2Header) -> int:
        """How many Sends there are of the message that one with this header begins."""
        body = header.rdma_body
        if not isinstance(body, v2.Rdma2Optional):
            return 1
        operation = self._operations.get(body.rdma_opttype)
        if operation is None:
            return 1
        try:
            contents, _ = operation.decode(body.rdma_optinfo)
        except DecodeError:
            return 1
        return max(1, operation.sends(contents))


def divided(message: bytes) -> tuple[bytes, ...]:
    """The Sends that carry a message of this end's, in their order: one, by what is known here."""
    return (message,)
