"""Asks a server whether it is there: a connection and one NULL call, by RPC-over-RDMA Version One.

rfc8166 section 4.2  the header of the call and of its answer
rfc5531 section 12   procedure 0 of every program takes and returns nothing
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import msgspec

from rpcrdma.errors import ConnectionLost, DeadlineExceeded, DecodeError
from rpcrdma.fabric.base import ConnectionParameters
from rpcrdma.fabric.completion import Opcode
from rpcrdma.fabric.segments import one_segment
from rpcrdma.ulp.rpc import decode_reply, encode_call
from rpcrdma.wire import RdmaMsg, TransportHeader, decode_any_header, encode_header
from rpcrdma.wire.private_data import VersionOnePrivateData, decode_private_data
from rpcrdma.wire.versions import fixed_words

if TYPE_CHECKING:
    from rpcrdma.fabric.base import Address, Connection, Fabric

__all__ = ["Pong", "ping"]

_VERSION: Final = 1
_CREDITS: Final = 1
_RECEIVES: Final = (one_segment(4096),) * 2
"""Octets; Linux announces so many, and a NULL's reply has about fifty."""


class Pong(msgspec.Struct, frozen=True):
    """What the server said.

    Attributes:
        address: where it is.
        version: of RPC-over-RDMA in its answer.
        credits: that it granted.
        private_data: with which it accepted the connection, without zeroes at the end.
        answer: to the call, in words.
        connected: seconds that the connection took.
        round_trip: seconds that the call took.
    """

    address: Address
    version: int
    credits: int
    private_data: bytes
    answer: str
    connected: float
    round_trip: float

    def __str__(self) -> str:
        return (
            f"{self.address}: RPC-over-RDMA version {self.version}, {self.credits} credits,"
            f" {_described(self.private_data)}; NULL: {self.answer} in"
            f" {self.round_trip * 1e3:.2f} ms, connected in {self.connected * 1e3:.2f} ms"
        )


def ping(fabric: Fabric, address: Address, program: tuple[int, int], timeout: float) -> Pong:
    """Connect and make one NULL call.

    Args:
        fabric: where we stand.
        address: where the server should be.
        program: RPC program number and version.
        timeout: seconds for the connection, and for the call.

    Raises:
        ConnectionRejected: nobody listens there, or the server refused.
        DeadlineExceeded: no answer in time.
        ConnectionLost: the server ended the connection instead of answering.
        DecodeError: the answer has no header that either version knows.
    """
    began = fabric.clock.now()
    connection = fabric.connect(address, ConnectionParameters(initial_receives=_RECEIVES), timeout)
    connected = fabric.clock.now()
    xid = secrets.randbits(32)
    header = TransportHeader(xid, _VERSION, _CREDITS, RdmaMsg((), (), None))
    try:
        connection.post_send(encode_header(header) + encode_call(xid, *program, 0))
        octets = _answer(connection, timeout)
        done = fabric.clock.now()
    finally:
        connection.close()
    words = fixed_words(octets)
    private_data = connection.private_data.rstrip(b"\0")
    return Pong(
        address,
        words.version,
        words.credit,
        private_data,
        _answered(octets, xid),
        connected - began,
        done - connected,
    )


def _answer(connection: Connection, timeout: float) -> bytes:
    """The first message that comes."""
    deadline = connection.clock.now() + timeout
    while (left := deadline - connection.clock.now()) > 0:
        for done in connection.poll(left):
            if done.opcode is Opcode.RECEIVE and done.ok:
                return done.data
        if not connection.connected:
            raise ConnectionLost("the server ended the connection instead of answering the call")
    raise DeadlineExceeded(f"connected, but the NULL call was not answered within {timeout} s")


def _answered(octets: bytes, xid: int) -> str:
    """What a message says to the call."""
    words = fixed_words(octets)
    if words.xid != xid:
        return "answered with another XID"
    if words.is_error:
        return "refused with an RDMA_ERROR"
    _, end = decode_any_header(octets)
    try:
        reply, _ = decode_reply(octets[end:])
    except DecodeError:
        return "answered with something that is no RPC reply"
    return reply.outcome.name


def _described(private_data: bytes) -> str:
    if not private_data:
        return "no private data"
    known: VersionOnePrivateData | None = decode_private_data(private_data)
    return f"private data {private_data.hex()}" + ("" if known is None else f" ({known})")
