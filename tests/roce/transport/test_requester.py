"""What leaves a send queue, and what it makes of its peer's answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.trace import EventKind, Side
from rpcrdma.roce.packet.aeth import NakCode, rnr_nak, rnr_timer_seconds
from rpcrdma.roce.packet.bth import BthOpcode
from rpcrdma.roce.transport.queue_pair import QueuePairState
from rpcrdma.roce.transport.requester import WINDOW_OCTETS, WINDOW_PACKETS
from tests.roce.transport.conftest import ACK, ACK_TIMEOUT, ALL, MTU, START, USUAL, LoneEnd

OK, FLUSHED = CompletionStatus.SUCCESS, CompletionStatus.FLUSHED
Op = BthOpcode


def sends(end: LoneEnd, count: int) -> None:
    """Post Sends of one packet and take the packets."""
    for number in range(count):
        end.send(bytes([number]))
    assert [psn for _, psn in end.taken()] == [START + n for n in range(count)]


# -- sending


def test_queue_has_its_depth() -> None:
    """One more is refused, until the first is done."""
    end = LoneEnd(depth=2)
    sends(end, 2)
    with pytest.raises(FabricError, match="2 requests are posted"):
        end.send(b"3")
    end.answer(ACK, START)
    end.send(b"3")


def test_last_of_all_that_leave_together_asks_for_an_acknowledgement(lone: LoneEnd) -> None:
    """One is enough for the others; the response to a Read is one, too."""
    region = lone.register(8, ALL)
    for _ in range(2):
        lone.send(b"1")
        lone.write(region, 0, 8, 1, 1)
        assert [packet.ack_request for packet in lone.take()] == [False, True]


def test_long_message_asks_for_an_acknowledgement_now_and_then(small: LoneEnd) -> None:
    """At every sixteenth number, and at its end."""
    small.send(bytes(40 * MTU))

    asking = [packet.psn for packet in small.take() if packet.ack_request]

    assert asking == [64, 80, START + 39]


@pytest.mark.parametrize("mtu", [256, 1024, 4096])
def test_no_more_is_under_way_than_the_window(mtu: int) -> None:
    """The last that may leave asks for an acknowledgement, and each one lets as many more leave."""
    end = LoneEnd(replace(USUAL, path_mtu=mtu))
    window = min(WINDOW_PACKETS, WINDOW_OCTETS // mtu)
    end.send(bytes(3 * window * mtu))

    packets = end.take()

    assert [packet.psn for packet in packets] == list(range(START, START + window))
    assert packets[-1].ack_request
    assert end.take() == []
    end.answer(ACK, START + 9)
    assert [psn for _, psn in end.taken()] == list(range(START + window, START + window + 10))


def test_one_acknowledgement_completes_all_before_it(lone: LoneEnd) -> None:
    """In the order of posting; unsignalled ones say nothing."""
    first, _, third = lone.send(b"1"), lone.send(b"2", signalled=False), lone.send(b"3")
    lone.take()
    lone.answer(ACK, START + 2)
    lone.take()

    assert [entry.work_id for entry in lone.done] == [first, third]
    assert lone.pair.deadline() is None


# -- acknowledgements that mean nothing


@pytest.mark.parametrize("psn", [START - 1, START + 3, START + 0x700000, START - 0x700000])
@pytest.mark.parametrize("syndrome", [ACK, rnr_nak(1), NakCode.REMOTE_ACCESS_ERROR])
def test_answer_to_what_is_not_under_way_is_ignored(lone: LoneEnd, syndrome: int, psn: int) -> None:
    """A duplicate, or a ghost of another connection."""
    sends(lone, 3)
    before = lone.pair.deadline()
    lone.answer(syndrome, psn)

    assert lone.take() == []
    assert (lone.done, lone.pair.deadline()) == ([], before)


@pytest.mark.parametrize("syndrome", [0x40, 0x5F, 0x80, 0xFF, 0x65, NakCode.INVALID_RD_REQUEST])
def test_reserved_syndrome_is_ignored(lone: LoneEnd, syndrome: int) -> None:
    """The timer asks again."""
    sends(lone, 1)
    lone.answer(syndrome, START)

    assert lone.take() == []
    assert lone.pair.state is QueuePairState.READY_TO_SEND
    lone.wait(ACK_TIMEOUT)
    assert [psn for _, psn in lone.taken()] == [START]


@pytest.mark.parametrize("opcode", [Op.ATOMIC_ACKNOWLEDGE, Op.READ_RESPONSE_ONLY])
def test_answers_to_what_was_never_asked_are_ignored(lone: LoneEnd, opcode: BthOpcode) -> None:
    """No atomic operation and no Read is under way."""
    sends(lone, 2)
    lone.respond(opcode, START, b"")

    assert lone.take() == []
    assert lone.done == []


# -- time


def test_unanswered_packets_are_sent_again_until_the_retries_are_used_up() -> None:
    """The oldest request fails, the others are flushed."""
    end = LoneEnd(replace(USUAL, retry=2))
    sends(end, 2)
    for _ in range(2):
        assert end.pair.deadline() == pytest.approx(end.now + ACK_TIMEOUT)
        end.wait(ACK_TIMEOUT / 2)
        assert end.take() == []
        end.wait(ACK_TIMEOUT / 2)
        assert [psn for _, psn in end.taken()] == [START, START + 1]
    end.wait(ACK_TIMEOUT)
    end.take()

    assert end.statuses() == [CompletionStatus.RETRY_EXCEEDED, FLUSHED]
    assert end.pair.state is QueuePairState.ERROR
    assert end.pair.deadline() is None
    (event,) = end.told(EventKind.FAILURE)
    assert (event.side, event.detail) == (
        Side.LOCAL,
        "Send: transport retry counter exceeded",
    )


def test_progress_gives_all_retries_back() -> None:
    """Only silence counts."""
    end = LoneEnd(replace(USUAL, retry=1))
    sends(end, 3)
    for number in range(3):
        end.wait(ACK_TIMEOUT)
        assert [psn for _, psn in end.taken()] == [START + n for n in range(number, 3)]
        end.answer(ACK, START + number)
        end.take()

    assert end.statuses() == [OK] * 3


def test_no_timeout_is_for_ever() -> None:
    """Code 0 of the local ACK timeout."""
    end = LoneEnd(replace(USUAL, ack_timeout=0.0))
    sends(end, 1)

    assert end.pair.deadline() is None
    end.wait(1e9)
    assert end.take() == []


def test_message_goes_on_where_the_acknowledgements_end(small: LoneEnd) -> None:
    """What was acknowledged of it is not sent again."""
    small.send(bytes(4 * MTU))
    small.take()
    small.answer(ACK, START + 1)
    small.take()
    small.wait(ACK_TIMEOUT)

    assert small.taken() == [(Op.SEND_MIDDLE, START + 2), (Op.SEND_LAST, START + 3)]


# -- NAKs


def test_sequence_error_has_all_from_there_on_sent_again_once(lone: LoneEnd) -> None:
    """What is before it was executed; the same news again changes nothing."""
    sends(lone, 4)
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START + 1)
    assert [psn for _, psn in lone.taken()] == [START + 1, START + 2, START + 3]
    assert lone.statuses() == [OK]
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START + 1)
    assert lone.take() == []
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START + 2)
    assert [psn for _, psn in lone.taken()] == [START + 2, START + 3]


def test_sequence_error_counts_again_after_a_timeout(lone: LoneEnd) -> None:
    """The packet was lost for a second time, and the peer has seen the one behind it."""
    sends(lone, 1)
    lone.wait(ACK_TIMEOUT)
    lone.take()
    lone.send(b"behind")
    lone.take()
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START)
    assert [psn for _, psn in lone.taken()] == [START, START + 1]
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START)
    assert lone.take() == []
    lone.wait(ACK_TIMEOUT)
    lone.take()
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START)
    assert [psn for _, psn in lone.taken()] == [START, START + 1]


@pytest.mark.parametrize(
    ("syndrome", "status"),
    [
        (NakCode.INVALID_REQUEST, CompletionStatus.REMOTE_INVALID_REQUEST),
        (NakCode.REMOTE_ACCESS_ERROR, CompletionStatus.REMOTE_ACCESS_ERROR),
        (NakCode.REMOTE_OPERATIONAL_ERROR, CompletionStatus.REMOTE_OPERATION_ERROR),
    ],
)
def test_refusal_fails_its_request_and_ends_the_connection(
    lone: LoneEnd, syndrome: int, status: CompletionStatus
) -> None:
    """What went before it succeeded; the rest is flushed."""
    sends(lone, 3)
    lone.answer(syndrome, START + 1)
    lone.take()

    assert lone.statuses() == [OK, status, FLUSHED]
    assert lone.pair.state is QueuePairState.ERROR
    assert lone.told(EventKind.FAILURE)[0].detail == f"Send: {status.value}"


def test_receiver_that_is_not_ready_is_waited_for(lone: LoneEnd) -> None:
    """As long as it says; nothing leaves meanwhile, and the same news again changes nothing."""
    sends(lone, 3)
    lone.answer(rnr_nak(20), START + 1)
    lone.send(b"behind")
    assert lone.take() == []
    assert lone.statuses() == [OK]
    ready = lone.now + rnr_timer_seconds(20)
    assert lone.pair.deadline() == pytest.approx(ready)
    lone.wait(rnr_timer_seconds(20) / 2)
    lone.answer(rnr_nak(20), START + 1)
    lone.answer(NakCode.PSN_SEQUENCE_ERROR, START + 1)
    assert lone.take() == []
    assert lone.pair.deadline() == pytest.approx(ready)
    lone.wait(rnr_timer_seconds(20) / 2)

    assert [psn for _, psn in lone.taken()] == [START + 1, START + 2, START + 3]


def test_receiver_that_never_gets_ready_is_given_up() -> None:
    """After as many attempts as were asked for."""
    end = LoneEnd(replace(USUAL, rnr_retry=2))
    sends(end, 2)
    for _ in range(2):
        end.answer(rnr_nak(1), START)
        assert end.take() == []
        end.wait(1.0)
        assert len(end.take()) == 2
    end.answer(rnr_nak(1), START)
    end.take()

    assert end.statuses() == [CompletionStatus.RNR_RETRY_EXCEEDED, FLUSHED]


def test_progress_gives_all_attempts_back() -> None:
    """Each message may wait as often as the first."""
    end = LoneEnd(replace(USUAL, rnr_retry=1))
    sends(end, 3)
    for number in range(3):
        end.answer(rnr_nak(1), START + number)
        end.wait(1.0)
        end.take()
    end.answer(ACK, START + 2)
    end.take()

    assert end.statuses() == [OK] * 3


def test_seven_attempts_are_for_ever(lone: LoneEnd) -> None:
    """So the verbs say it."""
    sends(lone, 1)
    for _ in range(50):
        lone.answer(rnr_nak(1), START)
        lone.wait(1.0)
        assert len(lone.take()) == 1


def test_wait_for_what_was_acknowledged_after_all_ends_quietly(lone: LoneEnd) -> None:
    """The acknowledgement was late, the refusal was for a duplicate."""
    sends(lone, 1)
    lone.answer(rnr_nak(20), START)
    lone.answer(ACK, START)
    lone.take()
    lone.wait(1.0)

    assert (lone.statuses(), lone.take(), lone.pair.deadline()) == ([OK], [], None)


# -- local memory


def test_request_that_its_own_region_forbids_fails_in_its_turn(lone: LoneEnd) -> None:
    """What is before it is carried out; it, and what is behind it, never leaves."""
    region = lone.register(8, Access.REMOTE_READ)
    lone.send(b"before")
    lone.read(region, 0, 8, 1, 1)
    lone.send(b"behind")
    assert [psn for _, psn in lone.taken()] == [START]
    assert lone.pair.state is QueuePairState.READY_TO_SEND
    lone.answer(ACK, START)
    lone.take()

    assert lone.statuses() == [OK, CompletionStatus.LOCAL_PROTECTION_ERROR, FLUSHED]
    assert lone.pair.state is QueuePairState.ERROR


def test_what_never_leaves_is_not_sent_again_either(lone: LoneEnd) -> None:
    """Nor is what is behind it."""
    region = lone.register(8, Access.REMOTE_READ)
    lone.send(b"before")
    lone.read(region, 0, 8, 1, 1)
    lone.send(b"behind")
    lone.take()
    lone.wait(ACK_TIMEOUT)

    assert lone.taken() == [(Op.SEND_ONLY, START)]


def test_write_takes_its_octets_when_it_is_posted(lone: LoneEnd) -> None:
    """And is told then."""
    region = lone.register(8, ALL)
    region.write(b"at first")
    lone.write(region, 0, 8, 1, 1)
    region.write(b"and then")

    assert lone.take()[0].payload == b"at first"
    (event,) = lone.told(EventKind.RDMA_WRITE)
    assert (event.side, event.data) == (Side.LOCAL, b"at first")


@pytest.mark.parametrize("kind", ["read", "write"])
def test_region_that_was_invalidated_meanwhile_fails_its_request(lone: LoneEnd, kind: str) -> None:
    """The owner's invalidation wins."""
    region = lone.register(8, ALL)
    post = lone.read if kind == "read" else lone.write
    post(region, 0, 8, 1, 1)
    lone.take()
    region.invalidate()
    if kind == "read":
        lone.respond(Op.READ_RESPONSE_ONLY, START, b"12345678")
    else:
        lone.answer(ACK, START)
    lone.take()

    assert lone.statuses() == [CompletionStatus.LOCAL_PROTECTION_ERROR]
    assert region.read() == bytes(8)
