"""Whether a Reply brings the results of its call, to the octet.

The oracle says which answers a message may have, and knows no program's results.  Those of the test
program follow from the call alone, so that a result that lost an octet, or stands in the wrong
place, shows here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import decode_header
from conformance.oracle.outcome import Answered
from conformance.oracle.requester.reassembly import reassemble
from fuzz.uncounted import uncounted
from fuzz.world import RequesterMemory
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.bindings import restore
from rpcrdma.ulp.rpc import RpcOutcome, decode_call, decode_reply
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, group_by_position
from rpcrdma.wire import _generated_testprog as wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.oracle.memory import ExposedMemory
    from conformance.oracle.outcome import Outcome
    from rpcrdma.wire import Body, RdmaSegment, WriteChunk

    Segments = tuple[RdmaSegment, ...]

__all__ = ["Written", "written_by", "wrong_results"]

_READABLE: Final = RequesterMemory()
"""Nothing writes to what can be read of a Requester's memory."""

_LAYER: Final = TestProgram()
_PROGRAM: Final = wire.TEST_PROGRAM
_OF_OTHERS: Final = (wire.TEST_V1.TEST_HOLD, wire.TEST_V1.TEST_RELEASE)
"""Procedures whose results depend on calls before."""

Written = tuple[tuple["Segments", bytes], ...]
"""What the Write chunks of a Reply hold."""


def written_by(outcome: Outcome, memory: ExposedMemory) -> Written | None:
    """What the Write chunks hold that a Reply returns; None if nobody can say."""
    if not isinstance(outcome, Answered):
        return None
    chunks = outcome.body.rdma_writes
    reply = outcome.body.rdma_reply
    if not chunks:
        return ()
    everything = [*chunks, reply] if reply else chunks
    if memory.contents([one for chunk in everything for one in chunk.target]) is None:
        return None  # two that overlap have each other's octets
    return tuple((chunk.target, memory.contents(chunk.target) or b"") for chunk in chunks)


def wrong_results(
    message: bytes, outcome: Outcome, held: bytes | None, written: Written | None
) -> str:
    """What is wrong with the results of a call of the test program; empty if nothing is.

    Args:
        message: the call.
        outcome: its answer.
        held: what the Reply chunk holds; None if there is none, or nobody can say.
        written: what the Write chunks hold; None likewise.
    """
    if not isinstance(outcome, Answered):
        return ""
    whole = held if outcome.is_long else outcome.payload
    if whole is None or written is None:
        return ""
    return uncounted(_compare, message, whole, outcome.body.rdma_writes, dict(written))


def _compare(
    message: bytes,
    whole: bytes,
    writes: tuple[WriteChunk, ...],
    written: Mapping[Segments, bytes],
) -> str:
    try:
        decoded = decode_header(message)
        call = _unreduced(decoded.header.rdma_body, message[decoded.end :])
        asked = decode_call(call)[0]
        if asked.program != _PROGRAM or asked.procedure in _OF_OTHERS:
            return ""
        # Which errors are right is for the oracle to say.
        if decode_reply(whole)[0].outcome is not RpcOutcome.SUCCESS or whole[:4] != call[:4]:
            return ""
        found = reassemble(call, whole, writes, written.get, _LAYER)
        wanted = calls.expected_reply(call)
    except DecodeError:
        return ""
    if found.fault or found.payload is None or found.payload == wanted:
        return found.fault
    return f"a Reply of {len(found.payload)} octets is another than that of {len(wanted)}"


def _unreduced(body: Body, payload: bytes) -> bytes:
    """The call with what its Read chunks bring; nothing where they bring no part of a call."""
    if not isinstance(body, RdmaMsg):
        return b""
    parts = []
    for chunk in group_by_position(body.rdma_reads):
        pieces = [_READABLE.fetch(segment) for segment in chunk.target]
        parts.append((chunk.position, b"".join(piece or b"" for piece in pieces)))
    return restore(payload, sorted(parts))
