"""Sends make messages: one each, and groups as the operations that begin them say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.strategies._generated_rfc8166 import transport_headers
from conformance.strategies._generated_v2 import rdma2_headers
from rpcrdma.wire import encode_header, v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    BadHeaderType,
    BadOptionalType,
    BadPayloadLength,
    BadSequence,
    BadXid,
    MessageItem,
    NoItem,
    ReptErr,
    TransmissionId,
)
from rpcrdma.wire.operations import (
    BY_CODE,
    ROPT_XMTCONT,
    ROPT_XMTREQ,
    UpdProp,
    XmtCont,
    XmtReq,
    XmtResp,
    operations_of,
)
from rpcrdma.wire.optional import UnknownOption, encode_option
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import (
    Assembler,
    BrokenGroup,
    Transmission,
    payload_length,
)

if TYPE_CHECKING:
    from rpcrdma.wire.optional import Option
    from rpcrdma.wire.transmission import Arrived

CALL, REPLY = MessageType.CALL, MessageType.REPLY
XID = 7
BULK = b"bulk data, which is no payload"
MSG = v2.encode_header(v2.Rdma2Header(XID, 2, 32, v2.Rdma2Msg(CALL, (), (), None))) + b"rpc"


def send_of(option: Option, payload: bytes = b"", xid: int = XID, way: MessageType = CALL) -> bytes:
    header = v2.Rdma2Header(xid, v2.VERSION, 32, encode_option(way, option))
    return v2.encode_header(header) + payload


def begun(count: int, payload: bytes = b"", xid: int = XID) -> bytes:
    return send_of(XmtReq((), (), count, 1, len(payload)), payload + BULK, xid)


def continuation(
    number: int, payload: bytes = b"", xid: int = XID, way: MessageType = CALL
) -> bytes:
    return send_of(XmtCont(number, ROPT_XMTREQ, len(payload)), payload + BULK, xid, way)


def in_version_one(send: bytes) -> bytes:
    """The same octets under another rdma_vers."""
    return send[:4] + (1).to_bytes(4) + send[8:]


def header_of(send: bytes) -> bytes:
    return send[: v2.decode_header(send)[1]]


def alone(send: bytes) -> tuple[Arrived, ...]:
    return (Transmission.of_one(send),)


def number(seq: int, xid: int = XID, way: MessageType = CALL) -> TransmissionId:
    return TransmissionId(xid, way, seq)


@given(transport_headers().map(encode_header) | rdma2_headers().map(v2.encode_header), st.binary())
def test_without_operations_every_send_is_a_message(header: bytes, payload: bytes) -> None:
    send = header + payload

    assert Assembler({}).take(send) == alone(send)


@given(st.binary(max_size=80))
def test_garbage_is_a_message_of_its_own(send: bytes) -> None:
    assert Assembler(BY_CODE).take(send) == alone(send)


def test_what_begins_no_group_comes_by_itself() -> None:
    """Operations with properties, unknown ones, contents that are too short or too long."""
    too_short = v2.Rdma2Optional(CALL, ROPT_XMTREQ, b"abcd")
    too_long = v2.Rdma2Optional(CALL, ROPT_XMTREQ, bytes(24))
    sends = [
        send_of(UpdProp(())),
        send_of(UnknownOption(77, b"abc")),
        *(v2.encode_header(v2.Rdma2Header(XID, 2, 32, one)) for one in (too_short, too_long)),
    ]
    assembler = Assembler(BY_CODE)

    assert [assembler.take(send) for send in sends] == [alone(send) for send in sends]


def test_operations_that_are_not_supported_begin_no_group() -> None:
    supported = {one.code: one for one in operations_of("xcharext")}
    assembler = Assembler(supported)
    sends = [begun(2, b"to "), continuation(1, b"gether")]

    assert [assembler.take(send) for send in sends] == [alone(send) for send in sends]


@given(
    st.binary(max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
    st.sampled_from([XmtReq, XmtResp]),
)
def test_a_group_has_the_payload_of_all_its_sends_octet_for_octet(
    payload: bytes, cuts: list[int], kind: type[XmtReq | XmtResp]
) -> None:
    """In order, whatever it is cut into; empty pieces and bulk data behind them included."""
    ends = [*sorted(min(cut, len(payload)) for cut in cuts), len(payload)]
    pieces = [payload[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    items = (MessageItem(0, 0, NoItem()),)
    count, length = len(pieces), len(pieces[0])
    is_call = kind is XmtReq
    contents = XmtReq(items, (), count, 1, length) if is_call else XmtResp(items, count, length)
    way = CALL if is_call else REPLY
    first = send_of(contents, pieces[0] + BULK, way=way)
    rest = [continuation(n, piece, way=way) for n, piece in enumerate(pieces[1:], 1)]
    assembler = Assembler(BY_CODE)

    *before, whole = [assembler.take(send) for send in (first, *rest)]

    assert before == [()] * (count - 1)
    (found,) = whole
    assert (found.parts, found.octets) == ((first, *rest), header_of(first) + payload)
    assert assembler.is_whole(MSG), "the group is over"


def test_a_count_of_nothing_is_one() -> None:
    send = begun(0, b"all")

    end = len(header_of(send)) + 3
    whole = Transmission((send,), header_of(send) + b"all", (end,))
    assert Assembler(BY_CODE).take(send) == (whole,)


@pytest.mark.parametrize(
    ("breaking", "fault"),
    [
        (MSG, BadHeaderType(5, 0)),
        (bytes(28), BadHeaderType(5, 0)),
        (in_version_one(continuation(1)), BadHeaderType(5, 5)),
        (b"short", BadHeaderType(5, 0)),
        (send_of(UpdProp(())), BadOptionalType(ROPT_XMTCONT, 4)),
        (send_of(UnknownOption(77, b"abc")), BadOptionalType(ROPT_XMTCONT, 77)),
        (send_of(XmtCont(1, 5, 0))[:22], BadOptionalType(ROPT_XMTCONT, 0)),
    ],
    ids=[
        "RDMA2_MSG",
        "Version One",
        "a continuation of One",
        "too short",
        "UPDPROP",
        "unknown",
        "half a header",
    ],
)
def test_a_message_within_a_group_breaks_it_and_is_a_message(
    breaking: bytes, fault: BadHeaderType | BadOptionalType
) -> None:
    """D-119."""
    first, late = begun(3), continuation(1)
    assembler = Assembler(BY_CODE)
    assert assembler.take(first) == ()
    assert not assembler.is_whole(breaking)

    broken, message = assembler.take(breaking)

    assert broken == BrokenGroup((first,), ReptErr(number(1), number(0), fault))
    assert (message,) == alone(breaking)
    assert assembler.take(late) == (
        BrokenGroup((late,), ReptErr(number(1), None, BadContinuation())),
    )


def test_a_group_within_a_group_breaks_it_and_goes_on() -> None:
    first, second = begun(2, b"lost"), begun(2, b"who", xid=8)
    assembler = Assembler(BY_CODE)
    assert assembler.take(first) == ()

    (broken,) = assembler.take(second)
    (whole,) = assembler.take(continuation(1, b"le", xid=8))

    fault = BadOptionalType(ROPT_XMTCONT, ROPT_XMTREQ)
    assert broken == BrokenGroup((first,), ReptErr(number(1), number(0), fault))
    assert isinstance(whole, Transmission)
    assert whole.octets == header_of(second) + b"whole"


@pytest.mark.parametrize(
    ("wrong", "bad", "fault"),
    [
        (continuation(2), number(2), BadSequence(1, 2)),
        (continuation(0), number(0), BadSequence(1, 0)),
        (continuation(1, xid=8), number(1, xid=8), BadXid(7, 8)),
        (continuation(1, way=REPLY), number(1, way=REPLY), BadXid(7, 7)),
        (
            send_of(XmtCont(1, ROPT_XMTREQ, 9), b"12345678"),
            number(1),
            BadPayloadLength(9, 0, 8),
        ),
    ],
    ids=["number too high", "number too low", "XID", "direction", "length"],
)
def test_a_continuation_that_does_not_fit_is_lost_with_its_group(
    wrong: bytes, bad: TransmissionId, fault: BadSequence | BadXid | BadPayloadLength
) -> None:
    first = begun(3)
    assembler = Assembler(BY_CODE)
    assert assembler.take(first) == ()

    assert assembler.take(wrong) == (BrokenGroup((first, wrong), ReptErr(bad, number(0), fault)),)
    assert assembler.is_whole(MSG)


def test_a_continuation_of_nothing_is_lost() -> None:
    send = continuation(4)

    assert Assembler(BY_CODE).take(send) == (
        BrokenGroup((send,), ReptErr(number(4), None, BadContinuation())),
    )


@pytest.mark.parametrize("count", [1, 2])
def test_a_first_transmission_that_is_shorter_than_it_says_is_lost(count: int) -> None:
    send = send_of(XmtReq((), (), count, 1, 9), b"12345678")
    assembler = Assembler(BY_CODE)

    assert assembler.take(send) == (
        BrokenGroup((send,), ReptErr(number(0), None, BadPayloadLength(9, 0, 8))),
    )
    assert assembler.is_whole(MSG)


def test_a_group_that_is_too_long_is_none_from_the_first() -> None:
    """None of it is kept: what a peer says of itself takes no memory here (D-106)."""
    assembler = Assembler(BY_CODE, longest=2)
    assert assembler.take(begun(2)) == ()
    assert len(assembler.take(continuation(1))) == 1

    send = begun(3)

    assert assembler.take(send) == alone(send)
    assert assembler.is_whole(MSG)


SENDS = st.builds(begun, st.integers(0, 4), st.binary(max_size=3), st.integers(7, 8)) | st.builds(
    continuation,
    st.integers(0, 3),
    st.binary(max_size=3),
    st.integers(7, 8),
    st.sampled_from(MessageType),
)


@given(st.lists(SENDS | st.sampled_from([MSG, b"garbage", send_of(UpdProp(()))]), max_size=20))
def test_every_send_is_in_one_message_or_lost_and_in_its_order(sends: list[bytes]) -> None:
    """But for those of a group that has not ended yet."""
    assembler = Assembler(BY_CODE)
    arrived = [one for send in sends for one in assembler.take(send)]

    parts = [
        part
        for one in arrived
        for part in (one.parts if isinstance(one, Transmission) else one.lost)
    ]

    assert parts == sends[: len(parts)]


def test_contents_without_payload_have_none() -> None:
    report = ReptErr(number(0), None, BadContinuation())

    assert [payload_length(one) for one in (XmtResp((), 1, 5), UpdProp(()), report)] == [5, 0, 0]


def test_how_many_are_kept_of_a_group_can_be_asked() -> None:
    assembler = Assembler(BY_CODE)
    assert assembler.unfinished == 0

    assembler.take(send_of(XmtReq((), (), 2, 1, 0)))
    assert assembler.unfinished == 1

    assembler.take(send_of(XmtCont(1, ROPT_XMTREQ, 0)))
    assert assembler.unfinished == 0
