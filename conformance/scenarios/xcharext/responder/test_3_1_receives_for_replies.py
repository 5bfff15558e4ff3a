"""xcharext section 3.1, Receive Buffer Size: what a server posts for backward Replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement
from conformance.options.changes import AT_ONCE, raised, rounds
from conformance.options.client import OptionClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

THERE: Final = "xcharext.3.1.receives-as-large-as-announced"
AFTER_OLD: Final = "xcharext.3.1.raise-told-after-the-old-receives"
HOLDS: Final = "xcharext.4.4.update-tells-what-has-changed"

LONG: Final = 16384
"""Octets of the Receives that the server is asked for."""

CALLS: Final = 4


@requirement(THERE, HOLDS, AFTER_OLD, needs=("operations", "backward"), interpretations=("D-145",))
def test_server_posts_receives_as_large_for_replies(connect_two: Callable[..., Peer]) -> None:
    """After a raise it makes Calls, and posts Receives for the Replies: no message is too long."""
    tester = OptionClient.of(connect_two)
    client = BackwardClient.of(tester.peer)
    client.announce()
    size = raised(tester, LONG, (AFTER_OLD,))

    client.provoke(CALLS)
    for _ in range(CALLS):
        client.answer(client.next_call(breaks=(THERE, HOLDS)))

    for _ in rounds(tester):
        tester.deliver(size, AT_ONCE, breaks=(THERE, HOLDS))
