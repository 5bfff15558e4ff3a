"""RFC 8166 section 2.2.2, Requesters and Responders: XIDs belong to a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.tester.client import build, mutate
from conformance.verify.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

MATCHED: Final = "rfc8166.2.2.2.reply-xid-is-the-calls"
TOKEN: Final = 79


@requirement(MATCHED)
@pytest.mark.parametrize("held", [False, True], ids=["at-once", "held"])
def test_responder_serves_one_xid_on_two_connections(
    connect: Callable[..., Peer], held: bool
) -> None:
    """Different Calls have the same XID on two connections: each gets the Reply that is its own."""
    first = Traffic.on(connect, breaks=MATCHED)
    second = Traffic.on(connect, breaks=MATCHED)
    one, other = first.peer, second.peer
    xid = one.next_xid()

    if held:
        first.hold(mutate.under(build.call(one, one.workload.hold(TOKEN)), xid))
        second.send(mutate.under(build.small_call(other), xid))
        second.settle()
        first.release(build.call(one, one.workload.release(TOKEN)))
    else:
        first.send(mutate.under(build.null_call(one), xid))
        second.send(mutate.under(build.small_call(other), xid))
        second.settle()
        first.settle()

    first.use_all_credits()
    second.use_all_credits()
