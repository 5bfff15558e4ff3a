"""Checks for scenarios about a Requester; a scenario ends with exactly one of them.

    verify_calls.done(client.do(ActKind.READ, 4096))
    verify_calls.in_flight(service, at_most=4)
    verify_calls.obey(service.received, "rfc8166.4.2.2.version-is-one")
    verify_calls.each(service.received, problem)

The rules for single messages are those of `conformance.oracle.requester.calls`, which judges every
message anyway: `obey` asks what it has said.  The others look at what a scenario brings about on
purpose, and alone knows.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from conformance.oracle.message_type import message_type
from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.reaction import expected_reaction
from conformance.tester.case import Deviation, Inconclusive, NoSuchCall
from conformance.tester.server.served import CallVerdict, ServedAct
from reports.record import Verdict
from rpcrdma.ulp.pattern import first_difference, pattern
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.tester.server import Line, ReceivedCall, Service
    from targets.base import ActResult, RunningAct

__all__ = [
    "done",
    "each",
    "ended",
    "failed",
    "in_flight",
    "not_again",
    "obey",
    "reaction",
    "reads",
    "some",
    "stands",
    "stores",
]

_UNIT: Final = 4
"""XDR pads to a multiple of so many octets."""


def done(result: ActResult, breaks: tuple[str, ...] = ()) -> None:
    """The act ended well.

    Args:
        result: of it.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it did not, though everything was answered.
    """
    _takes(result, done=True)
    if not result.done:
        raise Deviation(
            f"What the client was told to do {result}, though its calls were answered.",
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
    """The act ended in an error, unless another Call came after the one that was refused.

    Args:
        result: of it.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: the client says that all went well.
    """
    _takes(result, done=False)
    if isinstance(result, ServedAct) and result.went_on:
        _takes(result, done=True)
        return
    if result.done:
        raise Deviation(
            "The client takes for done what was refused.",
            expected=("the act fails",),
            actual=str(result),
            breaks=breaks,
        )


def _takes(result: ActResult, *, done: bool) -> None:
    """Note which end of an act is accepted, for the comparison with the oracle."""
    if isinstance(result, ServedAct):
        result.takes(done=done)


def reads(
    result: ActResult,
    length: int,
    breaks: tuple[str, ...] = (),
    *,
    padded: tuple[str, ...] = (),
) -> None:
    """A READ gave the application what the tester has.

    Args:
        result: of the act.
        length: octets that it was to read.
        breaks: the requirements that are broken otherwise.
        padded: those that are broken if it got them, and their padding after them; empty: the
            same.

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
        more = result.data[length:]
        if result.data[:length] == expected and 0 < len(more) < _UNIT:
            breaks = padded or breaks
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
    # bidir 1.3.4: a Reply that nobody asked for is none of them, and takes no forward credit.
    calls = [
        one for one in service.in_flight() if message_type(one.octets) is not MessageType.REPLY
    ]
    if len(calls) > at_most:
        reason = f"{len(calls)} calls are in flight {after}."
        calls[-1].verdicts.append(CallVerdict(reason, breaks))
        raise Deviation(
            reason,
            expected=(f"at most {at_most} calls in flight",),
            actual=f"{len(calls)}, the last of them {calls[-1]}",
            breaks=breaks,
        )


def some(calls: Iterable[ReceivedCall], what: str) -> tuple[ReceivedCall, ...]:
    """The calls, of which there must be one for the case to say anything.

    Raises:
        NoSuchCall: there is none.
    """
    found = tuple(calls)
    if not found:
        raise NoSuchCall(f"the client made no call {what}")
    return found


def obey(calls: Iterable[ReceivedCall], *rules: str) -> None:
    """No call breaks one of these rules, by the oracle, which has judged each on its arrival.

    What is only worth a warning is noted by itself, in the cases that cite it.

    Args:
        calls: which.
        rules: ids of requirements that the oracle names; none: any that there is.

    Raises:
        Deviation: one does.
    """
    for call in calls:
        for rule in call.broken:
            if not rule.warns and (not rules or not set(rules).isdisjoint(rule.ids)):
                raise Deviation(
                    f"{rule.detail}.",
                    expected=("good calls",),
                    actual=str(call),
                    breaks=rule.ids,
                )


def each(
    calls: Iterable[ReceivedCall],
    problem: Callable[[ReceivedCall], str],
    breaks: tuple[str, ...] = (),
) -> None:
    """Every call is as it should be, in what the case alone can know.

    Args:
        calls: which.
        problem: what is wrong with one, in words; empty if nothing is.
        breaks: the requirements that are broken then.

    Raises:
        Deviation: something is.
    """
    for call in calls:
        why = problem(call)
        call.verdicts.append(CallVerdict(why, breaks))
        if why:
            raise Deviation(f"{why}.", actual=str(call), breaks=breaks)


def stores(
    service: Service,
    calls: Iterable[ReceivedCall],
    length: int,
    breaks: tuple[str, ...] = (),
) -> None:
    """Each call stores what the application was told to store: the pattern.

    Args:
        service: where the calls came.
        calls: with Read chunks; what is stored by one that cannot be decoded is not looked at.
        length: octets that the application was told to store.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: one stores something else.
    """
    each(calls, lambda call: _stored_otherwise(service, call, length), breaks)


def _stored_otherwise(service: Service, call: ReceivedCall, length: int) -> str:
    whole = call.unreduced
    if whole is None:
        return f"The arguments of a call cannot be had: {call.problem}"
    items = service.arguments(call)
    stored = b"".join(whole[one.position : one.position + one.length] for one in items)
    if items and len(stored) != length:
        return f"{len(stored)} octets are stored instead of {length}"
    wrong = first_difference(stored)
    return "" if wrong is None else f"What is stored is wrong from octet {wrong} on"


def stands(line: Line, after: str, breaks: tuple[str, ...] = ()) -> None:
    """A connection has not been lost, neither by what was sent on it nor by the client.

    Args:
        line: which.
        after: what was sent on it, in words.
        breaks: the requirements that are broken otherwise.

    Raises:
        Deviation: it has been lost.
        Inconclusive: the client ended it later, when nothing happened any more (D-155).
    """
    if line.fell_asleep:
        raise Inconclusive(f"the client ends idle connections, so nothing is seen of {after}")
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
            reason = "The client sends again a call that an RDMA_ERROR has ended."
            call.verdicts.append(CallVerdict(reason, breaks))
            raise Deviation(
                reason,
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

    before = len(service.served)
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
    for served in service.served[before:]:
        served.accepted.update(served.allowed)  # which is what has just been asked
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
    """Whether a call after this one fetches data by Write chunks."""
    later = service.received[call.order + 1 :]
    return any(chunk.target for one in later for chunk in one.writes)
