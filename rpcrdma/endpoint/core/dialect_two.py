"""Version Two's headers, as the roles know them: Version One's objects in Version Two's octets.

    v2 section 4.2    RPC-Over-RDMA Version Two XDR
    v2 section 4.2.3  Transport Errors (BAD_HEADER is what ERR_CHUNK was, under the same number)

What belongs to the optional features has no counterpart in Version One, but for the operations that
carry RPC messages or are about these (`group_bodies`); of all others there is no header that can be
decoded.  `backward.direction` lets nothing come as far as a role that its end does not support.
The error that refuses an operation comes here where it refuses a Call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.core.dialect import NO_CHUNKS
from rpcrdma.endpoint.core.group_bodies import OptionRefused, as_message
from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from rpcrdma.wire import ErrChunk, TransportHeader, v2
from rpcrdma.wire.in_one import body_as_one, encode_as_two
from rpcrdma.wire.operations import OPERATIONS, GroupOption
from rpcrdma.wire.optional import decode_option

if TYPE_CHECKING:
    from rpcrdma.wire import Body
    from rpcrdma.wire.rpc import MessageType

__all__ = ["TWO", "VersionTwo"]

_PROCEDURE: Final = 12
"""Offset of rdma_proc."""

_GROUPS: Final = frozenset(one.code for one in OPERATIONS if issubclass(one.contents, GroupOption))
"""Operations that begin a group, or are about one."""


class VersionTwo:
    """v2 (draft -01)."""

    number: Final = v2.VERSION
    header: Final = 32
    threshold: Final = 4096
    plain: Final[Body] = NO_CHUNKS

    def decode(self, message: bytes) -> tuple[TransportHeader, int]:
        """The header in Version One's objects, and where it ends."""
        header, end = v2.decode_header(message)
        body = self._body(header.rdma_body, header.rdma_vers)
        return TransportHeader(header.rdma_xid, header.rdma_vers, header.rdma_credit, body), end

    def encode(self, header: TransportHeader, direction: MessageType) -> bytes:
        """The octets of a header of Version Two.

        Raises:
            LocalProtocolError: Version Two has no such message.
        """
        octets = encode_as_two(header, direction)
        if octets is None:
            raise LocalProtocolError(f"Version Two has no {type(header.rdma_body).__name__}")
        return octets

    def _body(self, body: v2.Rdma2Body, version: int) -> Body:
        one = body_as_one(body)
        if one is not None:
            return self.plain if one == self.plain else one  # the roles know it by its identity
        # D-11: an error is looked at in any version, but this one exists in Version Two alone.
        if isinstance(body, v2.Rdma2Error) and version == self.number:
            return OptionRefused(ErrChunk())  # D-53: it refuses a Call, by whatever it came
        if isinstance(body, v2.Rdma2Optional) and body.rdma_opttype in _GROUPS:
            option = decode_option(body)
            if isinstance(option, GroupOption):
                return as_message(option)
        kind = type(body).__name__
        raise DecodeError(_PROCEDURE, "rdma_body", Reason.BAD_DISCRIMINANT, kind)


TWO: Final = VersionTwo()
"""Version Two."""
