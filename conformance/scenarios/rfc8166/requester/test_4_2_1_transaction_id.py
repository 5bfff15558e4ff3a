"""rfc8166 section 4.2.1 Transaction ID: of a Requester's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.reply import far_from
from rpcrdma.ulp import rpc
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

MIDDLE: Final = (12, 16, 20)
"""Bits of an XID that differ between no two calls at one time: clients count at either end."""


@requirement("rfc8166.4.2.1.xid-equals-payload-xid", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE, ActKind.LONG_CALL])
def test_requester_gives_both_headers_one_xid(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """The XID of the transport header is that of the RPC message, in calls of every form."""
    act = client.begin(kind, 5000)
    call = service.next_call(lambda one: one.rpc is not None)

    verify.calls.obey((call,), "rfc8166.4.2.1.xid-equals-payload-xid")
    service.serve(call)
    verify.calls.done(service.serve_until(act))


@requirement("rfc8166.2.2.2.call-xid-is-unique", role="requester")
def test_requester_gives_each_call_its_own_xid(service: Service, client: ActingClient) -> None:
    """Of calls that are in flight at one time no two have the same XID."""
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=10)

    held = service.waiting()

    verify.calls.obey(held, "rfc8166.2.2.2.call-xid-is-unique")
    verify.calls.done(service.serve_until(act))


@requirement("rfc8166.3.3.1.replies-in-any-order", role="requester")
def test_requester_ignores_a_reply_to_no_call(service: Service, client: ActingClient) -> None:
    """An error reply under an XID that no call has comes first; the call gets its own reply."""
    act = client.good_act()
    call = service.next_call()
    right = service.draft(call)
    stranger = far_from(call.xid)
    refusal = right.changed(xid=stranger, payload=rpc.garbage_args(stranger))

    service.send(refusal.with_writes().with_reply_chunk(None).octets)
    service.waiting()
    service.reply(call, right)

    verify.calls.done(service.serve_until(act))


@requirement("rfc8166.3.3.1.replies-in-any-order", role="requester")
@pytest.mark.parametrize("bit", MIDDLE)
def test_requester_tells_its_xid_from_one_like_it(
    service: Service, client: ActingClient, bit: int
) -> None:
    """An error reply whose XID differs from that of the call in one bit comes first."""
    act = client.good_act()
    call = service.next_call()
    right = service.draft(call)
    other = call.xid ^ 1 << bit
    refusal = right.changed(xid=other, payload=rpc.garbage_args(other))

    service.send(refusal.with_writes().with_reply_chunk(None).octets)
    service.waiting()
    service.reply(call, right)

    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.2.2.2.reply-retires-the-xid",
    "rfc8166.3.3.1.replies-in-any-order",
    role="requester",
    means={"rfc8166.3.3.1.no-call-beyond-the-grant": "rfc8166.2.2.2.reply-retires-the-xid"},
)
def test_requester_takes_a_reply_once(service: Service, client: ActingClient) -> None:
    """Every reply comes twice: the second has no effect, neither on calls nor on credits."""
    service.grant = 3
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=9)

    for _ in range(3):
        call = service.next_call()
        draft = service.draft(call)
        service.reply(call, draft)
        service.send(draft.octets, service.line_of(call))
        service.waiting()
        verify.calls.in_flight(service, at_most=3, after="under a grant of 3")

    verify.calls.done(service.serve_until(act))


@requirement(
    "rfc8166.4.2.1.payload-xid-may-be-ignored",
    role="requester",
    means={"rfc8166.2.2.2.reply-xid-is-the-calls": "rfc8166.4.2.1.payload-xid-may-be-ignored"},
)
def test_requester_bears_two_xids_in_a_reply(service: Service, client: ActingClient) -> None:
    """The payload of a reply has an XID of its own: the call ends, well or not, or it waits."""
    act = client.good_act()
    call = service.next_call()
    right = service.draft(call)
    other = far_from(call.xid).to_bytes(4)

    verify.calls.reaction(
        service, call, act, right.changed(payload=other + right.payload[4:]).octets
    )
