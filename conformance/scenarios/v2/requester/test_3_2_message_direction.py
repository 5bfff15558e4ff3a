"""v2 section 3.2 Message Direction: what a Requester keeps apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from conformance.tester.server.options import encode_two
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ReqProp, RespProp
from rpcrdma.wire.optional import Option, UnknownOption
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from rpcrdma.wire.rpc import MessageType
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

XIDS = "v2.3.2.xids-belong-to-a-direction"
CREDITS = "v2.3.2.credits-belong-to-a-direction"
TOLD = "v2.3.2.optional-messages-tell-their-direction"

OPTIONS: Final[dict[str, Option]] = {
    "request": ReqProp(property_values(ReceiveBufferSize(4096))),
    "unknown-operation": UnknownOption(77, b""),
}


@requirement(TOLD, role="requester", interpretations=("D-78", "D-146"))
def test_requester_takes_an_optional_reply_for_no_request(
    service_two: Service, client: ActingClient
) -> None:
    """A request that is said to be an answer, and answers nothing, is not carried out."""
    verify.calls.done(client.serve_good_act())

    xid = service_two.options.send(OPTIONS["request"], MessageType.REPLY)

    found = service_two.options.answer(xid)
    if found is not None and isinstance(found.option, RespProp):
        raise Deviation(
            "What is said to be an answer is answered.",
            expected=("silence", "an error"),
            actual=str(found),
        )
    verify.calls.done(client.serve_good_act())


@requirement(
    TOLD, "v2.4.2.3.wrong-direction-is-not-served", role="requester", interpretations=("D-134",)
)
@pytest.mark.parametrize("direction", [2, 2**32 - 1], ids="direction-{:#x}".format)
def test_requester_reads_no_optional_message_without_direction(
    service_two: Service, client: ActingClient, direction: int
) -> None:
    """A word that is no direction: the request in that message is not carried out."""
    verify.calls.done(client.serve_good_act())
    request = v2.Rdma2Optional(MessageType.CALL, 2, b"\0\0\0\0")
    octets = encode_two(0x7E000001, request, service_two.grant)

    service_two.send(octets[:16] + direction.to_bytes(4) + octets[20:])

    found = service_two.options.answer(0x7E000001)
    if found is not None and not found.is_error:
        raise Deviation(
            "A message without a direction is carried out.",
            expected=("an error", "silence"),
            actual=str(found),
        )
    verify.calls.done(client.serve_good_act())


@requirement(XIDS, role="requester")
@pytest.mark.parametrize("option", OPTIONS)
def test_requester_keeps_an_operation_apart_from_the_call_of_its_xid(
    service_two: Service, client: ActingClient, option: str
) -> None:
    """An optional message has the XID of a call in flight, which goes on awaiting its reply."""
    act = client.begin(ActKind.NULL)
    call = service_two.next_call()

    service_two.options.send(OPTIONS[option], xid=call.xid)
    service_two.waiting()

    ended = act.poll()
    if ended is not None:
        raise Deviation(
            "An optional message ends the call that happens to have its XID.",
            expected=("a call that awaits its reply",),
            actual=str(ended),
        )
    service_two.reply(call)
    verify.calls.done(service_two.serve_until(act))


@requirement(
    CREDITS,
    role="requester",
    interpretations=("D-54",),
    means={"v2.5.calls-within-the-grant": CREDITS},
)
@pytest.mark.parametrize("option", OPTIONS)
def test_requester_takes_no_grant_from_the_other_direction(
    service_two: Service, client: ActingClient, option: str
) -> None:
    """Credits in an optional message that asks something let no further call out."""
    service_two.grant = 2
    verify.calls.done(client.serve_good_act())
    act = client.begin(ActKind.MANY, count=20)
    service_two.waiting()

    service_two.options.send(OPTIONS[option], credit=1000)
    service_two.waiting()
    other = client.begin(ActKind.NULL)  # whatever is allowed now goes out at the latest with this
    service_two.waiting()

    verify.calls.in_flight(service_two, at_most=2, after="under a grant of 2")
    verify.calls.done(service_two.serve_until(act))
    verify.calls.done(service_two.serve_until(other))
