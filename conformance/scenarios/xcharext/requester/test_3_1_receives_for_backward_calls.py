"""xcharext section 3.1, Receive Buffer Size: the Receives of a client that is called back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.options.changes import AT_ONCE, raised, rounds
from conformance.options.server import OptionServer

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

THERE: Final = "xcharext.3.1.receives-as-large-as-announced"
AFTER_OLD: Final = "xcharext.3.1.raise-told-after-the-old-receives"
HOLDS: Final = "xcharext.4.4.update-tells-what-has-changed"

LONG: Final = 16384
"""Octets of the Receives that the client is asked for."""

CALLS: Final = 4


@requirement(
    THERE,
    HOLDS,
    AFTER_OLD,
    role="requester",
    needs=("operations", "backward"),
    interpretations=("D-145",),
)
def test_client_posts_receives_as_large_for_backward_calls(
    service_two: Service, client: ActingClient
) -> None:
    """After a raise it is called back: long Replies find no Receive that is shorter."""
    tester = OptionServer.of(service_two, client)
    size = raised(tester, LONG, (AFTER_OLD,))
    server = BackwardServer.of(service_two)

    for _ in range(CALLS):
        server.answered(server.call(server.calls.null), breaks=(THERE, HOLDS))

    for _ in rounds(tester):
        tester.deliver(size, AT_ONCE, breaks=(THERE, HOLDS))
