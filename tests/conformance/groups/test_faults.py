"""What must be reported or refused, and what is wrong where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.groups import faults
from conformance.groups.request import grouped
from conformance.oracle.outcome import ErrChunk
from conformance.tester.case import Deviation
from conformance.tester.client import build
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadPayloadLength,
    BadSequence,
    BadXid,
    TransmissionId,
)
from rpcrdma.wire.rpc import MessageType
from targets.mutants.base import find_responder_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.client import GroupClient
    from conformance.groups.request import GroupCall

ID = "rtrext.9.5.badseq"
CALL = MessageType.CALL


def misnumbered(client: GroupClient, number: int = 7) -> GroupCall:
    call = grouped(client.peer, client.peer.workload.long_call(100), sizes=(40, None))
    return client.send(call.spoiled(call.draft.with_contents(1, optxc_xnum=number)))


def test_a_report_of_the_fault_is_right(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    call = misnumbered(client)
    bad = (TransmissionId(call.xid, CALL, 7),)

    faults.reported(client, call.message, BadXid(0, 0), BadSequence(1, 7), bad=bad, breaks=ID)

    assert [str(one) for one in client.peer.case.acceptances[-1].allowed] == [
        "an error report of OPTRERR_BADSEQ or OPTRERR_BADXID"
    ]


@pytest.mark.parametrize(
    ("mutant", "breaks"),
    [
        ("swaps-the-codes-of-number-and-xid", (ID,)),
        ("says-nothing-of-faulty-groups", (ID, faults.FAULTY_GROUP)),
        ("reports-the-actual-value-first", ("rtrext.9.5.expected-and-actual-value",)),
        (
            "names-the-transmission-after-the-faulty-one",
            ("rtrext.9.5.report-names-the-transmission",),
        ),
        (
            "names-the-faulty-transmission-as-the-earlier-one",
            ("rtrext.9.5.report-may-name-an-earlier-one",),
        ),
        ("reports-by-operation-nine", ("rtrext.9.1.code-of-repterr",)),
        (
            "sends-octets-after-an-error-report",
            ("rtrext.9.1.no-payload-after-an-error-report",),
        ),
    ],
)
def test_any_other_report_is_not(
    facing: Callable[..., GroupClient], mutant: str, breaks: tuple[str, ...]
) -> None:
    client = facing(find_responder_parts(mutant))
    call = misnumbered(client)
    bad = (TransmissionId(call.xid, CALL, 7),)

    with pytest.raises(Deviation) as found:
        faults.reported(client, call.message, BadSequence(1, 7), bad=bad, breaks=ID)
    assert found.value.breaks == breaks


@pytest.mark.parametrize(
    ("mutant", "breaks"),
    [
        ("reports-the-greatest-length-first", "rtrext.9.5.value-and-valid-range"),
        (
            "reports-a-length-as-one-of-the-valid",
            "rtrext.9.5.value-within-the-range-is-unaligned",
        ),
    ],
)
def test_bounds_are_of_what_is_valid(
    facing: Callable[..., GroupClient], mutant: str, breaks: str
) -> None:
    client = facing(find_responder_parts(mutant))
    call = grouped(client.peer, client.peer.workload.long_call(100))
    there = len(call.draft.sends[0].payload)
    odd = client.send(call.spoiled(call.draft.with_contents(0, optxrq_pslen=there + 4)))

    with pytest.raises(Deviation) as found:
        faults.reported(
            client,
            odd.message,
            BadPayloadLength(there + 4, 0, there),
            bad=(TransmissionId(call.xid, CALL, 0),),
            breaks=ID,
        )
    assert found.value.breaks == (breaks,)


def test_an_unaligned_value_may_be_reported(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    call = client.send(grouped(client.peer, client.peer.workload.long_call(100), sizes=(41, None)))
    faults.served_or_reported(client, call, BadPayloadLength(41, 0, 4096), breaks=ID)


def test_a_surplus_transmission_is_reported_beside_the_reply(
    facing: Callable[..., GroupClient],
) -> None:
    client = facing()
    call = grouped(client.peer, client.peer.workload.long_call(100), sizes=(40, None))
    (surplus,) = call.draft.with_contents(1, optxc_xnum=2).in_order(1).messages
    client.send(call)
    client.send_all(surplus)

    bad = (TransmissionId(call.xid, CALL, 2),)
    faults.served_and_reported(client, call, surplus, BadContinuation(), bad=bad, breaks=ID)


def test_a_refusal_may_be_of_any_kind(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    call = grouped(client.peer, client.peer.workload.small())
    odd = client.send(call.spoiled(call.draft.with_contents(0, optxrq_count=0)))
    assert isinstance(faults.refused(client, odd.message, breaks=ID), ErrChunk)
    faults.continuations_reported(client, breaks=ID)

    good = client.send(grouped(client.peer, client.peer.workload.small()))
    with pytest.raises(Deviation, match="the request is not executed"):
        faults.refused(client, good.message, breaks=ID)


def test_what_does_not_fit_does_not_come(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    request = client.peer.workload.long_reply(9000)
    faults.no_response(client, client.send(grouped(client.peer, request, reserve=1)), breaks=ID)

    fits = client.send(grouped(client.peer, client.peer.workload.small(), reserve=1))
    with pytest.raises(Deviation, match="what does not fit does not come"):
        faults.no_response(client, fits, breaks=ID)


def test_contents_that_are_none_are_a_bad_header(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    call = grouped(client.peer, client.peer.workload.small())
    odd = client.send(call.spoiled(call.draft.with_send(0, contents=b"")))
    faults.bad_header(client, odd.message, breaks=ID)


def test_a_fault_is_found_by_several_messages(facing: Callable[..., GroupClient]) -> None:
    peer = facing().peer
    first, second = build.small_call(peer), build.small_call(peer)

    both = faults.together(first, second)

    assert both.sends == (first.octets, second.octets)
    assert both.xid == first.xid
    due = TransmissionId(1, CALL, 2)
    assert set(faults.either(due, 9)) == {
        due,
        TransmissionId(9, CALL, 0),
        TransmissionId(9, CALL, 2),
    }
