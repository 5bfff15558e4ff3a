"""xcharext section 3.1, Receive Buffer Size: calls that the memory for their results makes long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.options.due import let_announce
from conformance.options.server import OptionServer
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.tester.case import Inconclusive
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from targets.base import ActKind, Unsupported

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient

OBEYED: Final = "xcharext.3.1.no-send-beyond-the-announced-size"
LONG_CALL: Final = "xcharext.3.1.long-call-beyond-the-size"

LENGTH: Final = 6000
"""Octets that are stored and fetched: too many to come back inline, and for the least size."""

ROOMY: Final = 16384
"""Octets that the tester tells first: all of the call fits."""


LESS: Final = (0, 4, 8, 12, 16, 20, 24, 1, 2, 3, 5)
"""Octets that are wanting: a size need be no multiple of four, as calls are."""


def short_with_results(call: ReceivedCall) -> bool:
    """Whether a call goes inline, and has memory for its results and for nothing else."""
    has_memory = bool(call.writes and call.writes[0].target) or call.reply_chunk is not None
    return has_memory and not call.reads and call.group is None


@requirement(
    LONG_CALL,
    OBEYED,
    role="requester",
    needs=("connprop", "updprop"),
    interpretations=("D-130", "D-142"),
)
@pytest.mark.parametrize("less", LESS)
def test_requester_counts_the_chunks_for_results(
    service_two: Service, client: ActingClient, less: int
) -> None:
    """A size takes a call but for some octets of its Write list: more of it goes by RDMA.

    It is above what every receiver must take, which a client may use whatever it is told.
    """
    if ActKind.EXCHANGE_AUTHENTICATED not in client.acts:
        raise Unsupported("the client's program has no call with long arguments and results")
    _brought_to_the_size(service_two, client, ActKind.EXCHANGE_AUTHENTICATED, less)


@requirement(
    LONG_CALL,
    OBEYED,
    role="requester",
    needs=("connprop", "updprop"),
    interpretations=("D-130", "D-142"),
)
@pytest.mark.parametrize("less", LESS)
def test_requester_counts_the_chunk_for_a_long_reply(
    service_two: Service, client: ActingClient, less: int
) -> None:
    """A size takes a call but for some octets of its Reply chunk: more of it goes by RDMA.

    Of what is protected nothing may be reduced, so that a call and its reply are both long.
    """
    if ActKind.EXCHANGE_INTEGRITY not in client.acts:
        raise Unsupported("the client's program has no protected call")
    _brought_to_the_size(service_two, client, ActKind.EXCHANGE_INTEGRITY, less)


def _brought_to_the_size(service: Service, client: ActingClient, kind: ActKind, less: int) -> None:
    """Have a call made, and made again when the announced size is smaller than it was."""
    tester = OptionServer.of(service, client)
    let_announce(tester)
    tester.send(ConnProp(property_values(ReceiveBufferSize(ROOMY)), ()))
    tester.call((OBEYED,))
    act = client.begin(kind, LENGTH)
    call = service.next_call(short_with_results)
    # By the memory that is offered: what a client says that it receives is for other cases.
    for one, draft in service.replies.drafts(call, tester.line, {}, service.grant, THRESHOLD_TWO):
        service.reply(one, draft)
    verify.calls.done(service.serve_until(act))
    size = len(call.octets) - less
    if size <= THRESHOLD_TWO:
        raise Inconclusive(f"{call} has no more octets than every receiver takes")

    tester.send(UpdProp(property_values(ReceiveBufferSize(size))))
    tester.call((OBEYED,))
    tester.quiet()  # from now on the client has read the size
    again = client.begin(kind, LENGTH)
    exchange = verify.calls.ended(service, again, (LONG_CALL,))

    verify.calls.done(exchange, (LONG_CALL,))
    verify.calls.obey(service.received, OBEYED)
