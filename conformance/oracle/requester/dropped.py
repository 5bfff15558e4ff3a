"""What a Requester drops, and what else may become of the Call that it is about.

rfc8166 section 4.5  Error Handling
rfc8166 section 6.1  DDP-Eligibility (violations by a Responder end the RPC)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.requester.expectation import Reaction, ReactionExpectation, may_react

if TYPE_CHECKING:
    from conformance.oracle.requester.state import OutstandingCall

__all__ = ["BAD_HEADER", "RETIRED", "bad_header", "dropped_short", "dropped_unknown"]

BAD_HEADER: Final = "rfc8166.4.5.bad-reply-header-discarded"

RETIRED: Final = ("rfc8166.2.2.2.reply-retires-the-xid", "rfc8166.3.3.1.replies-in-any-order")


def dropped_short(reply: bytes, version: int) -> ReactionExpectation:
    """A message that is too short to be looked into (D-10)."""
    rule = ("rfc8166.4.5.short-message-discarded",)
    fault = f"{len(reply)} octets only"
    return ReactionExpectation(fault, (may_react(Reaction.WAITING, rule, version, ("D-10",)),))


def dropped_unknown(fault: str, version: int) -> ReactionExpectation:
    """A Reply to no Call."""
    return ReactionExpectation(fault, (may_react(Reaction.WAITING, RETIRED, version),))


def bad_header(
    fault: str,
    call: OutstandingCall | None,
    version: int,
    readings: tuple[str, ...] = ("D-28",),
    rules: tuple[str, ...] = (),
    *,
    tells_itself: bool = True,
) -> ReactionExpectation:
    """A fault that shows in the header: dropped, or fatal to the RPC (D-28).

    Args:
        fault: what is wrong.
        call: that the Reply is about; None if it is about none.
        version: by whose ids it is judged.
        readings: on which that rests.
        rules: that the header breaks, besides.
        tells_itself: whether the header is wrong by itself, and not for what its Call has offered.
    """
    requirements = (BAD_HEADER, *rules)
    waiting = may_react(Reaction.WAITING, requirements, version, readings)
    if call is None:
        return ReactionExpectation(fault, (waiting,))
    # rfc8166 4.5 drops it, and then the Call would wait for ever: to fail it does no harm (D-28),
    # and is what 6.1 asks for where the header does not fit the Call.  To hang up costs other Calls
    # as well.
    failed = may_react(Reaction.FAILED, requirements, version, readings, warning=tells_itself)
    closed = may_react(Reaction.CLOSED, requirements, version, readings, warning=True)
    return ReactionExpectation(fault, (waiting, failed, closed), call.xid)
