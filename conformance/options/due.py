"""What a device has to say by an operation, and may say late.

The documents set no time for it: xcharext 3.1 has an end wait for Receives that only messages use
up, 4.1 has CONNPROP generally first and no more.  So it is waited for as long as the profile's
`deadline` says, and good RPCs give a device occasion that waits for messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.case import Inconclusive
from conformance.verify.announced import OCCASIONS, given_occasion
from rpcrdma.wire.operations import XCHAREXT, ConnProp, operations_of
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.options.tester import Heard, OptionTester
    from rpcrdma.wire.optional import Option

__all__ = ["begun", "due", "first_begun", "let_announce"]

BEGINNINGS: Final = tuple(
    one.contents for one in operations_of(XCHAREXT) if one.direction is MessageType.CALL
)
"""What a device begins."""


def due(
    tester: OptionTester,
    is_here: Callable[[], bool],
    breaks: tuple[str, ...] = (),
    occasions: int = OCCASIONS,
) -> bool:
    """Wait for something that the device has to say; returns whether it is here.

    Args:
        tester: who waits.
        is_here: whether it is among what the tester has heard.
        breaks: what the loss of an RPC meanwhile breaks.
        occasions: how many RPCs are made for it.
    """
    return given_occasion(
        is_here, lambda: tester.call(breaks), lambda: tester.quiet(is_here), occasions
    )


def begun(tester: OptionTester, kind: type[Option], since: int = 0) -> Heard | None:
    """The first operation of a kind that the device has begun; None if there is none so far."""
    return next((one for one in tester.heard[since:] if isinstance(one.option, kind)), None)


def let_announce(tester: OptionTester) -> None:
    """Wait for what a device has to say of itself, which may be under way when it is told less."""
    if "connprop" in tester.profile.claims.operations:
        due(tester, lambda: begun(tester, ConnProp) is not None)


def first_begun(tester: OptionTester, kind: type[Option], since: int = 0) -> Heard:
    """What the device begins by an operation, which may come under a code that nobody knows.

    What it begins by the other operations meanwhile is something else: a CONNPROP may come late.

    Raises:
        Inconclusive: nothing comes.
    """
    others = tuple(one for one in BEGINNINGS if one is not kind)

    def found() -> Heard | None:
        said = (one for one in tester.heard[since:] if one.error is None)
        return next((one for one in said if not isinstance(one.option, others)), None)

    due(tester, lambda: found() is not None)
    one = found()
    if one is None:
        raise Inconclusive("the device has begun nothing")
    return one
