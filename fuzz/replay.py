"""One input again: decoded for a person, sent to any target, each answer judged by the oracle.

The handles that inputs name (`fuzz.world.READABLE`, `WRITABLE`) mean nothing to a real device, so
each message is translated to memory that is registered on the connection it goes over; a message
that does not decode goes as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import Answered, Silent
from conformance.oracle.responder.expectation import ResponderState
from conformance.oracle.responder.expected import expected
from conformance.tester.case import Deviation
from conformance.tester.client.liveness import problem_with
from fuzz.segments import move_segments
from fuzz.world import READABLE, REGION, WRITABLE
from reports.record import Verdict
from rpcrdma.fabric.base import Access
from rpcrdma.wire import RdmaSegment, any_overlap, chunk_length

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.harness import Harness
    from conformance.tester.client.peer import Peer
    from rpcrdma.fabric.base import MemoryRegion

__all__ = ["Step", "replay"]

_MOST_ANSWERS: Final = 64
"""To one message; a device that sends more has been seen through."""


@dataclass(frozen=True, slots=True)
class Step:
    """One message and what came of it.

    Attributes:
        octets: as sent.
        allowed: what the documents allow, one alternative a line.
        outcomes: what came, in order; a second answer is a fault of its own.
        verdict: of this step.  reason: why, unless it passed.
    """

    octets: bytes
    allowed: tuple[str, ...]
    outcomes: tuple[str, ...]
    verdict: Verdict
    reason: str = ""


class _Connection:
    """A connection to the device with memory where the inputs expect it."""

    def __init__(self, harness: Harness) -> None:
        self.peer: Peer = harness.connect()
        self._readable = self.peer.register(REGION, Access.REMOTE_READ)
        self._writable = self.peer.register(REGION, Access.LOCAL_WRITE | Access.REMOTE_WRITE)

    def translate(self, message: bytes) -> bytes:
        """The message with the handles and addresses of this connection's memory."""
        return move_segments(message, self._real, self._real)

    def fetch(self, segment: RdmaSegment) -> bytes | None:
        """See `conformance.oracle.responder.expectation.ExposedMemory`."""
        return _slice(self._readable, segment)

    def is_writable(self, segment: RdmaSegment) -> bool:
        """See `conformance.oracle.responder.expectation.ExposedMemory`."""
        return segment.length == 0 or _slice(self._writable, segment) is not None

    def held_by(self, outcome: Outcome) -> bytes | None:
        """What the Reply chunk of a Long Reply holds, as far as that can be said."""
        if not isinstance(outcome, Answered) or not outcome.is_long or not outcome.body.rdma_reply:
            return None
        segments = outcome.body.rdma_reply.target
        if any_overlap(segments):
            return None
        pieces = [_slice(self._writable, segment) or b"" for segment in segments]
        held = b"".join(pieces)
        return held if len(held) == chunk_length(outcome.body.rdma_reply) else None

    def _real(self, segment: RdmaSegment) -> RdmaSegment:
        for told, region in ((READABLE, self._readable), (WRITABLE, self._writable)):
            if segment.handle == told.handle:
                offset = (region.offset + segment.offset - told.offset) % 2**64
                return RdmaSegment(region.handle, segment.length, offset)
        return segment


def replay(
    harness: Harness, messages: list[bytes], on_step: Callable[[Step], None] = lambda step: None
) -> Step | None:
    """Send the messages, one after the other, and judge each answer.

    Args:
        harness: of a running target.
        messages: of the input.
        on_step: called with each step as it is done.

    Returns:
        The step that says that the device does not serve afterwards; None if it does.

    Raises:
        Inconclusive: the device does not serve even before.
    """
    harness.ready_peer()
    connection = _Connection(harness)
    layer = harness.workload.null().layer
    for message in messages:
        if not connection.peer.connected:
            connection = _Connection(harness)
        state = ResponderState(
            versions=frozenset(harness.profile.claims.versions),
            upper_layer=layer,
            memory=connection,
            reply_threshold=harness.profile.claims.reply_inline_threshold,
            chosen=harness.profile.extra.interpretations,
        )
        on_step(
            _step(connection, connection.translate(message), state, harness.profile.extra.grace)
        )
    try:
        alive = connection if connection.peer.connected else _Connection(harness)
        problem = problem_with(alive.peer)
    except Deviation as error:
        problem = error.reason
    if not problem:
        return None
    wanted = ("a reply to NULL",)
    reason = "the device does not serve a good call any more"
    return Step(b"", wanted, (problem,), Verdict.FAIL, reason)


def _step(connection: _Connection, octets: bytes, state: ResponderState, grace: float) -> Step:
    expectation = expected(octets, state)
    peer = connection.peer
    peer.send(octets)
    silence = any(item.kind.outcome is Silent for item in expectation.allowed)
    outcome = peer.receive(grace if silence else None)
    more = tuple(_late(peer, grace)) if isinstance(outcome, Answered) else ()
    judgement = expectation.judge(outcome, connection.held_by(outcome))
    verdict, reason = judgement.verdict, judgement.reason
    again = [item for item in more if getattr(item, "xid", None) == expectation.xid]
    if again:
        verdict, reason = Verdict.FAIL, f"{1 + len(again)} answers to one message"
    allowed = tuple(str(item) for item in expectation.allowed)
    return Step(octets, allowed, tuple(str(item) for item in (outcome, *more)), verdict, reason)


def _late(peer: Peer, grace: float) -> Iterator[Outcome]:
    """What else comes within the grace period."""
    for _ in range(_MOST_ANSWERS):
        outcome = peer.receive(grace)
        if isinstance(outcome, Silent):
            return
        yield outcome
        if not peer.connected:
            return


def _slice(region: MemoryRegion, segment: RdmaSegment) -> bytes | None:
    """The octets of a segment, if it lies within the region."""
    start = segment.offset - region.offset
    if segment.length == 0:
        return b""
    if segment.handle != region.handle or start < 0 or start + segment.length > region.length:
        return None
    return region.read(start, segment.length)
