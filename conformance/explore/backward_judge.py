"""Judges the backward direction of one connection: Calls of the server, Replies of the client.

    bidir section 1.5.3  no RDMA, so no chunks
    bidir section 2.1.2  Backward Credits

The server is a Requester here, so the same tracker follows it; what the bidirection draft adds is
judged beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.tracker import RequesterTracker
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire import RdmaMsg, decode_header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.ulp.bindings import UpperLayer

__all__ = ["BackwardJudge"]

_NO_CHUNKS: Final = RdmaMsg((), (), None)


class BackwardJudge:
    """One connection; the Calls are those of the test program."""

    def __init__(self, layer: UpperLayer) -> None:
        self._tracker = RequesterTracker(upper_layer=layer)
        self._calls: dict[int, bytes] = {}

    def called(self, message: bytes) -> Iterator[str]:
        """The server sent a Call; what is wrong with it, in words."""
        header, end = decode_header(message)
        payload = message[end:]
        yield from _form(message)
        for violation in self._tracker.judge(message, payload):
            yield f"backward Call: {violation}"
        self._calls[header.rdma_xid] = payload

    def answered(self, message: bytes) -> Iterator[str]:
        """The client sent a Reply; what is wrong with it, in words."""
        yield from _form(message)
        expectation = self._tracker.answered(message)
        if expectation.xid is None:
            yield "a backward Reply under whose XID nothing is open"
            return
        if Reaction.COMPLETED not in expectation.reactions or expectation.fault:
            yield f"backward Reply: {expectation.fault}"
        try:
            wanted = testprog_calls.expected_reply(self._calls.pop(expectation.xid, b""))
        except DecodeError as error:
            yield f"a backward Call that is none: {error}"
            return
        if message[decode_header(message)[1] :] != wanted:
            yield "a backward Reply that is not the Call's own"


def _form(message: bytes) -> Iterator[str]:
    """What every backward message must be (bidir 1.5.3, 2.1.2)."""
    header, _ = decode_header(message)
    if header.rdma_body != _NO_CHUNKS:
        yield "a backward message with chunks (bidir.1.5.3.no-rdma-for-backward-transactions)"
    if header.rdma_credit == 0:
        yield "a backward message with zero credits (bidir.2.1.2.credit-is-never-zero)"
