"""What a tester can do about a call of a client: one function for each kind of move.

    MOVES["credits"](served, call, Move("credits", value=1))

The kinds of `conformance.explore.replies` break one rule of the right Reply each; those below do
what takes more than one message, memory, or the connection.

    rfc8166 section 3.3.1    RPC-over-RDMA Credits
    rfc8166 section 3.4.6    Write Chunks
    rfc8166 section 4.5.5    RPC-over-RDMA Transport Errors
    xcharext section 3.2     remote invalidation
    bidir section 2.5        Sending A Backward Direction Call
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from conformance.explore import replies
from conformance.explore.replies import ReplyBreach, spoil
from conformance.oracle.requester.reaction import expected_reaction
from conformance.tester.case import Inconclusive
from conformance.tester.server.reply import ReplyPlacement, draft_reply, far_from, filled
from conformance.tester.server.reply_shapes import FACTORS, ReplyShape, shaped
from conformance.tester.server.useless import ONE
from fuzz.live.client.backward import backward_call
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.wire import RdmaMsg, RdmaNomsg, RdmaSegment, chunks_for_results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from conformance.oracle.requester.expectation import ReactionExpectation
    from conformance.tester.server import Line, ReceivedCall, ReplyDraft, Service
    from fuzz.live.move import Move

__all__ = ["MOVES", "ServedTurn"]

_WORD: Final = 4
_OVERSIZE: Final = 4096
"""Octets more than any Receive of a Version One client holds."""

_OPERATION_S: Final = 0.2
"""Seconds that are waited for an RDMA operation that may be refused."""

_NO_BREACH: Final = frozenset({"none", "longer"})
"""What breaks nothing; and octets after the results, which an application may read or not."""

_CREDITS: Final = (1, 0, 2, 4, 32, 255, 256, 65535, 2**31, 2**32 - 1)
_SHAPES: Final = tuple(
    ReplyShape(writes=writes, beyond=beyond)
    for writes in FACTORS["writes"]
    for beyond in FACTORS["beyond"]
)


@dataclass(slots=True)
class ServedTurn:
    """What the tester knows in one turn.

    Attributes:
        service: where the calls come.
        sent: the last messages about calls, for sending them again.
        held: calls that are answered after those that follow them.
        silent: calls that are not answered while the client waits.
        pending: calls that may still wait for their Replies after what was sent about them.
        costs: whether something was done over which the connection may be lost.
        alters: whether other results were given than the calls ask for.
        back: XIDs of backward Calls.
        probes: calls, each with memory that is tried once the act is over.
        is_early: whether the act ended well before a call had a Reply that must wait for one.
        early_after: what was sent about that call, which the client has taken for its Reply.
    """

    service: Service
    sent: deque[bytes] = field(default_factory=deque)
    held: list[ReceivedCall] = field(default_factory=list)
    silent: list[ReceivedCall] = field(default_factory=list)
    pending: list[ReceivedCall] = field(default_factory=list)
    costs: bool = False
    alters: bool = False
    back: set[int] = field(default_factory=set)
    probes: list[tuple[ReceivedCall, RdmaSegment]] = field(default_factory=list)
    is_early: bool = False
    early_after: ReactionExpectation | None = None
    _useless: dict[int, ReactionExpectation] = field(default_factory=dict)

    def line(self, call: ReceivedCall) -> Line:
        """The connection of a call."""
        return self.service.line_of(call)

    def draft(self, call: ReceivedCall) -> ReplyDraft:
        """The right Reply.

        Raises:
            Inconclusive: there is none.
        """
        return self.service.draft(call)

    def exposed(self) -> str:
        """Try the memory that is to be tried; what of it is within reach, in words, or nothing."""
        for call, segment in self.probes:
            line = self.line(call)
            short = RdmaSegment(segment.handle, min(segment.length, _WORD), segment.offset)
            if not line.connected or not short.length:
                continue
            self.costs = True
            if any(read.target == segment for read in call.reads):
                status = line.read(short, _OPERATION_S)
            else:
                status = line.write(short, bytes(short.length), _OPERATION_S)
            if status is CompletionStatus.SUCCESS:
                return f"handle {segment.handle:#x} of a call whose act is over"
        return ""

    def is_doubtful(self, call: ReceivedCall) -> bool:
        """Whether a call may have ended by what was sent about it."""
        known = self.service.state_of(self.line(call)).call(call.xid)
        return known is None or known.doubtful

    def look_if_early(self) -> None:
        """Note whether the act, which has just ended well, should have waited for a Reply."""
        early = [call.xid for call in self.pending if self.must_wait(call)]
        self.is_early = bool(early)
        self.early_after = next((self._useless[xid] for xid in early if xid in self._useless), None)

    def must_wait(self, call: ReceivedCall) -> bool:
        """Whether a call has nothing yet by which it may have ended, and was not made again."""
        made = sum(one.xid == call.xid for one in self.service.received)
        is_open = self.line(call).connected and not call.answered
        return is_open and made == 1 and not self.is_doubtful(call)

    def send(
        self,
        call: ReceivedCall,
        octets: bytes,
        placements: Iterable[ReplyPlacement] = (),
        invalidate: int | None = None,
    ) -> None:
        """Send something about a call, which is over thereafter if the oracle says that it is."""
        line, service = self.line(call), self.service
        line.place(placements)
        expectation = expected_reaction(octets, service.state_of(line), line.placed.contents)
        service.send(octets, line, invalidate)
        self.sent.append(octets)
        if expectation.xid == call.xid and expectation.must_end:
            call.answered = True
        else:
            self._useless.setdefault(call.xid, expectation)

    def right(self, call: ReceivedCall) -> None:
        """Send the right Reply; what is no call is left alone."""
        if call.answered or not self.line(call).connected:
            return
        with suppress(Inconclusive):  # one that cannot be put together has no Reply but an error
            self.sent.append(self.draft(call).octets)
        self.service.serve(call)


# -- Replies


def _breach(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    draft = served.draft(call)
    sample = spoil(draft, ReplyBreach(move.kind, move.place, move.value))
    served.alters |= not sample.octets.endswith(draft.payload)
    served.send(call, sample.octets, sample.placements)


def _reply(served: ServedTurn, call: ReceivedCall, _move: Move) -> None:
    served.right(call)


def _credits(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The right Reply with another grant; for later ones, too, if the place is odd."""
    grant = (*_CREDITS, move.value)[move.value % (len(_CREDITS) + 1)] % 2**32
    if move.place % 2:
        served.service.grant = max(grant, 1)
    draft = served.draft(call).changed(credits=grant)
    served.send(call, draft.octets, draft.placements)


def _shape(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The right Reply, its results moved by other RDMA Writes."""
    draft = shaped(call, served.draft(call), _SHAPES[move.place % len(_SHAPES)])
    served.send(call, draft.octets, draft.placements)


def _again(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The right Reply twice or more; or a message of before once more."""
    if move.value % 2 and served.sent:
        served.send(call, served.sent[-1 - move.place % len(served.sent)])
        return
    draft = served.draft(call)
    for number in range(2 + move.place % 3):
        served.send(call, draft.octets, () if number else draft.placements)


def _useless(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    names = tuple(ONE)
    served.send(call, ONE[names[move.place % len(names)]](served.service, call))


def _other_xid(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The Reply under the XID of another call, which waits or is over, or of none."""
    others = [one.xid for one in served.service.received if one is not call]
    xid = (*others, far_from(call.xid))[move.place % (len(others) + 1)]
    served.alters = True
    draft = served.draft(call).changed(xid=xid)
    if move.value % 2:
        draft = draft.changed(payload=xid.to_bytes(_WORD) + draft.payload[_WORD:])
    served.send(call, draft.octets, draft.placements)


def _flip(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """One bit of the message, wherever."""
    draft = served.draft(call)
    octets = bytearray(draft.octets)
    octets[move.place % len(octets)] ^= 1 << move.value % 8
    served.alters = True
    served.send(call, bytes(octets), draft.placements)


def _word(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """One word of the header, whichever."""
    draft = served.draft(call)
    octets = draft.octets
    words = (len(octets) - len(draft.payload)) // _WORD
    start = _WORD * (move.place % words)
    changed = octets[:start] + (move.value % 2**32).to_bytes(_WORD) + octets[start + _WORD :]
    served.send(call, changed, draft.placements)


def _oversize(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """More octets than the client has room for."""
    served.costs = True
    served.send(call, served.draft(call).octets + bytes(_OVERSIZE + move.value % _OVERSIZE))


def _unreduced(served: ServedTurn, call: ReceivedCall, _move: Move) -> None:
    """Results in the stream, or in the Reply chunk, though there is a Write chunk for them."""
    service, line = served.service, served.line(call)
    for reply in service.replies.due(call, line)[:1]:
        draft = draft_reply(call, reply, (), service.grant, service.reply_threshold)
        served.send(call, draft.octets, draft.placements)


def _long(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The stream in the Reply chunk, though it fits inline; or what is left of it in both."""
    draft, room = served.draft(call), call.reply_chunk
    if room is None or not isinstance(draft.header.rdma_body, RdmaMsg):
        served.right(call)
        return
    chunk, writes = filled(room, draft.payload)
    body = RdmaNomsg((), draft.lists.rdma_writes, chunk)
    payload = draft.payload if move.value % 2 else b""
    whole = draft.changed(body=body, payload=payload, placements=(*draft.placements, *writes))
    served.send(call, whole.octets, whole.placements)


# -- memory


def _offered(call: ReceivedCall) -> tuple[RdmaSegment, ...]:
    """What the client lets the tester write to."""
    if call.body is None:
        return ()
    return tuple(one for chunk in chunks_for_results(call.body) for one in chunk.target)


def _placed(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """Other octets than the results, less of them, or none, where they should be."""
    draft = served.draft(call)
    changed = [_other(one, move) for one in draft.placements]
    served.alters = bool(changed) or served.alters
    served.send(call, draft.octets, [one for one in changed if one.data])


def _other(placement: ReplyPlacement, move: Move) -> ReplyPlacement:
    data = placement.data
    ways = (
        b"",
        data[:-1],
        data[: len(data) // 2],
        data[_WORD:] + data[:_WORD],
        bytes(len(data)),
        b"\xff" * len(data),
    )
    return replace(placement, data=ways[move.place % len(ways)])


def _beyond(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """An RDMA Write over the end of what was offered, or before it, then the right Reply."""
    segments = _offered(call)
    if segments:
        one = segments[move.place % len(segments)]
        offset = (one.offset + one.length - 1, one.offset + one.length, one.offset - 1)
        length = 1 + move.value % 64
        start = offset[move.value % len(offset)] % 2**64
        served.costs = True
        aim = RdmaSegment(one.handle, length, start)
        served.line(call).write(aim, bytes(length), _OPERATION_S)
    served.right(call)


def _after(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The right Reply, and an RDMA operation in the call's memory once the act is over."""
    served.right(call)
    segments = (*_offered(call), *(read.target for read in call.reads))
    if segments:
        served.probes.append((call, segments[move.place % len(segments)]))


def _invalidate(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The right Reply by Send With Invalidate: of memory of the call, of another, of nothing."""
    own = [one.handle for one in (*_offered(call), *(read.target for read in call.reads))]
    others = [
        one.handle for other in served.service.received if other is not call
        for one in _offered(other)
    ]  # fmt: skip
    handles = (*own, *others, move.value % 2**32)
    draft = served.draft(call)
    served.costs = True
    served.send(call, draft.octets, draft.placements, handles[move.place % len(handles)])


# -- order, direction, connection


def _hold(served: ServedTurn, call: ReceivedCall, _move: Move) -> None:
    served.held.append(call)


def _silence(served: ServedTurn, call: ReceivedCall, _move: Move) -> None:
    """No Reply, until the client itself gives up waiting, and the call or the connection."""
    served.costs = True
    served.silent.append(call)


def _drop(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """The connection ends, when nothing was sent, or when the results are there."""
    if move.value % 2:
        served.line(call).place(served.draft(call).placements)
    served.costs = True
    served.service.drop(served.line(call))


def _backward(served: ServedTurn, call: ReceivedCall, move: Move) -> None:
    """A backward Call, good or spoiled, while the client waits."""
    xid = call.xid if move.place % 5 == 4 else far_from(call.xid) + len(served.back)
    octets = backward_call(xid % 2**32, move.place, move.value)
    served.back.add(xid % 2**32)
    served.service.send(octets, served.line(call))


MOVES: Final[Mapping[str, Callable[[ServedTurn, ReceivedCall, Move], None]]] = {
    "reply": _reply,
    **{kind: _breach for kind in replies.KINDS if kind not in _NO_BREACH},
    "credits": _credits,
    "shape": _shape,
    "again": _again,
    "useless": _useless,
    "other-xid": _other_xid,
    "flip": _flip,
    "word": _word,
    "oversize": _oversize,
    "unreduced": _unreduced,
    "long": _long,
    "placed": _placed,
    "beyond": _beyond,
    "after": _after,
    "invalidate": _invalidate,
    "hold": _hold,
    "silence": _silence,
    "drop": _drop,
    "backward": _backward,
}
"""What can be done about a call."""
