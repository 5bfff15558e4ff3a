"""Waiting for what a client has to say of itself, which may come late.

xcharext section 4.1  CONNPROP is generally the first message, and no more than that
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.verify import calls
from rpcrdma.wire.operations import ConnProp

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.harness import ActingClient

__all__ = ["OCCASIONS", "let_announce"]

OCCASIONS: Final = 3
"""Good acts, or RPCs, in which an end may say what it has not said before."""


def let_announce(service: Service, client: ActingClient) -> None:
    """Give a client that claims to announce its properties the time to do so on this connection.

    Raises:
        Deviation: it does not what it is told to meanwhile.
    """
    line = service.line

    def announced() -> bool:
        said = (one.option for one in service.options.messages if one.line is line)
        return any(isinstance(option, ConnProp) for option in said)

    if "connprop" not in service.profile.claims.operations:
        return
    for _ in range(OCCASIONS):
        if announced():
            return
        calls.done(client.serve_good_act())
    service.serve_while(lambda: line.connected and not announced())
