"""bidir section 2.4, Backward Direction Message Size: the client, and what it must not execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

NO_RDMA = "bidir.1.5.3.no-rdma-for-backward-transactions"
NO_EFFECT = "bidir.2.4.runt-has-no-effect"
DROPPED = "bidir.2.4.runt-is-dropped"
SIZE = "bidir.2.4.no-larger-than-the-receives"
ONE_RECEIVE = "bidir.1.5.4.backward-messages-fit-one-receive"
CREDIT = "bidir.2.4.runt-credit-is-ignored"
OCCASIONS = 3
"""Where a connection ends, nothing is seen of a grant: a client may end it over the message, and a
machine that stood still for some seconds ends any."""


@requirement(NO_RDMA, role="requester", needs=("backward",), interpretations=("D-41",))
@pytest.mark.parametrize("fault", build_backward.CHUNK_FAULTS)
def test_client_executes_no_call_with_chunks(
    service: Service, client: ActingClient, fault: str
) -> None:
    """A backward Call with a list, or as a Long Message, is not executed; the client lives on."""
    server = BackwardServer.of(service)
    xid = server.next_xid()
    good = build_backward.call(xid, server.calls.null(xid))

    memory = service.line.expose(good.payload)  # what is read there could be executed

    server.send(build_backward.with_chunks(good, memory, fault).octets, xid)

    server.unanswered(xid, breaks=NO_RDMA)
    verify.calls.done(client.serve_good_act())


@requirement(NO_EFFECT, DROPPED, role="requester", needs=("backward",), interpretations=("D-40",))
@pytest.mark.parametrize("length", [0, 4, 8, 36])
def test_client_drops_a_call_that_is_too_small(
    service: Service, client: ActingClient, length: int
) -> None:
    """A Call that is cut within its RPC header is not executed, and the next one is."""
    server = BackwardServer.of(service)
    xid = server.next_xid()
    good = build_backward.call(xid, server.calls.null(xid))

    server.send(build_backward.cut(good, length, credits=1), xid)

    server.unanswered(xid, breaks=NO_EFFECT)
    server.answered(server.call(server.calls.null), breaks=DROPPED)
    verify.calls.done(client.serve_good_act())


@requirement(NO_EFFECT, DROPPED, role="requester", needs=("backward",), interpretations=("D-40",))
@pytest.mark.parametrize("octet", range(4), ids="octet-{}-of-a-word".format)
def test_client_bears_a_call_cut_anywhere(
    service: Service, client: ActingClient, octet: int
) -> None:
    """A Call cut to any length within its RPC header is not executed, and the next one is."""
    server = BackwardServer.of(service)
    first = server.next_xid()
    whole = len(build_backward.call(first, server.calls.null(first)).payload)

    wrong: dict[int, Deviation] = {}

    for length in range(octet, whole, 4):
        xid = server.next_xid()
        good = build_backward.call(xid, server.calls.null(xid))
        cut = build_backward.cut(good, length, credits=1)
        server.send(cut, xid)
        try:
            server.dropped_or_garbage(xid, breaks=NO_EFFECT)
        except Deviation as found:
            wrong[len(cut)] = found

    verify.cuts.together(wrong)
    server.answered(server.call(server.calls.null), breaks=DROPPED)
    verify.calls.done(client.serve_good_act())


@requirement(CREDIT, role="requester", needs=("backward",), interpretations=("D-40",))
@pytest.mark.parametrize("length", [0, 4, 8, 20])
def test_client_ignores_the_credit_of_a_reply_that_is_too_small(
    service: Service, client: ActingClient, length: int
) -> None:
    """A cut forward Reply that would grant fifty credits lets no second Call out."""
    service.grant = 1
    for _ in range(OCCASIONS):
        verify.calls.done(client.serve_good_act())
        line = service.line
        _cut_a_reply(service, client, length)
        if line.connected:
            return


def _cut_a_reply(service: Service, client: ActingClient, length: int) -> None:
    """Answer the one call in flight so, while another waits for a credit, and see what comes."""
    act = client.begin(ActKind.SMALL)
    first = service.next_call()
    whole = service.draft(first).changed(credits=50).octets
    # Begun before the cut Reply: a client takes its time for an act, and none for a credit.
    acts = [act, client.begin(ActKind.SMALL)]
    service.waiting()

    service.line.send(whole[: 28 + length])
    service.waiting()

    after = "after a forward grant of 1 and a cut Reply of 50"
    verify.calls.in_flight(service, at_most=1, after=after, breaks=(CREDIT,))
    acts.append(client.begin(ActKind.SMALL))  # a client may look at its credits only now
    service.waiting()
    verify.calls.in_flight(service, at_most=1, after=after, breaks=(CREDIT,))
    service.serve(first)
    for one in acts:
        verify.calls.done(service.serve_until(one))


@requirement(SIZE, ONE_RECEIVE, role="requester", needs=("backward",), interpretations=("D-44",))
@pytest.mark.parametrize("beyond", [-4, 0])
def test_client_makes_replies_as_large_as_the_server_receives(
    service: Service, beyond: int
) -> None:
    """Replies up to the call inline threshold come."""
    server = BackwardServer.of(service)
    length = service.call_threshold + beyond

    xid = server.call(lambda xid: server.calls.long_reply(xid, length))

    server.answered(xid, breaks=SIZE)


@requirement(SIZE, ONE_RECEIVE, role="requester", needs=("backward",), interpretations=("D-44",))
@pytest.mark.parametrize("beyond", [4, 3000])
def test_client_makes_no_reply_larger_than_the_server_receives(
    service: Service, client: ActingClient, beyond: int
) -> None:
    """A Reply that does not fit is not sent in any form; an error may be."""
    server = BackwardServer.of(service)
    length = service.call_threshold + beyond

    xid = server.call(lambda xid: server.calls.long_reply(xid, length))

    server.unanswered(xid, breaks=(SIZE, ONE_RECEIVE))
    verify.calls.done(client.serve_good_act())
