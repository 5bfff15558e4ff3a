"""Reads of a send queue: what is asked for, what comes, what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.packet.aeth import NakCode
from rpcrdma.roce.packet.bth import BthOpcode, Packet
from rpcrdma.roce.transport.queue_pair import QueuePairState
from rpcrdma.roce.transport.requester import WINDOW_PACKETS
from tests.roce.transport.conftest import ACK, ACK_TIMEOUT, ALL, MTU, SMALL, START, LoneEnd

OCTETS = bytes(range(256)) * 4
OK, FLUSHED = CompletionStatus.SUCCESS, CompletionStatus.FLUSHED
Op = BthOpcode
FIRST, MIDDLE = Op.READ_RESPONSE_FIRST, Op.READ_RESPONSE_MIDDLE
LAST, ONLY = Op.READ_RESPONSE_LAST, Op.READ_RESPONSE_ONLY


def asked(packets: list[Packet]) -> list[tuple[int, int, int]]:
    """Number, offset and length of each request."""
    return [
        (packet.psn, packet.reth.offset, packet.reth.length)
        for packet in packets
        if packet.reth is not None
    ]


def parts(length: int) -> list[tuple[BthOpcode, bytes]]:
    """The whole response, packet by packet."""
    octets = OCTETS[:length]
    cut = [octets[at : at + MTU] for at in range(0, length, MTU)] or [b""]
    if len(cut) == 1:
        return [(ONLY, cut[0])]
    opcodes = [FIRST, *[MIDDLE] * (len(cut) - 2), LAST]
    return list(zip(opcodes, cut, strict=True))


@pytest.mark.parametrize("length", [0, 1, MTU, MTU + 1, 4 * MTU])
def test_response_lands_when_all_of_it_is_there(small: LoneEnd, length: int) -> None:
    """And the Read is told then."""
    region = small.register(1024, ALL)
    small.read(region, 0, length, 7, 9000)
    (request,) = small.take()
    assert asked([request]) == [(START, 9000, length)]
    for number, (opcode, octets) in enumerate(parts(length)):
        assert region.read() == bytes(1024)
        assert not small.told(EventKind.RDMA_READ)
        small.respond(opcode, START + number, octets)

    assert small.take() == []
    assert small.statuses() == [OK]
    assert region.read() == OCTETS[:length] + bytes(1024 - length)
    (event,) = small.told(EventKind.RDMA_READ)
    assert (event.side, event.data, event.handle, event.offset) == (
        Side.LOCAL,
        OCTETS[:length],
        7,
        9000,
    )


def test_no_more_reads_are_under_way_than_agreed() -> None:
    """Those behind them wait, with all that is behind those."""
    end = LoneEnd(replace(SMALL, initiator_depth=2))
    region = end.register(1024, ALL)
    for number in range(3):
        end.read(region, 0, 8, 7, 9000 + number)
    end.send(b"behind")
    assert asked(end.take()) == [(START, 9000, 8), (START + 1, 9001, 8)]
    assert end.take() == []
    end.respond(ONLY, START, bytes(8))

    assert end.taken() == [(Op.READ_REQUEST, START + 2), (Op.SEND_ONLY, START + 3)]


def test_reads_that_were_not_agreed_on_at_all_are_an_error() -> None:
    """Of this queue pair, not of the peer."""
    end = LoneEnd(replace(SMALL, initiator_depth=0))
    end.read(end.register(8, ALL), 0, 8, 7, 9000)
    end.send(b"behind")

    assert end.take() == []
    assert end.statuses() == [CompletionStatus.LOCAL_QP_OPERATION_ERROR, FLUSHED]


def test_reads_that_were_not_agreed_on_fail_in_their_turn() -> None:
    """What is before them is carried out."""
    end = LoneEnd(replace(SMALL, initiator_depth=0))
    end.send(b"before")
    end.read(end.register(8, ALL), 0, 8, 7, 9000)
    end.take()
    end.answer(ACK, START)
    end.take()

    assert end.statuses() == [OK, CompletionStatus.LOCAL_QP_OPERATION_ERROR]


def test_long_read_is_asked_for_in_pieces(small: LoneEnd) -> None:
    """So that no more octets are under way than the window; always the same pieces."""
    count = 2 * WINDOW_PACKETS + 10
    region = small.register(count * MTU, ALL)
    small.read(region, 0, count * MTU, 7, 0)
    half = WINDOW_PACKETS // 2
    piece = half * MTU
    assert asked(small.take()) == [(START, 0, piece), (START + half, piece, piece)]
    for number in range(half):
        opcode = FIRST if number == 0 else LAST if number == half - 1 else MIDDLE
        small.respond(opcode, START + number, bytes(MTU))
    assert asked(small.take()) == [(START + 2 * half, 2 * piece, piece)]
    small.respond(FIRST, START + half, bytes(MTU))
    small.take()
    small.wait(ACK_TIMEOUT)

    assert asked(small.take()) == [
        (START + half + 1, piece + MTU, piece - MTU),
        (START + 2 * half, 2 * piece, piece),
    ]


# -- what is missing


def test_rest_of_a_response_is_asked_for_after_the_timeout(small: LoneEnd) -> None:
    """From the first packet that is missing."""
    region = small.register(1024, ALL)
    small.read(region, 0, 1000, 7, 9000)
    small.take()
    small.respond(FIRST, START, OCTETS[:MTU])
    small.take()
    small.wait(ACK_TIMEOUT)
    assert asked(small.take()) == [(START + 1, 9000 + MTU, 1000 - MTU)]
    for number, octets in ((1, OCTETS[256:512]), (2, OCTETS[512:768]), (3, OCTETS[768:1000])):
        small.respond(LAST if number == 3 else MIDDLE, START + number, octets)

    assert small.take() == []
    assert region.read(0, 1000) == OCTETS[:1000]


def test_gap_in_a_response_asks_for_the_rest_at_once_but_once(small: LoneEnd) -> None:
    """An implied NAK; the rest of the first response is no further one."""
    region = small.register(1024, ALL)
    small.read(region, 0, 1024, 7, 9000)
    small.take()
    small.respond(FIRST, START, OCTETS[:MTU])
    small.respond(MIDDLE, START + 2, OCTETS[512:768])
    assert asked(small.take()) == [(START + 1, 9000 + MTU, 768)]
    small.respond(LAST, START + 3, OCTETS[768:])

    assert small.take() == []
    assert small.statuses() == []


def test_acknowledgement_beyond_a_read_asks_for_it_again(small: LoneEnd) -> None:
    """What was acknowledged is not sent again, and completes behind the Read."""
    region = small.register(1024, ALL)
    small.send(b"before")
    small.read(region, 0, 8, 7, 9000)
    small.send(b"behind")
    small.take()
    small.answer(ACK, START + 2)
    assert small.taken() == [(Op.READ_REQUEST, START + 1)]
    assert small.statuses() == [OK]
    small.respond(ONLY, START + 1, bytes(8))
    small.take()

    assert small.statuses() == [OK] * 3


def test_gap_is_seen_behind_what_was_acknowledged(small: LoneEnd) -> None:
    """An acknowledgement that overtook the response has said nothing of the gap."""
    region = small.register(1024, ALL)
    small.read(region, 0, 1024, 7, 9000)
    small.send(b"behind")
    small.take()
    small.answer(ACK, START + 4)
    assert asked(small.take()) == [(START, 9000, 1024)]
    small.respond(FIRST, START, OCTETS[:MTU])
    small.respond(MIDDLE, START + 2, OCTETS[512:768])

    assert asked(small.take()) == [(START + 1, 9000 + MTU, 768)]


def test_late_response_is_not_asked_for_again() -> None:
    """It came while the request for it had to wait for its turn."""
    end = LoneEnd(replace(SMALL, initiator_depth=1))
    region = end.register(1024, ALL)
    end.read(region, 0, 512, 7, 9000)
    end.read(region, 512, 512, 7, 9512)
    end.take()
    end.respond(FIRST, START, OCTETS[:MTU])
    end.take()
    end.wait(ACK_TIMEOUT)
    end.respond(LAST, START + 1, OCTETS[MTU:512])

    assert asked(end.take()) == [(START + 2, 9512, 512)]


def test_response_to_a_later_read_asks_for_the_earlier_again(small: LoneEnd) -> None:
    """Both, since the later one is not kept; what was sent between them arrived."""
    region = small.register(1024, ALL)
    small.read(region, 0, 8, 7, 9000)
    small.send(b"between")
    small.read(region, 0, 8, 7, 9500)
    small.take()
    small.respond(ONLY, START + 2, bytes(8))

    assert asked(small.take()) == [(START, 9000, 8), (START + 2, 9500, 8)]


def test_response_acknowledges_what_was_sent_before_it(small: LoneEnd) -> None:
    """Of any kind but a Read."""
    region = small.register(1024, ALL)
    small.send(b"before")
    small.write(region, 0, 8, 7, 9000)
    small.read(region, 0, 8, 7, 9000)
    small.take()
    small.respond(ONLY, START + 2, bytes(8))
    small.take()

    assert small.statuses() == [OK] * 3


def test_duplicate_response_is_ignored(small: LoneEnd) -> None:
    """Its octets, too."""
    region = small.register(1024, ALL)
    small.read(region, 0, 512, 7, 9000)
    small.take()
    small.respond(FIRST, START, b"1" * MTU)
    small.respond(FIRST, START, b"2" * MTU)
    small.respond(LAST, START + 1, b"3" * MTU)
    small.respond(LAST, START + 1, b"4" * MTU)
    small.take()

    assert region.read(0, 512) == b"1" * MTU + b"3" * MTU


def test_refused_read_fails(small: LoneEnd) -> None:
    """Also in the middle of its response, when the memory is gone by then."""
    region = small.register(1024, ALL)
    small.read(region, 0, 512, 7, 9000)
    small.take()
    small.respond(FIRST, START, b"1" * MTU)
    small.answer(NakCode.REMOTE_ACCESS_ERROR, START + 1)
    small.take()

    assert small.statuses() == [CompletionStatus.REMOTE_ACCESS_ERROR]
    assert region.read() == bytes(1024)


# -- responses that fit no request

WRONG = {
    "a last packet at once": [(LAST, MTU)],
    "a middle packet first": [(MIDDLE, MTU)],
    "an only packet of several": [(ONLY, MTU)],
    "a first packet that is not full": [(FIRST, MTU - 1)],
    "a second first packet": [(FIRST, MTU), (FIRST, MTU)],
    "a last packet too early": [(FIRST, MTU), (LAST, MTU)],
    "a middle packet at the end": [(FIRST, MTU), (MIDDLE, MTU), (MIDDLE, 8)],
    "a last packet too long": [(FIRST, MTU), (MIDDLE, MTU), (LAST, 9)],
    "a last packet too short": [(FIRST, MTU), (MIDDLE, MTU), (LAST, 7)],
}


@pytest.mark.parametrize("name", WRONG)
def test_response_that_does_not_fit_its_request_fails_it(small: LoneEnd, name: str) -> None:
    """A bad response, as the verbs call it; nothing lands."""
    region = small.register(1024, ALL)
    small.read(region, 0, 2 * MTU + 8, 7, 9000)
    small.take()
    for number, (opcode, size) in enumerate(WRONG[name]):
        small.respond(opcode, START + number, b"x" * size)
    small.take()

    assert small.statuses() == [CompletionStatus.OTHER]
    assert region.read() == bytes(1024)
    assert small.pair.state is QueuePairState.ERROR
    detail = small.told(EventKind.FAILURE)[0].detail
    assert detail == "RDMA Read: a response that does not fit the request"


def test_read_that_waited_for_its_turn_has_a_strict_response() -> None:
    """Others were asked for again meanwhile, it was not."""
    end = LoneEnd(replace(SMALL, initiator_depth=1))
    region = end.register(1024, ALL)
    end.read(region, 0, 8, 7, 9000)
    end.read(region, 8, 8, 7, 9008)
    end.take()
    end.wait(ACK_TIMEOUT)
    end.take()
    end.respond(LAST, START, bytes(8))
    end.take()
    end.respond(LAST, START + 1, bytes(8))
    end.take()

    assert end.statuses() == [OK, CompletionStatus.OTHER]
