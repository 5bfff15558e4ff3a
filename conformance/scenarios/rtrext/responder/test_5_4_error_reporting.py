"""rtrext section 5.4, Error Reporting: reports to a server, and what comes after its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.tester.client import build
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadSequence,
    TransmissionId,
)
from rpcrdma.wire.operations import (
    ReptErr,
)
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

REPORTS: Final = "rtrext.5.4.error-reports-are-supported"
OTHERWISE: Final = "rtrext.5.4.request-may-be-sent-otherwise"


@requirement(REPORTS, needs=NEEDS, interpretations=("D-92", "D-107", "D-110"))
@pytest.mark.parametrize("way", [MessageType.REPLY, MessageType.CALL])
def test_server_takes_error_reports(connect_two: Callable[..., Peer], way: MessageType) -> None:
    """A report about a response that has come is taken in silence, and calls go on."""
    client = GroupClient.of(connect_two)
    call = client.send(grouped(client.peer, client.peer.workload.long_reply(6000)))
    answers.served(client, call, breaks=REPORTS)

    bad = TransmissionId(call.xid, MessageType.REPLY, 1)
    report = build.option(
        client.peer, ReptErr(bad, None, BadContinuation()), direction=way, xid=call.xid
    )
    client.send_all(report)

    verify.discarded(client.peer, report, breaks=REPORTS)


@requirement(OTHERWISE, needs=NEEDS)
def test_server_takes_the_request_by_other_means(connect_two: Callable[..., Peer]) -> None:
    """After a report the same RPC is served when it comes in a message of Version Two's own."""
    client = GroupClient.of(connect_two)
    call = grouped(client.peer, client.peer.workload.long_call(1000), sizes=(40, 400, None))
    odd = client.send(call.spoiled(call.draft.in_order(0, 2)))
    bad = (TransmissionId(call.xid, MessageType.CALL, 2),)
    faults.reported(client, odd.message, BadSequence(1, 2), bad=bad, breaks=OTHERWISE)

    again = build.call(client.peer, call.request, xid=call.xid)
    client.peer.send(again)

    verify.served(client.peer, again, breaks=OTHERWISE)
