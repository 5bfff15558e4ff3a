"""rtrext section 9.5, Error Reporting Operation: faults of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.groups import answers, faults
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped
from conformance.oracle.outcome import ErrChunk, InvalidOption
from conformance.tester.client import build
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadXid,
    TransmissionId,
)
from rpcrdma.wire.operations import ROPT_UPDPROP, ROPT_XMTCONT, ROPT_XMTREQ, UpdProp
from rpcrdma.wire.optional import UnknownOption
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.draft import GroupDraft
    from conformance.groups.request import GroupCall
    from conformance.tester.client.peer import Peer
    from rpcrdma.wire._generated_rtrext import ErrorInformation

FAULTY_GROUP: Final = "rtrext.5.4.faulty-groups-are-reported"
BADHMT: Final = "rtrext.9.5.badhmt"
BADOMT: Final = "rtrext.9.5.badomt"
WITHIN: Final = "rtrext.9.5.type-is-wrong-within-a-group-only"
BADCONT: Final = "rtrext.9.5.badcont"
NOTHING_BESIDE: Final = "rtrext.9.5.nothing-beside-badcont"
BADSEQ: Final = "rtrext.9.5.badseq"
BADXID: Final = "rtrext.9.5.badxid"
BADPL: Final = "rtrext.9.5.badpl"
CODES: Final = "rtrext.9.5.error-codes"
VALUES: Final = "rtrext.9.5.expected-and-actual-value"
VALID: Final = "rtrext.9.5.value-and-valid-range"
NAMES: Final = "rtrext.9.5.report-names-the-transmission"
EARLIER: Final = "rtrext.9.5.report-may-name-an-earlier-one"
CODE: Final = "rtrext.9.1.code-of-repterr"
NO_PAYLOAD: Final = "rtrext.9.1.no-payload-after-an-error-report"
CALL: Final = MessageType.CALL
UNKNOWN: Final = 77
"""An operation that nobody knows."""


def _three(client: GroupClient) -> GroupCall:
    """A good request in three transmissions."""
    return grouped(client.peer, client.peer.workload.long_call(1000), sizes=(40, 400, None))


def _number(call: GroupCall, number: int) -> TransmissionId:
    return TransmissionId(call.xid, CALL, number)


@requirement(BADSEQ, VALUES, NAMES, FAULTY_GROUP, needs=NEEDS, interpretations=("D-98",))
@pytest.mark.parametrize("number", [0, 2, 3, 2**32 - 1])
def test_server_reports_a_continuation_with_another_number(
    connect_two: Callable[..., Peer], number: int
) -> None:
    """A continuation that says another number than the next one is reported, with both numbers."""
    client = GroupClient.of(connect_two)
    call = _three(client)

    odd = call.spoiled(call.draft.with_contents(1, optxc_xnum=number).in_order(0, 1))
    client.send(odd)

    faults.reported(
        client, odd.message, BadSequence(1, number), bad=(_number(call, number),), breaks=BADSEQ
    )
    client.fence((BADSEQ,))


@requirement(BADSEQ, FAULTY_GROUP, needs=NEEDS, interpretations=("D-98", "D-119"))
@pytest.mark.parametrize("order", [(0, 2), (0, 2, 1)], ids=["missing", "swapped"])
def test_server_reports_transmissions_in_disorder(
    connect_two: Callable[..., Peer], order: tuple[int, ...]
) -> None:
    """The last continuation after the first transmission is reported; what follows it, as well."""
    client = GroupClient.of(connect_two)
    call = _three(client)
    disorder = call.spoiled(call.draft.in_order(0, 2))

    client.send(call.spoiled(call.draft.in_order(*order)))

    faults.reported(
        client, disorder.message, BadSequence(1, 2), bad=(_number(call, 2),), breaks=BADSEQ
    )
    if 1 in order:
        late = call.spoiled(call.draft.in_order(1))
        faults.reported(
            client, late.message, BadContinuation(), bad=(_number(call, 1),), breaks=BADCONT
        )
    client.fence((FAULTY_GROUP,))


@requirement(BADSEQ, FAULTY_GROUP, needs=NEEDS, interpretations=("D-98",))
def test_server_reports_a_transmission_that_comes_twice(connect_two: Callable[..., Peer]) -> None:
    """The same continuation a second time, where another is due, is reported."""
    client = GroupClient.of(connect_two)
    call = _three(client)

    odd = call.spoiled(call.draft.in_order(0, 1, 1))
    client.send(odd)

    faults.reported(client, odd.message, BadSequence(2, 1), bad=(_number(call, 1),), breaks=BADSEQ)
    client.fence((FAULTY_GROUP,))


@requirement(BADXID, VALUES, NAMES, FAULTY_GROUP, needs=NEEDS, interpretations=("D-119",))
@pytest.mark.parametrize("number", [1, 2])
def test_server_reports_a_continuation_with_another_xid(
    connect_two: Callable[..., Peer], number: int
) -> None:
    """A continuation under another XID is reported, with both XIDs."""
    client = GroupClient.of(connect_two)
    call, other = _three(client), client.peer.next_xid()

    odd = call.spoiled(call.draft.with_send(number, xid=other).in_order(*range(number + 1)))
    client.send(odd)

    faults.reported(
        client,
        odd.message,
        BadXid(call.xid, other),
        bad=(TransmissionId(other, CALL, number),),
        breaks=BADXID,
    )
    client.fence((BADXID,))


@requirement(BADXID, FAULTY_GROUP, needs=NEEDS, interpretations=("D-119",))
def test_server_keeps_two_groups_apart(connect_two: Callable[..., Peer]) -> None:
    """The continuation of a request that has come before does not continue another one."""
    client = GroupClient.of(connect_two)
    first, second = _three(client), _three(client)
    client.send(first)
    answers.served(client, first, breaks=BADXID)

    odd = second.draft.messages[0], first.draft.messages[1]
    client.send_all(*odd)

    faults.reported(
        client,
        faults.together(*odd),
        BadXid(second.xid, first.xid),
        bad=(_number(first, 1),),
        breaks=BADXID,
    )
    client.fence((BADXID,))


@requirement(BADCONT, NOTHING_BESIDE, NAMES, FAULTY_GROUP, needs=NEEDS)
@pytest.mark.parametrize("number", [1, 2])
def test_server_reports_a_continuation_of_nothing(
    connect_two: Callable[..., Peer], number: int
) -> None:
    """A continuation without a group that it could continue is reported as that alone."""
    client = GroupClient.of(connect_two)
    call = _three(client)

    odd = call.spoiled(call.draft.in_order(number))
    client.send(odd)

    faults.reported(
        client, odd.message, BadContinuation(), bad=(_number(call, number),), breaks=BADCONT
    )
    client.fence((BADCONT,))


@requirement(BADCONT, FAULTY_GROUP, needs=NEEDS, interpretations=("D-98",))
def test_server_reports_a_transmission_too_many(connect_two: Callable[..., Peer]) -> None:
    """A request is executed when its count has come, and a continuation after that is reported."""
    client = GroupClient.of(connect_two)
    call = _three(client)
    surplus = call.draft.with_contents(2, optxc_xnum=3).in_order(2).messages[0]

    client.send(call)
    client.send_all(surplus)

    faults.served_and_reported(
        client, call, surplus, BadContinuation(), bad=(_number(call, 3),), breaks=BADCONT
    )
    client.fence((BADCONT,))


@requirement(BADHMT, VALUES, FAULTY_GROUP, needs=NEEDS, interpretations=("D-111", "D-119"))
@pytest.mark.parametrize("number", [1, 2])
def test_server_reports_another_procedure_within_a_group(
    connect_two: Callable[..., Peer], number: int
) -> None:
    """A Call of Version Two's own within a group breaks it: that is reported, the Call served."""
    client = GroupClient.of(connect_two)
    call, other = _three(client), build.small_call(client.peer)
    begun = call.draft.in_order(*range(number)).messages

    client.send_all(*begun)
    client.peer.send(other)

    procedures = v2.Rdma2Procedure.RDMA2_OPTIONAL, v2.Rdma2Procedure.RDMA2_MSG
    faults.reported(
        client,
        faults.together(*begun, other),
        BadHeaderType(*procedures),
        BadXid(call.xid, other.xid),
        bad=faults.either(_number(call, number), other.xid),
        breaks=BADHMT,
    )
    verify.served(client.peer, other, breaks=BADHMT)
    client.fence((BADHMT,))


@requirement(BADOMT, VALUES, FAULTY_GROUP, needs=NEEDS, interpretations=("D-119",))
def test_server_reports_another_request_within_a_group(connect_two: Callable[..., Peer]) -> None:
    """A request that begins within a group breaks it: that is reported, the request served."""
    client = GroupClient.of(connect_two)
    call, other = _three(client), grouped(client.peer, client.peer.workload.small())
    begun = call.draft.in_order(0, 1).messages

    client.send_all(*begun)
    client.send(other)

    faults.reported(
        client,
        faults.together(*begun, *other.draft.messages),
        BadOptionalType(ROPT_XMTCONT, ROPT_XMTREQ),
        BadXid(call.xid, other.xid),
        bad=faults.either(_number(call, 2), other.xid),
        breaks=BADOMT,
    )
    answers.served(client, other, breaks=BADOMT)
    client.fence((BADOMT,))


@requirement(BADOMT, VALUES, FAULTY_GROUP, needs=NEEDS, interpretations=("D-119",))
def test_server_reports_an_announcement_within_a_group(connect_two: Callable[..., Peer]) -> None:
    """An announcement of properties within a group breaks it, which is reported."""
    client = GroupClient.of(connect_two)
    call = _three(client)
    update = build.option(client.peer, UpdProp(client.peer.told.values()))
    begun = call.draft.in_order(0).messages

    client.send_all(*begun, update)

    faults.reported(
        client,
        faults.together(*begun, update),
        BadOptionalType(ROPT_XMTCONT, ROPT_UPDPROP),
        BadXid(call.xid, update.xid),
        bad=faults.either(_number(call, 1), update.xid),
        breaks=BADOMT,
    )
    client.fence((BADOMT,))


@requirement(WITHIN, needs=NEEDS)
def test_server_refuses_an_unknown_operation_outside_of_groups(
    connect_two: Callable[..., Peer],
) -> None:
    """After a whole request an operation that nobody knows is refused, not reported."""
    client = GroupClient.of(connect_two)
    call = client.send(_three(client))
    answers.served(client, call, breaks=WITHIN)

    odd = build.option(client.peer, UnknownOption(UNKNOWN, b""))
    client.send_all(odd)

    verify.expect(client.peer, odd, InvalidOption, breaks=WITHIN)


@requirement(WITHIN, needs=NEEDS)
def test_server_serves_a_call_outside_of_groups(connect_two: Callable[..., Peer]) -> None:
    """After a group that was broken and reported, a Call is served without a report."""
    client = GroupClient.of(connect_two)
    call = _three(client)
    odd = call.spoiled(call.draft.in_order(0, 2))
    client.send(odd)
    faults.reported(
        client, odd.message, BadSequence(1, 2), bad=(_number(call, 2),), breaks=FAULTY_GROUP
    )

    client.fence((WITHIN,))
    good = client.send(_three(client))

    answers.served(client, good, breaks=WITHIN)


@requirement(BADPL, VALID, NAMES, FAULTY_GROUP, needs=NEEDS, interpretations=("D-99", "D-111"))
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("more", [4, 1000, 2**31])
def test_server_reports_a_payload_beyond_its_transmission(
    connect_two: Callable[..., Peer], number: int, more: int
) -> None:
    """A part of the Payload stream that is told to be longer than its Send is reported."""
    client = GroupClient.of(connect_two)
    call = _three(client)
    there = len(call.draft.sends[number].payload)
    name = "optxc_pslen" if number else "optxrq_pslen"

    spoiled = call.draft.with_contents(number, **{name: there + more})
    odd = call.spoiled(spoiled.in_order(*range(number + 1)))
    client.send(odd)

    faults.reported(
        client,
        odd.message,
        BadPayloadLength(there + more, 0, there),
        bad=(_number(call, number),),
        or_else=(ErrChunk,),
        breaks=BADPL,
    )
    client.fence((BADPL,))


@requirement(CODES, CODE, NO_PAYLOAD, EARLIER, needs=NEEDS, interpretations=("D-110",))
@pytest.mark.parametrize("fault", ["BADCONT", "BADSEQ", "BADXID"])
def test_server_names_errors_by_their_codes(connect_two: Callable[..., Peer], fault: str) -> None:
    """Each fault of a group comes as a REPTERR of its own code, and nothing else does."""
    client = GroupClient.of(connect_two)
    call, other = _three(client), client.peer.next_xid()
    spoiled: dict[str, tuple[GroupDraft, ErrorInformation, int]] = {
        "BADCONT": (call.draft.in_order(1), BadContinuation(), call.xid),
        "BADSEQ": (
            call.draft.with_contents(1, optxc_xnum=1 + 1).in_order(0, 1),
            BadSequence(1, 2),
            call.xid,
        ),
        "BADXID": (
            call.draft.with_send(1, xid=other).in_order(0, 1),
            BadXid(call.xid, other),
            other,
        ),
    }
    draft, report, xid = spoiled[fault]
    number = 2 if fault == "BADSEQ" else 1

    odd = client.send(call.spoiled(draft))

    faults.reported(
        client,
        odd.message,
        report,
        bad=(TransmissionId(xid, CALL, number),),
        breaks=(CODES, CODE),
    )
    client.fence((CODES,))
