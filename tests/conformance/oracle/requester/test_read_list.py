"""What a Call takes out of its Payload stream: form, order and Positions of Read chunks; items."""

from __future__ import annotations

import pytest

from conformance.oracle.requester.read_list import judge_items, judge_read_list
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls
from rpcrdma.ulp.rpc import Authentication, encode_call
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaMsg, RdmaNomsg, ReadSegment
from tests.conformance.oracle.oracle_fakes import NULL, STORE, XID, TinyProgram, reading, rpc_call
from tests.conformance.oracle.requester.test_calls import ids

STORED = rpc_call(STORE, b"\0\0\0\5abcde\0\0\0")
POSITION = 44


def list_of(*reads: ReadSegment, kept: int = 44, long: bool = False) -> list[str]:
    body = RdmaNomsg(reads, (), None) if long else RdmaMsg(reads, (), None)
    return ids(tuple(judge_read_list(body, b"" if long else bytes(kept), 1)))


def items_of(*reads: ReadSegment, unreduced: bytes = STORED) -> list[str]:
    return ids(tuple(judge_items(RdmaMsg(reads, (), None), unreduced, TinyProgram(), 1)))


@pytest.mark.parametrize(
    "reads",
    [
        (),
        (reading(44, 1, 5),),
        (reading(44, 1, 2), reading(44, 2, 3)),
        (reading(20, 1, 5), reading(32, 2, 4)),
    ],
)
def test_good_read_list(reads: tuple[ReadSegment, ...]) -> None:
    assert list_of(*reads) == []


@pytest.mark.parametrize(
    ("reads", "wanted"),
    [
        ((reading(42, 1, 5),), "3.4.5.position-is-a-multiple-of-four"),
        ((reading(48, 1, 5),), "3.4.5.position-counts-the-unreduced-stream"),
        (
            (reading(20, 1, 8), reading(24, 2, 4)),
            "3.4.5.position-counts-the-unreduced-stream",
        ),
        ((reading(32, 1, 5), reading(20, 2, 4)), "4.3.1.read-list-groups-by-position"),
        (
            (reading(20, 1, 4), reading(32, 2, 4), reading(20, 3, 4)),
            "4.3.1.read-list-groups-by-position",
        ),
        ((reading(44, 1, 5), reading(44, 1, 0)), "3.4.3.segment-length-in-octets"),
    ],
)
def test_read_list_with_one_fault(reads: tuple[ReadSegment, ...], wanted: str) -> None:
    assert list_of(*reads) == [wanted]


def test_positions_of_a_long_call_count_its_own_stream() -> None:
    assert list_of(reading(0, 1, 44), reading(44, 2, 5), long=True) == []
    assert list_of(reading(0, 1, 44), reading(48, 2, 5), long=True) == [
        "3.4.5.position-counts-the-unreduced-stream"
    ]


@pytest.mark.parametrize("length", [5])
def test_item_in_a_chunk_of_its_own(length: int) -> None:
    assert items_of(reading(POSITION, 1, length)) == []
    assert items_of(reading(POSITION, 1, 2), reading(POSITION, 2, length - 2)) == []


def test_padding_in_a_read_chunk_is_a_warning() -> None:
    body = RdmaMsg((reading(POSITION, 1, 8),), (), None)
    (found,) = judge_items(body, STORED, TinyProgram(), 1)

    assert found.severity is Verdict.WARN
    assert found.ids[0] == "rfc8166.3.4.5.2.no-roundup-in-read-chunks"


@pytest.mark.parametrize(
    ("read", "wanted"),
    [
        (reading(POSITION, 1, 4), "3.4.5.2.length-without-roundup"),
        (reading(POSITION, 1, 12), "3.4.5.2.length-without-roundup"),
        (reading(40, 1, 5), "4.3.1.1.position-is-the-items-offset"),
        (reading(40, 1, 12), "6.1.ineligible-items-are-not-reduced"),
        (reading(24, 1, 12), "8.2.2.gss-elements-are-not-reduced"),
    ],
)
def test_chunk_that_is_not_the_item(read: ReadSegment, wanted: str) -> None:
    assert items_of(read) == [wanted]


def rules_of(*reads: ReadSegment, unreduced: bytes = STORED) -> tuple[str, ...]:
    (found,) = judge_items(RdmaMsg(reads, (), None), unreduced, TinyProgram(), 1)
    return tuple(one.removeprefix("rfc8166.") for one in found.ids)


def test_chunk_that_begins_before_its_item_or_inside() -> None:
    before = rules_of(reading(POSITION - 4, 1, 9))
    assert {"3.4.4.1.count-stays-in-the-stream", "3.4.4.4.one-item-in-a-chunk"} <= {*before}
    inside = rules_of(reading(POSITION + 4, 1, 1))
    assert "3.4.4.1.elements-move-to-the-chunk" in inside
    assert "3.4.4.4.one-item-in-a-chunk" not in inside


def test_segments_with_a_gap() -> None:
    gap = "3.4.5.unaligned-segments-leave-no-gap"
    assert gap in rules_of(reading(POSITION, 1, 4), reading(POSITION, 2, 8))
    assert gap not in rules_of(reading(POSITION, 1, 12))


def test_chunk_in_a_procedure_without_eligible_arguments() -> None:
    body = RdmaMsg((reading(40, 1, 4),), (), None)
    (found,) = judge_items(body, rpc_call(4, b"\0\0\0\1"), TinyProgram(), 1)

    assert "rfc8166.6.1.binding-limits-procedures" in found.ids
    assert "rfc8166.4.3.1.read-list-empty-without-need" in found.ids


def test_segment_of_nothing_in_a_procedure_without_eligible_arguments() -> None:
    without = rpc_call(4, b"\0\0\0\1")
    wanted = ["4.3.1.read-list-empty-without-need"]

    assert items_of(reading(40, 1, 0), unreduced=without) == wanted
    assert items_of(reading(0, 1, 44), unreduced=without) == []


def test_chunk_inside_a_credential() -> None:
    credential = Authentication(6, bytes(64))
    call = encode_call(XID, 0x20008166, 1, NULL, b"", credential=credential)

    assert items_of(reading(32, 1, 64), unreduced=call) == ["8.2.2.gss-elements-are-not-reduced"]


def test_arguments_that_do_not_fit_together() -> None:
    broken = rpc_call(STORE, b"\0\0\0\x20abcde\0\0\0")

    assert items_of(reading(POSITION, 1, 5), unreduced=broken) == [
        "6.1.reassembly-gives-a-valid-stream"
    ]
    assert items_of(unreduced=broken) == ["4.rpc-layout-is-unchanged"]


def test_octets_too_many_were_left_in_the_stream() -> None:
    rule = "rfc8166.4.3.1.listed-arguments-are-reduced"
    stored, program = testprog_calls.store(XID, b"abcde"), TestProgram()
    (item,) = program.arguments(stored)
    body = RdmaMsg((reading(item.position, 1, 5),), (), None)
    for unreduced, left in ((stored + bytes(4), True), (stored[:-8], False)):
        (found,) = judge_items(body, unreduced, program, 1)
        assert (rule in found.ids) == left


def test_long_call_that_is_sent_as_rdma_msg() -> None:
    rule = "rfc8166.3.5.3.long-call-in-a-read-chunk"
    body = RdmaMsg((reading(0, 1, 44),), (), None)
    for payload, is_long in ((b"", True), (bytes(44), False)):
        (found,) = judge_read_list(body, payload, 1)
        assert (rule in found.ids) == is_long


def test_padding_that_is_not_zero() -> None:
    assert items_of(unreduced=STORED[:-1] + b"\1") == ["2.2.4.2.roundup-is-zero-octets"]
    assert items_of(reading(POSITION, 1, 5), unreduced=STORED[:-1] + b"\1") == []
