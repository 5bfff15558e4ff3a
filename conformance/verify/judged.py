"""The verification of a Call whose answer only the oracle knows, since it was drawn from a model.

    verify.judged(peer, call, breaks=...)    what the oracle allows, and if it is served, in full

What may come is asked of `conformance.oracle.responder.expected`.  Whatever a successful Reply
brings is compared octet by octet, each result stands in the Write chunk that is due to it, lengths
tell what was written, and no memory is touched beyond what was offered.

    rfc8166 section 4.3.2  Write List
    rfc8166 section 4.3.3  Reply Chunk
    rfc8166 section 4.5    Error Handling
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.catalogue.inheritance import statements
from conformance.oracle.marks import marks_of_judgement
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk
from conformance.oracle.responder.expectation import ANY_STATUS
from conformance.oracle.responder.expected import expected
from conformance.tester.case import Deviation
from conformance.verify import accepted, answers, blame, chunks
from reports.record import Verdict
from rpcrdma.ulp.rpc import RpcOutcome as RpcOutcome
from rpcrdma.wire import v2
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.responder.expectation import Expectation
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from conformance.verify.answers import Reply
    from conformance.verify.blame import Ids
    from rpcrdma.wire import RdmaSegment

__all__ = ["judged"]

PUSHED: Final = "rfc8166.4.3.2.results-pushed-into-write-chunks"
FILLED: Final = "rfc8166.3.4.6.write-chunk-filled-in-order"
REPLY_LENGTHS: Final = "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written"
WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"


def judged(
    peer: Peer,
    call: Call,
    *,
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
) -> Outcome:
    """What comes is what the oracle allows, and whatever is served is served right.

    Args:
        peer: where the call was sent.
        call: any.
        tolerated: outcomes that bring a warning, whatever the oracle says.
        breaks: what is broken if it is served wrongly, or not at all though nothing is wrong.

    Raises:
        Unsupported: it was refused, and has more than the profile claims (rfc8166 6.1).
    """
    wanted = expected(call.octets, peer.state)
    accepted.note_expected(peer, call, wanted, blame.ids_of(breaks), tolerated)
    outcome = peer.receive()
    peer.case.expected = tuple(str(item) for item in wanted.allowed)
    peer.case.actual = str(outcome)
    chunks.untouched(call)
    if isinstance(outcome, tolerated) and not wanted.fault:
        peer.case.let_pass(f"{call}: {outcome} is tolerated.", blame.ids_of(breaks))
        return outcome
    if not isinstance(outcome, Answered):
        _judge(peer, call, wanted, outcome, None, breaks)
        if isinstance(outcome, ErrChunk):
            _require_claimed(peer, call, wanted)
        return outcome
    chunks.returned(call, outcome)
    reply = answers.reply_of(call, outcome, breaks=breaks)
    refusal = peer.workload.refusal(reply.payload) if reply.rpc.succeeded else ""
    if refusal and wanted.fault:
        warning = f"{call.request.title} was refused by {refusal}, not by GARBAGE_ARGS."
        peer.case.let_pass(warning, blame.ids_of(breaks))
        return outcome
    _judge(peer, call, wanted, outcome, reply.payload, breaks)
    _look(peer, call, wanted, reply, breaks)
    return outcome


def _judge(
    peer: Peer,
    call: Call,
    wanted: Expectation,
    outcome: Outcome,
    payload: bytes | None,
    breaks: Ids,
) -> None:
    """Compare what came with what may."""
    judgement = wanted.judge(outcome, payload)
    ids = judgement.violated if wanted.fault or not breaks else blame.ids_of(breaks)
    if judgement.verdict is Verdict.WARN:
        peer.case.let_pass(f"{call}: {judgement.reason}.", judgement.violated)
    elif judgement.verdict is Verdict.FAIL:
        raise Deviation(
            f"{call.title} was answered wrongly: {judgement.reason}.",
            expected=tuple(str(item) for item in wanted.allowed),
            actual=str(outcome),
            breaks=blame.blamed(outcome, call.version, ids),
            marks=marks_of_judgement(outcome, judgement),
        )


def _look(peer: Peer, call: Call, wanted: Expectation, reply: Reply, breaks: Ids) -> None:
    """Look into a Reply: its results, their places, and whether it may be an error at all."""
    answer, request = reply.answer, call.request
    limit = peer.state.two_threshold if call.version == v2.VERSION else peer.state.reply_threshold
    answers.that(
        answer.length <= limit,
        f"a Reply by Send has at most {limit} octets",
        actual=f"a Reply by Send of {answer.length} octets",
        breaks=statements((WITHIN,), call.version),
    )
    if reply.rpc.succeeded and not request.fails(reply.payload):
        answers.right(peer, call, answer, breaks=breaks)
        _see_places(call, reply)
        return
    # Only what excuses a refusal excuses an error of the RPC, or of the program.
    excused = wanted.fault or chunks.beyond(peer, call) or _may_fail(wanted)
    problem = "" if excused else request.check(call.unreduced, reply.payload)
    answers.that(
        not problem,
        f"{request.title} is served",
        actual=f"{answer}: {problem}",
        breaks=breaks,
    )
    if reply.rpc.outcome is RpcOutcome.GARBAGE_ARGS:
        _require_claimed(peer, call, wanted)


def _may_fail(wanted: Expectation) -> bool:
    """Whether it may happen that a Call is not executed: ERR_CHUNK alone says it at once (D-34)."""
    return any(
        item.kind.outcome is Disconnected
        or (item.kind.outcome is Answered and item.kind.statuses != ANY_STATUS)
        for item in wanted.allowed
    )


def _require_claimed(peer: Peer, call: Call, wanted: Expectation) -> None:
    beyond = chunks.beyond(peer, call)
    if beyond and not wanted.fault:
        raise Unsupported(f"the device refuses {beyond}")


def _see_places(call: Call, reply: Reply) -> None:
    """Each result fills the Write chunk that is due to it, and the stream the Reply chunk."""
    body, layer = reply.answer.body, call.request.layer
    found = layer.results(call.unreduced, reply.payload)
    lengths = [item.length for item in found if item is not None]
    due = [
        _filled(chunk.told, lengths[index] if index < len(lengths) else 0)
        for index, chunk in enumerate(call.write_chunks)
    ]
    told = [tuple(segment.length for segment in chunk.target) for chunk in body.rdma_writes]
    ids = statements((PUSHED, FILLED), call.version)
    answers.equal(told, due, "the lengths of the Write chunks", breaks=ids)
    if reply.answer.is_long and body.rdma_reply is not None and call.reply_chunk is not None:
        lengths_told = tuple(segment.length for segment in body.rdma_reply.target)
        due_there = _filled(call.reply_chunk.told, sum(lengths_told))
        ids = statements((REPLY_LENGTHS,), call.version)
        answers.equal(lengths_told, due_there, "the lengths of the Reply chunk", breaks=ids)


def _filled(segments: Sequence[RdmaSegment], length: int) -> tuple[int, ...]:
    """Octets in each segment when so many fill them in order (rfc8166 3.4.6)."""
    lengths = []
    for segment in segments:
        lengths.append(min(segment.length, length))
        length -= lengths[-1]
    return tuple(lengths)
