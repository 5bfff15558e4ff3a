"""One verification a scenario about a Requester: what its calls are, how many, how its acts end.

    verify_calls.done(client.do(ActKind.READ, 4096))
    verify_calls.in_flight(service, at_most=4)
    verify_calls.each(service.received, problem)

The rules for single messages are those of `conformance.requester_oracle`, which judges every
message anyway; here is what a scenario brings about on purpose.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from conformance.case import Deviation, Inconclusive
from rpcrdma.ulp.pattern import first_difference, pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.service import ReceivedCall, Service
    from targets.base import ActResult

__all__ = ["done", "each", "failed", "in_flight", "not_again", "reads", "some"]


def done(result: ActResult) -> None:
    """The act ended well.

    Raises:
        Deviation: it did not, though everything was answered.
    """
    if not result.done:
        raise Deviation(
            "What the client was told to do failed, though its calls were answered.",
            expected=("the act is done",),
            actual=str(result),
        )


def failed(result: ActResult) -> None:
    """The act ended in an error.

    Raises:
        Deviation: the client says that all went well.
    """
    if result.done:
        raise Deviation(
            "The client takes for done what was refused.",
            expected=("the act fails",),
            actual=str(result),
        )


def reads(result: ActResult, length: int) -> None:
    """A READ gave the application what the tester has.

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
    )


def in_flight(service: Service, *, at_most: int, after: str) -> None:
    """No more calls are unanswered on the newest connection than may be.

    Args:
        service: where the calls are.
        at_most: how many may be in flight.
        after: what has been granted, in words.

    Raises:
        Deviation: there are more.
    """
    calls = service.in_flight()
    if len(calls) > at_most:
        raise Deviation(
            f"{len(calls)} calls are in flight {after}.",
            expected=(f"at most {at_most} calls in flight",),
            actual=f"{len(calls)}, the last of them {calls[-1]}",
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


def each(calls: Iterable[ReceivedCall], problem: Callable[[ReceivedCall], str]) -> None:
    """Every call is as it should be.

    Args:
        calls: which.
        problem: what is wrong with one, in words; empty if nothing is.

    Raises:
        Deviation: something is.
    """
    for call in calls:
        if why := problem(call):
            raise Deviation(f"{why}.", actual=str(call))


def not_again(service: Service, refused: ReceivedCall) -> None:
    """A call that was refused is not made again, on whichever connection.

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
            )
