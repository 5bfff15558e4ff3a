"""Requests that come as transmission groups: what a Responder does about each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.endpoint.core.group_sends import option_message
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS
from rpcrdma.ulp import nfs4, rpc
from rpcrdma.ulp import testprog_calls as calls
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_server import Nfs4Program
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import RdmaSegment, v2
from rpcrdma.wire._generated_rtrext import (
    BadContinuation,
    ByExplicitRdma,
    DirectToExplicitRdma,
    DirectToSends,
    InTargetedSegments,
    MessageItem,
    NoItem,
    ReptErr,
    ResponseItem,
    ResponseRange,
    ResponseSet,
    TransmissionId,
    XmtCont,
    XmtResp,
)
from rpcrdma.wire.rpc import MessageType
from tests.endpoint.groups import BARE, BULKY, announced
from tests.endpoint.lone_ends import (
    GRANTED,
    LoneResponder,
    continuation,
    in_two,
    option_of,
    plain_reply,
    request,
    response,
)

WHOLE = ResponseRange(0, 2**32 - 1)
TO_SENDS = ResponseSet(WHOLE, (ResponseItem(0, DirectToSends()),))


def test_directions_of_arguments_that_cannot_be_decoded_place_nothing() -> None:
    """rfc8166 4.5.2: GARBAGE_ARGS has no results."""
    end = LoneResponder(BULKY, BULKY)
    (answer,) = end.hears(request(7, calls.fetch(7, 100)[:-4], directions=[TO_SENDS]))

    contents = option_of(answer)
    assert isinstance(contents, XmtResp)
    assert contents.optxrs_ddp == (MessageItem(0, 0, NoItem()),)
    assert answer.endswith(rpc.garbage_args(7))


NULL, STORE = calls.null(7), calls.store(7, b"four")
KEPT = STORE[:44]
"""`STORE` without its argument."""

BAD_HEADER = in_two(7, v2.Rdma2Error(v2.ErrBadHeader()))


def memory(position: int, length: int) -> MessageItem:
    return MessageItem(position, length, ByExplicitRdma((RdmaSegment(5, length, 0),)))


def long_call() -> list[bytes]:
    """A LONG_CALL of three transmissions."""
    call = calls.long_call(7, pattern(6000))
    cuts = (call[:2000], call[2000:4000], call[4000:])
    first = request(7, cuts[0], count=3)
    later = enumerate(cuts[1:], start=1)
    return [first, *(continuation(7, number, part, MessageType.CALL) for number, part in later)]


def test_request_of_several_transmissions_is_served_as_one() -> None:
    """rtrext 4.2: and the Receive of each is posted again."""
    end = LoneResponder(BARE, BARE)
    reply = calls.expected_reply(calls.long_call(7, pattern(6000)))

    assert end.hears(*long_call()) == [plain_reply(7, reply)]
    assert end.posted == 3


def test_request_beyond_the_limit_is_refused() -> None:
    """rtrext 8.4, D-106; what comes after it is served."""
    end = LoneResponder(replace(BARE, request_limit=2), BARE)

    assert end.hears(*long_call()) == [BAD_HEADER]
    assert end.posted == 3
    assert end.hears(request(7, NULL)) == [plain_reply(7, calls.expected_reply(NULL))]


def test_first_transmission_of_more_than_can_come_at_all_is_refused_at_once() -> None:
    """D-106: so it is told of no transmission that it waits for in vain."""
    end = LoneResponder(replace(BARE, request_limit=2, reserve=0), BARE)

    assert end.hears(request(7, NULL, count=3)) == [BAD_HEADER]


def test_group_of_no_transmissions_is_refused() -> None:
    """D-98: the count includes the one that has it."""
    assert LoneResponder(BARE, BARE).hears(request(7, NULL, count=0)) == [BAD_HEADER]


# -- the message that answers


@pytest.mark.parametrize(("length", "told"), [(100, 0), (100, 9), (8192, 3), (8192, 9)])
def test_request_without_directions_is_answered_by_a_group_where_it_must(
    length: int, told: int
) -> None:
    """D-116: what one Send carries is an RDMA2_MSG."""
    call = calls.long_reply(7, length)
    answer = LoneResponder(BARE, BARE).hears(request(7, call, told=told))

    if length == 100:
        assert answer == [plain_reply(7, calls.expected_reply(call))]
    else:
        contents = option_of(answer[0])
        assert isinstance(contents, XmtResp)
        assert (contents.optxrs_count, contents.optxrs_ddp, len(answer)) == (3, (), 3)


@pytest.mark.parametrize(("length", "sends"), [(4032, 1), (4036, 2)])
def test_reply_is_an_rdma2_msg_up_to_the_last_octet_of_a_send(length: int, sends: int) -> None:
    """Its header has 32 octets, of 4096."""
    call = calls.long_reply(7, length)
    answer = LoneResponder(BARE, BARE).hears(request(7, call, told=2))

    assert len(answer) == sends
    assert (answer == [plain_reply(7, calls.expected_reply(call))]) is (sends == 1)


@pytest.mark.parametrize("told", [0, 1, 2])
def test_reply_that_takes_more_transmissions_than_are_told_is_refused(told: int) -> None:
    """rtrext 5.2: there is no Reply chunk either (D-96)."""
    answer = LoneResponder(BARE, BARE).hears(request(7, calls.long_reply(7, 8192), told=told))
    assert answer == [BAD_HEADER]


def test_later_transmissions_of_a_response_are_numbered_and_of_its_operation() -> None:
    """D-98, D-100."""
    call = calls.long_reply(7, 8192)
    first, *later = LoneResponder(BARE, BARE).hears(request(7, call, told=3))

    contents = [option_of(message) for message in later]
    assert [(one.optxc_xnum, one.optxc_itype) for one in contents if isinstance(one, XmtCont)] == [
        (1, 6),
        (2, 6),
    ]
    for message in (first, *later):
        header = v2.decode_header(message)[0]
        assert (header.rdma_xid, header.rdma_credit) == (7, GRANTED)
        assert header.rdma_body.rdma_optdir is MessageType.REPLY


def test_directions_are_answered_by_a_response_however_short_it_is() -> None:
    """rtrext 7.4, D-116."""
    (answer,) = LoneResponder(BULKY, BULKY).hears(request(7, NULL, directions=[TO_SENDS]))

    assert option_of(answer) == XmtResp((MessageItem(0, 0, NoItem()),), 1, 24)


def test_result_is_written_before_the_response_is_sent() -> None:
    """rfc8166 3.5.2."""
    room = DirectToExplicitRdma((RdmaSegment(5, 9000, 64),))
    directions = ResponseSet(WHOLE, (ResponseItem(0, room),))
    call = calls.fetch(7, 9000)
    end = LoneResponder(BARE, BARE)
    (answer,) = end.hears(request(7, call, directions=[directions]))

    assert end.written == [calls.expected_reply(call)[-9000:]]
    contents = option_of(answer)
    assert isinstance(contents, XmtResp)
    (item,) = contents.optxrs_ddp
    assert item.xmdmi_where == ByExplicitRdma((RdmaSegment(5, 9000, 64),))


def test_response_keeps_to_the_size_that_the_requester_announces() -> None:
    """rtrext 8.3, D-101: of a 2048-octet Receive, nine of whose transmissions are told."""
    end = LoneResponder(BARE, BARE)
    end.responder.heed(2, 2048, announced(BARE))
    answer = end.hears(request(7, calls.long_reply(7, 8192), told=9))

    assert max(map(len, answer)) <= 2048
    assert len(answer) == 5


FILES = FileStore()
READS = nfs4.compound(
    7, *nfs4.at("size-1000"), nfs4.read(0, 300), *nfs4.at("size-1000"), nfs4.read(0, 400)
)


@pytest.mark.parametrize("which", [0, 1])
def test_range_selects_an_operation_of_a_compound(which: int) -> None:
    """rtrext 7.4: of two READs the result of one is placed."""
    layer = Nfs4Program(FILES)
    (reply,) = layer.execute(READS)
    item, begin = layer.results(READS, reply)[which], layer.origins(READS)[which]
    one = ResponseSet(ResponseRange(begin, begin + 4), (ResponseItem(0, DirectToSends()),))
    (answer,) = LoneResponder(BULKY, BULKY, layer).hears(request(7, READS, directions=[one]))

    contents = option_of(answer)
    assert isinstance(contents, XmtResp)
    (entry,) = contents.optxrs_ddp
    assert item is not None
    assert (entry.xmdmi_disp, entry.xmdmi_length) == (item.position, item.length)
    assert isinstance(entry.xmdmi_where, InTargetedSegments)


# -- items of requests


def test_item_in_memory_is_read() -> None:
    """rtrext 7.3: as a Read chunk."""
    end = LoneResponder(BARE, BARE)
    assert end.hears(request(7, KEPT, [memory(44, 4)])) == []
    assert [(one.handle, one.length) for one in end.reading[0].transfers] == [(5, 4)]
    assert end.reads(b"four") == [plain_reply(7, calls.expected_reply(STORE))]


def test_items_in_memory_and_in_sends_may_be_mixed() -> None:
    """rtrext 7.3."""
    call = calls.store_two(7, b"first", b"then", b"second")
    one, two = (item.position for item in TestProgram().arguments(call))
    items = [MessageItem(one, 5, InTargetedSegments(0, (1,))), memory(two, 6)]
    kept = call[:one] + call[one + 8 : two]
    header = len(request(7, kept, items))
    end = LoneResponder(BULKY, BULKY)
    assert end.hears(request(7, kept, items, rest=bytes(2048 - header) + b"first")) == []
    assert end.reads(b"second") == [plain_reply(7, calls.expected_reply(call))]


def test_item_without_payload_before_it_is_the_whole_call() -> None:
    """rtrext 5.2: the equivalent of a Position-Zero Read chunk."""
    end = LoneResponder(BARE, BARE)
    assert end.hears(request(7, b"", [memory(0, len(NULL))])) == []
    assert end.reads(NULL) == [plain_reply(7, calls.expected_reply(NULL))]


INELIGIBLE = {
    "beginning of the stream": request(7, STORE[40:], [memory(0, 40)]),
    "of ECHO": request(7, calls.echo(7, b"four")[:44], [memory(44, 4)]),
    "beyond the stream": request(7, KEPT, [memory(48, 4)]),
    "in two entries": request(7, KEPT, [memory(44, 4), memory(44, 4)]),
    "nowhere": request(7, KEPT, [MessageItem(44, 4, NoItem())]),
    "unaligned": request(7, KEPT, [memory(42, 4)]),
}


@pytest.mark.parametrize("message", INELIGIBLE.values(), ids=INELIGIBLE)
def test_item_that_can_be_no_argument_is_refused(message: bytes) -> None:
    """D-106, rfc8166 6.1: at once, or when it has been read; nothing is executed."""
    end = LoneResponder(BARE, BARE)
    answer = list(end.hears(message))
    if end.reading:
        answer = end.reads(b"four")

    assert answer == [BAD_HEADER]
    assert end.posted == 1


@pytest.mark.parametrize("length", [3, 5, 8])
def test_item_in_sends_is_as_long_as_its_argument(length: int) -> None:
    """rfc8166 4.5.2: its padding is nowhere (D-103)."""
    items = [MessageItem(44, length, InTargetedSegments(0, (0,)))]
    header = len(request(7, KEPT, items))
    message = request(7, KEPT, items, rest=bytes(1024 - header) + b"four" + bytes(4))

    assert LoneResponder(BULKY, BULKY).hears(message) == [plain_reply(7, rpc.garbage_args(7))]


# -- what is no request


@pytest.mark.parametrize(
    "message",
    [
        response(7, NULL),
        response(7, calls.expected_reply(NULL)),
        option_message(
            7,
            GRANTED,
            MessageType.REPLY,
            ReptErr(TransmissionId(7, MessageType.REPLY, 0), None, BadContinuation()),
        ),
    ],
    ids=["a response that has a call", "a response", "a report"],
)
def test_what_is_for_a_requester_gets_no_answer(message: bytes) -> None:
    """rtrext 5.4, D-110: a report about a response is only noted."""
    end = LoneResponder(BARE, BARE)

    assert end.hears(message) == []
    assert (end.posted, end.closed) == (1, False)


def test_request_to_an_end_that_does_not_support_it_has_no_header_that_can_be_decoded() -> None:
    """Where no part for optional messages has refused the operation before."""
    assert LoneResponder(NO_REDUCTIONS, BARE).hears(request(7, NULL)) == [BAD_HEADER]
