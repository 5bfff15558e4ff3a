"""Verifications of chunks: what a Reply says of them, and what really stands in memory.

Where `conformance.verify.answers` looks at answers, this looks at the tester's memory as well:

    verify_chunks.served(peer, call)            served, and every rule about lists and memory kept
    verify_chunks.taken(peer, call)             its first half: a Reply; `right` is the other
    verify_chunks.stored(peer, call, data)      the same, and the argument arrived whole
    verify_chunks.all_served(peer, calls)       several calls in flight, answered in any order
    verify_chunks.refused(peer, call)           not executed, and said so
    verify_chunks.returned(call, answer)        only the rules, for whatever kind of Reply

Whatever is verified, octets outside of the memory that a call offered must be as they were.

    rfc8166 section 3.4.6  Write Chunks
    rfc8166 section 4.3    Chunk Lists
    rfc8166 section 6.1    DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.catalogue.inheritance import statements
from conformance.oracle.header import decode_header
from conformance.oracle.marks import marks_by
from conformance.oracle.outcome import Answered, Disconnected, ErrChunk, Silent, answered_xid
from conformance.oracle.responder.reply_rules import broken_rules
from conformance.tester.case import Deviation
from conformance.tester.client import build
from conformance.verify import accepted, answers, blame
from rpcrdma.ulp import rpc
from rpcrdma.wire import WriteChunk
from rpcrdma.wire.words import in_words
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from conformance.oracle.outcome import Outcome
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from conformance.verify.answers import Reply
    from conformance.verify.blame import Ids

__all__ = [
    "all_served",
    "answered",
    "answered_or_lost",
    "arrived",
    "beyond",
    "fetched_back",
    "not_served",
    "refused",
    "returned",
    "right",
    "served",
    "served_or_refused",
    "served_unless_too_many",
    "stored",
    "stored_or_refused",
    "stored_unless_too_many",
    "taken",
    "untouched",
]

ROOM: Final = "rfc8166.8.1.4.no-more-data-than-room"
LENGTHS: Final = "rfc8166.3.4.6.segment-lengths-tell-what-was-written"
REPLY_LENGTHS: Final = "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written"
CLOSE: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"


def served(peer: Peer, call: Call, *, breaks: Ids = ()) -> Reply:
    """The call is served, and its Reply keeps every rule about chunks.

    Raises:
        Unsupported: it was refused, and has more than the profile claims (rfc8166 6.1).
    """
    return right(peer, call, taken(peer, call, breaks=breaks), breaks=breaks)


def taken(peer: Peer, call: Call, *, breaks: Ids = ()) -> Answered:
    """The call gets a Reply, which `right` is still to look into.

    Raises:
        Unsupported: it was refused, and has more than the profile claims (rfc8166 6.1).
    """
    if more := beyond(peer, call):
        _require_served(peer, call, more, breaks)
    return answers.awaited(peer, call, Answered, breaks=breaks, statuses=accepted.SERVED)


def right(peer: Peer, call: Call, answer: Answered, *, breaks: Ids = ()) -> Reply:
    """A Reply that has come holds the right results, and keeps every rule about chunks.

    Where lists that break a rule of their own spoil the results, that rule is blamed.
    """
    try:
        reply = answers.right(peer, call, answer, breaks=breaks)
    except Deviation as found:
        told = _told_wrongly(peer, call, answer)
        raise Deviation(
            found.reason,
            expected=found.expected,
            actual=found.actual,
            breaks=told or found.breaks,
        ) from found
    returned(call, answer)
    return reply


def stored(peer: Peer, call: Call, data: bytes, *, breaks: Ids = ()) -> Reply:
    """A `store` of `data` is served and its argument arrived whole.

    Where the reply itself does not show that, the data are fetched again.
    """
    return arrived(peer, call, taken(peer, call, breaks=breaks), data, breaks=breaks)


def arrived(peer: Peer, call: Call, answer: Answered, data: bytes, *, breaks: Ids = ()) -> Reply:
    """The argument of a `store` of `data` that has been answered arrived whole."""
    reply = right(peer, call, answer, breaks=breaks)
    fetched_back(peer, data, breaks)
    return reply


def all_served(peer: Peer, calls: Sequence[Call], *, breaks: Ids = ()) -> None:
    """Calls in flight are each answered once, in any order, with the results of their own."""
    ids = blame.ids_of(breaks)
    for call in calls:
        accepted.note(peer, call, (Answered,), statuses=accepted.SERVED, breaks=ids)
    waiting = {call.xid for call in calls}
    arrived: dict[int, Answered] = {}
    for _ in calls:
        outcome = peer.receive()
        if not isinstance(outcome, Answered) or outcome.xid not in waiting:
            raise _unanswered(peer, outcome, waiting, breaks)
        waiting.remove(outcome.xid)
        arrived[outcome.xid] = outcome
    for call in calls:
        peer.put_aside(arrived[call.xid])
        served(peer, call, breaks=breaks)


def answered_or_lost(peer: Peer, calls: Sequence[Call], *, breaks: Ids = ()) -> None:
    """Each call is answered once, or the connection is lost; nothing else comes."""
    for call in calls:
        accepted.note(peer, call, (Answered, Disconnected), breaks=blame.ids_of(breaks))
    waiting = {call.xid: call for call in calls}
    while waiting:
        outcome = peer.receive()
        if isinstance(outcome, Disconnected):
            return
        if not isinstance(outcome, Answered) or outcome.xid not in waiting:
            raise _unanswered(peer, outcome, waiting, breaks)
        answers.look(peer, waiting.pop(outcome.xid), outcome)


def refused(
    peer: Peer,
    call: Call,
    *or_else: type[Outcome],
    tolerated: tuple[type[Outcome], ...] = (),
    breaks: Ids = (),
) -> Outcome:
    """The call is not executed: ERR_CHUNK, or a Reply of status GARBAGE_ARGS (D-20, D-23).

    Outcomes of the kinds `or_else` are as good.  Another status of the RPC, or an error by which
    the program itself says that it could not decode its arguments, brings a warning.
    """
    outcome = answers.awaited(
        peer,
        call,
        ErrChunk,
        Answered,
        *or_else,
        tolerated=tolerated,
        breaks=breaks,
        statuses=accepted.REFUSED,
    )
    peer.case.expected = ("ERR_CHUNK", "a Reply of status GARBAGE_ARGS")
    if isinstance(outcome, Answered):
        reply = answers.reply_of(call, outcome, breaks=breaks)
        if problem := _own_refusal(peer, reply):
            warned = f"{call.request.title} was refused by {problem}, not by GARBAGE_ARGS."
            peer.case.let_pass(warned, blame.ids_of(breaks))
        elif reply.rpc.succeeded:
            raise Deviation(
                f"{call.request.title} was executed: {outcome}.",
                expected=peer.case.expected,
                actual=str(outcome),
                breaks=blame.ids_of(breaks),
            )
    untouched(call)
    return outcome


def answered(peer: Peer, call: Call, *, breaks: Ids = ()) -> Reply:
    """A Reply of any status comes, keeps every rule about chunks, and has the right results."""
    answer = answers.awaited(peer, call, Answered, breaks=breaks)
    returned(call, answer)
    answers.look(peer, call, answer)
    return answers.reply_of(call, answer, breaks=breaks)


def served_unless_too_many(peer: Peer, call: Call, *, breaks: Ids = ()) -> Reply | None:
    """The call is served, or refused if it has more chunks than the device claims to take.

    Returns:
        None if it was refused.
    """
    if beyond(peer, call):
        outcome = served_or_refused(peer, call, breaks=breaks)
        if not isinstance(outcome, Answered):
            return None
        reply = answers.reply_of(call, outcome, breaks=breaks)
        return reply if reply.rpc.succeeded else None
    return served(peer, call, breaks=breaks)


def stored_or_refused(peer: Peer, call: Call, data: bytes, *, breaks: Ids = ()) -> None:
    """The `store` of `data` is served, and they arrived whole, or it is refused."""
    outcome = served_or_refused(peer, call, breaks=breaks)
    if isinstance(outcome, Answered) and answers.reply_of(call, outcome).rpc.succeeded:
        fetched_back(peer, data, breaks)


def stored_unless_too_many(peer: Peer, call: Call, data: bytes, *, breaks: Ids = ()) -> None:
    """Like `stored`; with more chunks than the device claims to take, it may be refused."""
    if beyond(peer, call):
        stored_or_refused(peer, call, data, breaks=breaks)
    else:
        stored(peer, call, data, breaks=breaks)


def served_or_refused(
    peer: Peer, call: Call, *, tolerated: tuple[type[Outcome], ...] = (), breaks: Ids = ()
) -> Outcome:
    """The call is served in every detail, or refused by ERR_CHUNK or GARBAGE_ARGS.

    Outcomes that are `tolerated` bring a warning.
    """
    outcome = answers.awaited(
        peer,
        call,
        Answered,
        ErrChunk,
        tolerated=tolerated,
        breaks=breaks,
        statuses=accepted.SERVED_OR_REFUSED,
    )
    untouched(call)
    if isinstance(outcome, Answered):
        reply = answers.reply_of(call, outcome, breaks=breaks)
        if reply.rpc.outcome is not rpc.RpcOutcome.GARBAGE_ARGS and not _own_refusal(peer, reply):
            peer.put_aside(outcome)
            served(peer, call, breaks=breaks)
    return outcome


def not_served(peer: Peer, call: Call, *, breaks: Ids = ()) -> Outcome:
    """The Requester learns that no result will come, and no octet is written where none may be.

    ERR_CHUNK, the loss of the connection, or an error of the RPC or of the program (D-21).  A
    device that sends nothing and goes on has not closed where it can send no Reply (4.5.4).  A
    successful Reply whose results are cut is none of these: somebody would take them for whole.
    """
    close = statements((CLOSE,), call.version)
    outcome = answers.awaited(peer, call, ErrChunk, Disconnected, Answered, breaks=close)
    untouched(call)
    if isinstance(outcome, Answered):
        returned(call, outcome)
        reply = answers.reply_of(call, outcome, breaks=breaks)
        threshold = peer.device.reply_threshold
        answers.that(
            not reply.rpc.succeeded or call.request.fails(reply.payload),
            "a Reply for which there is no room does not come as if there were",
            actual=f"{outcome}, {outcome.length} octets; the profile's threshold is {threshold}",
            breaks=breaks,
        )
    return outcome


def beyond(peer: Peer, call: Call) -> str:
    """What of a call is more than the device claims to bear; empty if nothing is."""
    return peer.device.limits.exceeded(call.body)


def _require_served(peer: Peer, call: Call, more: str, breaks: Ids) -> None:
    """See that a call beyond the claims was not refused; its answer is put aside to be judged."""
    outcome = answers.awaited(peer, call, Answered, ErrChunk, breaks=breaks)
    if isinstance(outcome, Answered):
        status = answers.reply_of(call, outcome, breaks=breaks).rpc.outcome
        if status is not rpc.RpcOutcome.GARBAGE_ARGS:
            peer.put_aside(outcome)
            return
    raise Unsupported(f"the device refuses {more}")


def returned(call: Call, answer: Answered) -> None:
    """A Reply's lists are as they must be, and memory holds nothing that they do not tell of."""
    header = decode_header(call.octets).header
    for broken in broken_rules(header, answer.header, None):
        raise Deviation(
            f"{broken.detail[0].upper()}{broken.detail[1:]}.",
            expected=("lists that keep the rules of sections 3.4.6 and 4.3",),
            actual=f"{answer}: {in_words(answer.body)}",
            breaks=broken.ids,
            marks=marks_by(answer, (broken,)),
        )
    untouched(call)
    for name, chunk, back in call.used(answer):
        place = chunk.overwritten(back.target)
        answers.that(
            place is None,
            f"nothing is written to the {name} beyond the lengths returned",
            actual=f"{place} changed",
            breaks=statements((LENGTHS,), call.version),
        )


def _told_wrongly(peer: Peer, call: Call, answer: Answered) -> tuple[str, ...]:
    """What a Reply breaks whose lists do not tell rightly of the results that they lead to.

    That the lengths are wrong is known where the results are right by those that were written.
    """
    if blame.misread(answer):
        return ()  # they are no lists
    header = decode_header(call.octets).header
    # What is granted spoils no result.
    told = msgspec.structs.replace(answer.header, rdma_credit=1)
    broken = next((rule.ids for rule in broken_rules(header, told, None)), ())
    body = answer.body
    writes = tuple(
        WriteChunk(chunk.written())
        for chunk, _ in zip(call.write_chunks, body.rdma_writes, strict=False)
    )
    reply = body.rdma_reply
    if reply is not None and call.reply_chunk is not None:
        reply = WriteChunk(call.reply_chunk.written())
    by_memory = msgspec.structs.replace(body, rdma_writes=writes, rdma_reply=reply)
    try:
        answers.right(peer, call, replace(answer, body=by_memory))
    except Deviation:
        return broken
    rules = ((LENGTHS, writes != body.rdma_writes), (REPLY_LENGTHS, reply != body.rdma_reply))
    return (*broken, *statements(tuple(rule for rule, wrong in rules if wrong), call.version))


def untouched(call: Call) -> None:
    """No octet after the end of a segment that was offered has changed."""
    for chunk in call.result_chunks:
        place = chunk.overwritten(chunk.told)
        answers.that(
            place is None,
            "no octet outside of the memory offered is written",
            actual=f"{place} changed",
            breaks=statements((ROOM,), call.version),
        )


def fetched_back(peer: Peer, data: bytes, breaks: Ids = ()) -> None:
    """What the latest `store` brought is there, octet by octet, unless its reply shows it."""
    request = peer.workload.stored(data)
    if request is not None:
        fetch = build.with_write_chunks(peer, request)
        peer.send(fetch)
        answers.served(peer, fetch, breaks=breaks)


def _own_refusal(peer: Peer, reply: Reply) -> str:
    if reply.rpc.outcome is rpc.RpcOutcome.GARBAGE_ARGS:
        return ""
    if not reply.rpc.succeeded:
        return f"the RPC status {reply.rpc.outcome.value}"
    return peer.workload.refusal(reply.payload)


def _unanswered(peer: Peer, outcome: Outcome, waiting: Collection[int], breaks: Ids) -> Deviation:
    xids = ", ".join(f"{xid:#010x}" for xid in sorted(waiting)[:4])
    what = "no answer" if isinstance(outcome, Silent) else "something else"
    return Deviation(
        f"{len(waiting)} calls ({xids}...) await their Reply, and {what} came: {outcome}.",
        expected=("a Reply with the XID of one of the calls in flight",),
        actual=str(outcome),
        breaks=blame.blamed(outcome, peer.version, breaks),
        unanswered=answered_xid(outcome) is None,
    )
