"""Checks for scenarios about the versions that a Requester speaks; a scenario ends with one.

    offer = verify_versions.offer(service)          its first message, which must offer Version Two
    verify_versions.sent_back(service, offer, 1, 1)
    verify_versions.spoken(calls, {1})

    v2 section 5  Protocol Version Negotiation

Single messages are judged by `conformance.oracle.requester.calls`, as ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.tester.case import Deviation, Inconclusive
from rpcrdma.wire import ErrVers
from rpcrdma.wire.versions import FIXED_WORDS, fixed_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from conformance.tester.server import ReceivedCall, Service
    from targets.base import ActResult, RunningAct

__all__ = ["MOST_OFFERS", "ends_under_refusals", "offer", "sent_back", "spoken", "version_of"]

MOST_OFFERS: Final = 2
"""Attempts with Version Two in a row that a Requester may make (D-137)."""

PATIENCE: Final = 10
"""Refusals after which nobody waits any longer for a Requester to stop."""


def version_of(call: ReceivedCall) -> int:
    """rdma_vers as it stands in the message; 0 if it is too short to have one."""
    return fixed_words(call.octets).version if len(call.octets) >= FIXED_WORDS else 0


def offer(service: Service) -> ReceivedCall:
    """The first call on a connection, which is in Version Two; nothing came before it.

    Raises:
        Inconclusive: none comes.
        Deviation: it is in another version, or is not the first message.
    """
    call = service.next_call(timeout=service.profile.connect_deadline + service.profile.deadline)
    before = [one for one in service.options.messages if one.line is service.line_of(call)]
    if before:
        raise Deviation(
            "A call goes beside an optional message that has not been answered.",
            expected=("one message",),
            actual=str(before[0]),
            breaks=("v2.5.one-message-until-the-first-answer",),
        )
    # What the client has heard of the server on earlier connections, the oracle does not know.
    if version_of(call) != VERSION_TWO:
        raise _of_another(call, {VERSION_TWO}, ("v2.5.first-message-has-version-two",))
    return call


def sent_back(service: Service, call: ReceivedCall, low: int, high: int) -> None:
    """Answer an offer of Version Two as one does who speaks other versions only."""
    service.error(call, ErrVers(low, high))


def spoken(
    calls: Iterable[ReceivedCall], versions: Collection[int], breaks: tuple[str, ...] = ()
) -> None:
    """Every call has one of these versions.

    The oracle, which has not seen what the client was told on earlier connections, allows more at
    the beginning of one: nothing is noted for the comparison with it.

    Raises:
        Deviation: one has not.
    """
    for call in calls:
        if version_of(call) not in versions:
            raise _of_another(call, versions, breaks)


def _of_another(
    call: ReceivedCall, versions: Collection[int], breaks: tuple[str, ...]
) -> Deviation:
    return Deviation(
        f"A call has version {version_of(call)}.",
        expected=tuple(f"version {version}" for version in sorted(versions)),
        actual=str(call),
        breaks=breaks,
    )


def ends_under_refusals(
    service: Service, act: RunningAct, low: int, high: int, breaks: tuple[str, ...] = ()
) -> ActResult:
    """Whatever comes in Version Two is sent back, all else is served: the act comes to an end.

    Returns:
        How it ended.

    Raises:
        Deviation: it does not end, or one version is tried again and again.
    """
    refused = 0
    while act.poll() is None and refused <= PATIENCE:
        try:
            call = service.next_call(
                lambda one: version_of(one) == VERSION_TWO, timeout=service.profile.grace
            )
        except Inconclusive:
            break  # it has gone on in another version, or given up
        refused += 1
        sent_back(service, call, low, high)
    service.serve_while(lambda: act.poll() is None)
    result = act.poll()
    if result is None or refused > MOST_OFFERS:
        raise Deviation(
            f"The range {low}..{high} is not the end of it.",
            expected=("another version, or the end of the act",),
            actual=f"{refused} further calls in Version Two, {result or 'and no end'}",
            breaks=breaks,
        )
    return result
