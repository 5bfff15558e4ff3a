"""xcharext section 3.1, Receive Buffer Size: calls that the memory for their results makes long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.options.due import let_announce
from conformance.options.server import OptionServer
from conformance.tester.case import Inconclusive
from rpcrdma.wire.operations import ConnProp
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

OBEYED: Final = "xcharext.3.1.no-send-beyond-the-announced-size"
LONG_CALL: Final = "xcharext.3.1.long-call-beyond-the-size"

LENGTH: Final = 6000
"""Octets that are read: too many to come back inline."""


def short_with_results(call: ReceivedCall) -> bool:
    """Whether a call goes inline, and has memory for its results and for nothing else."""
    return bool(call.writes and call.writes[0].target) and not call.reads and call.group is None


@requirement(
    LONG_CALL,
    OBEYED,
    role="requester",
    needs=("connprop",),
    interpretations=("D-130", "D-142"),
)
@pytest.mark.parametrize("less", [0, 4, 8, 12, 16, 20, 24])
def test_requester_counts_the_chunks_for_results(
    service_two: Service, client: ActingClient, less: int
) -> None:
    """A size takes a READ but for some octets of its Write list: it goes as a Long Call.

    The header of that is no longer than what it moves out of the Send.
    """
    tester = OptionServer.of(service_two, client)
    let_announce(tester)
    act = client.begin(ActKind.READ, LENGTH)
    call = service_two.next_call(short_with_results)
    service_two.reply(call)
    verify.calls.done(service_two.serve_until(act))
    size = len(call.octets) - less
    if len(call.payload) < less + 24:
        raise Inconclusive(f"{call} has no more octets inline than a Read chunk takes")

    tester.send(ConnProp(property_values(ReceiveBufferSize(size)), ()))
    tester.call((OBEYED,))
    read = verify.calls.ended(service_two, client.begin(ActKind.READ, LENGTH), (LONG_CALL,))

    verify.calls.done(read, (LONG_CALL,))
    verify.calls.reads(read, LENGTH, (LONG_CALL,))
    verify.calls.obey(service_two.received, OBEYED)
