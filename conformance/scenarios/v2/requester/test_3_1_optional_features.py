"""v2 section 3.1 Optional Features: operations that a Requester does not support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from rpcrdma.wire import v2
from rpcrdma.wire.optional import UnknownOption

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.server.options import ReceivedOption

ANSWERED = "v2.3.1.unsupported-operation-is-answered"
SAME_XID = "v2.3.1.refusal-echoes-the-xid"
AN_ERROR = "v2.3.1.refusal-is-an-error-message"
ITS_CODE = "v2.3.1.refusal-has-its-own-code"

ANY_NUMBER = "v2.3.1.any-operation-number"
OWN_CONTENT = "v2.3.1.optinfo-is-read-by-its-operation-only"

CONTENTS: Final = {
    "empty": b"",
    "one-octet": b"\x01",
    "garbage": b"\xff" * 40,
    "a-list-without-end": bytes.fromhex("00000001 00000001 ffffffff"),
    "3000-octets": bytes(3000),
}


def refused(
    service: Service, xid: int, before: tuple[ReceivedOption, ...], about: tuple[str, ...] = ()
) -> None:
    """An operation gets RDMA2_ERR_INVAL_OPTION under its XID.

    Args:
        service: that has sent it.
        xid: its own.
        before: what the client had said then.
        about: what silence breaks, too: this operation is no other than those that are refused.

    Raises:
        Deviation: it gets something else, or nothing.
    """
    found = service.options.answer(xid, is_due=True)
    others = [one for one in service.options.messages if one not in before and one.xid != xid]
    broken = ANSWERED
    if found is None and others:
        broken = SAME_XID
    elif found is not None:
        broken = ITS_CODE if found.is_error else AN_ERROR
    if found is None or not isinstance(found.error, v2.ErrInvalidOption):
        raise Deviation(
            "An operation that nobody knows is not refused as it must be.",
            expected=(f"RDMA2_ERR_INVAL_OPTION under {xid:#010x}",),
            actual=str(found or (others or ("nothing",))[0]),
            breaks=(broken, *about) if broken == ANSWERED else (broken,),
        )


@requirement(ANSWERED, SAME_XID, AN_ERROR, ITS_CODE, ANY_NUMBER, role="requester")
@pytest.mark.parametrize("operation", [0, 9, 16, 77, 2**31, 2**32 - 1])
def test_requester_refuses_an_operation_that_nobody_knows(
    service_two: Service, client: ActingClient, operation: int
) -> None:
    """An optional message with an unknown operation gets INVAL_OPTION, and RPCs go on."""
    verify.calls.done(client.serve_good_act())
    before = tuple(service_two.options.messages)

    xid = service_two.options.send(UnknownOption(operation, b""))

    refused(service_two, xid, before, (ANY_NUMBER,))
    verify.calls.done(client.serve_good_act(), (ANSWERED,))


@requirement(OWN_CONTENT, ANSWERED, role="requester")
@pytest.mark.parametrize("contents", CONTENTS)
def test_requester_reads_nothing_of_an_operation_that_it_does_not_know(
    service_two: Service, client: ActingClient, contents: str
) -> None:
    """Whatever an unknown operation carries, the message gets INVAL_OPTION, and RPCs go on."""
    verify.calls.done(client.serve_good_act())
    before = tuple(service_two.options.messages)

    xid = service_two.options.send(UnknownOption(77, CONTENTS[contents]))

    refused(service_two, xid, before, (OWN_CONTENT,))
    verify.calls.done(client.serve_good_act())


@requirement(
    "v2.3.2.errors-keep-the-fixed-layout", "v2.4.2.1.error-has-no-payload", role="requester"
)
def test_requester_sends_errors_of_twenty_octets(
    service_two: Service, client: ActingClient
) -> None:
    """What refuses an operation is the fixed words and the code, and nothing else."""
    verify.calls.done(client.serve_good_act())
    before = len(service_two.options.messages)

    xid = service_two.options.send(UnknownOption(77, b""))
    service_two.options.answer(xid, is_due=True)
    errors = [one for one in service_two.options.messages[before:] if one.is_error]
    if not errors:
        raise Deviation(
            "No error refuses an operation that nobody knows.",
            expected=("an error",),
            actual="none",
            breaks=(ANSWERED,),
        )

    error = errors[0]
    words = error.octets[12:20]
    code = int(v2.Rdma2ErrorCode.RDMA2_ERR_INVAL_OPTION).to_bytes(4)
    if words != int(v2.Rdma2Procedure.RDMA2_ERROR).to_bytes(4) + code or len(error.octets) != 20:
        raise Deviation(
            "The error that refuses an operation has another layout.",
            expected=("the fixed words and the error code, 20 octets",),
            actual=f"{len(error.octets)} octets: {error.octets.hex(' ', 4)}",
        )
