"""Waiting for what an end has to say of itself, which may come late.

xcharext section 4.1  CONNPROP is generally the first message, and no more than that
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.verify import calls
from rpcrdma.wire.operations import ConnProp

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

__all__ = ["OCCASIONS", "given_occasion", "let_announce"]

OCCASIONS: Final = 3
"""Good acts, or RPCs, in which an end may say what it has not said before."""


def given_occasion(
    is_here: Callable[[], bool],
    occasion: Callable[[], object],
    wait: Callable[[], object],
    occasions: int = OCCASIONS,
) -> bool:
    """Wait for what is due; returns whether it is here.

    Args:
        is_here: whether it has come.
        occasion: an exchange in which an end may say it that waits for messages.
        wait: what is done at last, for an end that only takes its time.
        occasions: how often there is one.
    """
    for _ in range(occasions):
        if is_here():
            return True
        occasion()
    wait()
    return is_here()


def let_announce(service: Service, client: ActingClient) -> None:
    """Give a client that claims to announce its properties the time to do so on this connection.

    Raises:
        Deviation: it does not what it is told to meanwhile.
    """
    line = service.line

    def announced() -> bool:
        said = (one.option for one in service.options.messages if one.line is line)
        return any(isinstance(option, ConnProp) for option in said)

    if "connprop" in service.profile.claims.operations:
        given_occasion(
            announced,
            lambda: calls.done(client.serve_good_act()),
            lambda: service.serve_while(lambda: line.connected and not announced()),
        )
