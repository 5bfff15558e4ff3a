"""Checks for scenarios about a Requester; a scenario ends with exactly one of them.

    verify_calls.done(client.do(ActKind.READ, 4096))
    verify_calls.in_flight(service, at_most=4)
    verify_calls.each(service.received, problem)

The rules for single messages are those of `conformance.oracle.requester.calls`, which judges every
message anyway; here is what a scenario brings about on purpose.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import TYPE_CHECKING

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.reaction import expected_reaction
from conformance.tester.case import Deviation, Inconclusive
from reports.record import Verdict
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.ulp.pattern import first_difference, pattern
from rpcrdma.wire import group_by_position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.tester.server import Line, ReceivedCall, Service
    from rpcrdma.wire import RdmaSegment
    from targets.base import ActResult, RunningAct

__all__ = [
    "done",
    "each",
    "ended",
    "failed",
    "in_flight",
    "ineligible",
    "not_again",
    "reaction",
    "reads",
    "some",
    "stands",
    "unreachable",
]


def done(result: ActResult, breaks: tuple[str, ...] = ()) -> None:
    """The act ended well.

    Args:
        result: of it.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it did not, though everything was answered.
    """
    if not result.done:
        raise Deviation(
            "What the client was told to do failed, though its calls were answered.",
            expected=("the act is done",),
            actual=str(result),
            breaks=breaks,
        )


def ended(service: Service, act: RunningAct, breaks: tuple[str, ...]) -> ActResult:
    """An act ends, well or badly, while everything is answered; returns how.

    Args:
        service: where its calls come.
        act: which.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it does not end.
    """
    try:
        return service.serve_until(act)
    except Deviation as found:
        raise Deviation(
            found.reason, expected=found.expected, actual=found.actual, breaks=breaks
        ) from found


def failed(result: ActResult, breaks: tuple[str, ...] = ()) -> None:
    """The act ended in an error.

    Args:
        result: of it.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: the client says that all went well.
    """
    if result.done:
        raise Deviation(
            "The client takes for done what was refused.",
            expected=("the act fails",),
            actual=str(result),
            breaks=breaks,
        )


def reads(result: ActResult, length: int, breaks: tuple[str, ...] = ()) -> None:
    """A READ gave the application what the tester has.

    Args:
        result: of the act.
        length: octets that it was to read.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: other octets, or another number of them.
        Inconclusive: the adapter cannot tell.
    """
    if not result.digest:
        raise Inconclusive("the adapter cannot tell what the client has read")
    expected = pattern(length)
    if result.digest == hashlib.sha256(expected).hexdigest():
        return
    where = "other octets"
    if result.data is not None:
        first = first_difference(result.data)
        where = f"{len(result.data)} octets" + ("" if first is None else f", wrong from {first} on")
    raise Deviation(
        "The client's application got other octets than were placed in its memory.",
        expected=(f"the first {length} octets of the pattern",),
        actual=where,
        breaks=breaks,
    )


def in_flight(service: Service, *, at_most: int, after: str, breaks: tuple[str, ...] = ()) -> None:
    """No more calls are unanswered on the newest connection than may be.

    Args:
        service: where the calls are.
        at_most: how many may be in flight.
        after: what has been granted, in words.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: there are more.
    """
    calls = service.in_flight()
    if len(calls) > at_most:
        raise Deviation(
            f"{len(calls)} calls are in flight {after}.",
            expected=(f"at most {at_most} calls in flight",),
            actual=f"{len(calls)}, the last of them {calls[-1]}",
            breaks=breaks,
        )


def some(calls: Iterable[ReceivedCall], what: str) -> tuple[ReceivedCall, ...]:
    """The calls, of which there must be one for the case to say anything.

    Raises:
        Inconclusive: there is none.
    """
    found = tuple(calls)
    if not found:
        raise Inconclusive(f"the client made no call {what}")
    return found


def ineligible(service: Service, call: ReceivedCall) -> str:
    """What `each` asks: whether a Read chunk, but that of a Long Call, holds what may not be."""
    allowed = {item.position for item in service.arguments(call)} | {0}
    found = [one.position for one in group_by_position(call.reads) if one.position not in allowed]
    return f"The Read chunk at Position {found[0]} holds no eligible argument" if found else ""


def each(
    calls: Iterable[ReceivedCall],
    problem: Callable[[ReceivedCall], str],
    breaks: tuple[str, ...] = (),
) -> None:
    """Every call is as it should be.

    Args:
        calls: which.
        problem: what is wrong with one, in words; empty if nothing is.
        breaks: the requirements that are broken then.

    Raises:
        Deviation: something is.
    """
    for call in calls:
        if why := problem(call):
            raise Deviation(f"{why}.", actual=str(call), breaks=breaks)


def stands(line: Line, after: str, breaks: tuple[str, ...] = ()) -> None:
    """A connection has not been lost, neither by what was sent on it nor by the client.

    Args:
        line: which.
        after: what was sent on it, in words.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it has been lost.
    """
    if line.lost or not line.connected:
        raise Deviation(
            f"The connection is lost after {after}.",
            expected=("a connection that stands",),
            actual=line.lost or "the client has ended it",
            breaks=breaks,
        )


def not_again(service: Service, refused: ReceivedCall, breaks: tuple[str, ...] = ()) -> None:
    """A call that was refused is not made again, on whichever connection.

    Args:
        service: where the calls come.
        refused: the call.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it is.
    """
    service.waiting()
    for call in service.received[refused.order + 1 :]:
        if call.unreduced is not None and call.unreduced == refused.unreduced:
            raise Deviation(
                "The client sends again a call that an RDMA_ERROR has ended.",
                expected=("no further message with that call",),
                actual=str(call),
                breaks=breaks,
            )


def reaction(
    service: Service,
    call: ReceivedCall,
    act: RunningAct,
    message: bytes,
    *,
    may_ask_again: bool = False,
    reading: int = 0,
) -> None:
    """Send octets where a reply is due: the client does with its call what the documents allow.

    A call that stays open is then answered as it should be, and the act must come to an end.

    Args:
        service: where the call came.
        call: unanswered; the last thing that the act waits for.
        act: that it belongs to.
        message: any octets.
        may_ask_again: whether an act that is done in the end counts as one whose call failed, if
            another call was made for data: of a reply that brings too little.
        reading: octets that the act reads: whatever became of the call, an act that is done in the
            end has given them to the application, as far as the adapter can tell.

    Raises:
        Deviation: the client did something else, or its application got other data.
    """
    line = service.line_of(call)
    expectation = expected_reaction(message, service.state_of(line))
    service.case.expected = tuple(str(item) for item in expectation.allowed)
    service.send(message, line)
    service.waiting()

    seen = _seen(service, line, call, act)
    if may_ask_again and seen is Reaction.COMPLETED and _fetched_again(service, call):
        seen = Reaction.FAILED
    judgement = expectation.judge(seen)
    service.case.actual = seen.value
    service.case.interpretations += judgement.interpretations
    if judgement.verdict is Verdict.FAIL:
        raise Deviation(
            f"{judgement.reason}.",
            expected=service.case.expected,
            actual=seen.value,
            breaks=judgement.violated,
        )
    if judgement.verdict is Verdict.WARN:
        service.case.let_pass(f"{judgement.reason}.", judgement.violated)
    result = service.serve_until(act)
    if reading and result.done and result.digest:
        reads(result, reading)


def _seen(service: Service, line: Line, call: ReceivedCall, act: RunningAct) -> Reaction:
    """What has become of a call; one that is over counts as answered from now on."""
    result = act.poll()
    if result is None and not line.connected:
        return Reaction.CLOSED
    if result is None and service.in_flight(line) == (call,):
        service.reply(call)
        # A slow machine may tell only now that the call had failed: then its reply is too late.
        return Reaction.WAITING if service.serve_until(act).done else Reaction.FAILED
    # An act of several calls goes on when this one is over; how it ends tells how this one did.
    call.answered = True
    result = service.serve_until(act) if result is None else result
    return Reaction.COMPLETED if result.done else Reaction.FAILED


def _fetched_again(service: Service, call: ReceivedCall) -> bool:
    """Whether a call behind this one fetches data by Write chunks."""
    later = service.received[call.order + 1 :]
    return any(chunk.target for one in later for chunk in one.writes)


def unreachable(
    service: Service,
    line: Line,
    segment: RdmaSegment,
    *,
    for_results: bool,
    breaks: tuple[str, ...] = (),
) -> None:
    """Memory that a call had offered is out of reach, now that the call is over.

    Whoever tries loses the connection: this is the last that a case does on it.

    Args:
        service: where the call came.
        line: on which.
        segment: that the call offered.
        for_results: whether it was offered for writing to, else for reading from.
        breaks: the requirements that are broken if it can still be reached.

    Raises:
        Deviation: it can still be read or written.
        Inconclusive: the connection was gone before.
    """
    if not line.connected:
        raise Inconclusive("the connection ended before the memory could be tried")
    deadline = service.profile.deadline
    write, read = partial(line.write, segment, b"\xee"), partial(line.read, segment)
    status = (write if for_results else read)(deadline)
    if status is CompletionStatus.SUCCESS:
        raise Deviation(
            f"Memory of a call that is over can still be {'written' if for_results else 'read'}.",
            expected=(CompletionStatus.REMOTE_ACCESS_ERROR.value,),
            actual=f"{status.value} at handle {segment.handle:#x}",
            breaks=breaks,
        )
