"""Contract: Receives of several segments, at the addresses of registered memory."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import FabricError
from rpcrdma.fabric.base import Access, ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus
from rpcrdma.fabric.segments import Placement, ReceiveSegment, one_segment
from rpcrdma.fabric.trace import EventKind, Side, Trace

if TYPE_CHECKING:
    from tests.fabric_contract.conftest import Ends, FabricPair

MOST = 4
MESSAGE = bytes(range(1, 101))


@pytest.fixture
def scattering(fabric_pair: FabricPair) -> Ends:
    """A connection whose passive end may post Receives of four segments, and has posted none."""
    return fabric_pair.connect(passive=ConnectionParameters(receive_segments=MOST))


def test_message_fills_the_segments_in_their_order(scattering: Ends) -> None:
    """The octets lie where the segments are, whatever their order in memory, and nowhere else."""
    end = scattering.passive
    low, high = end.register(256, Access.LOCAL_WRITE), end.register(64, Access.LOCAL_WRITE)
    segments = (
        ReceiveSegment(40, low, 128),
        ReceiveSegment(30, high, 8),
        ReceiveSegment(30, low, 16),
    )
    work_id = end.post_receive(segments)
    scattering.active.post_send(MESSAGE)

    arrived = scattering.received(end)

    assert (arrived.work_id, arrived.status) == (work_id, CompletionStatus.SUCCESS)
    assert (arrived.length, arrived.data) == (100, MESSAGE)
    assert arrived.placed == (
        Placement(low.offset + 128, 40),
        Placement(high.offset + 8, 30),
        Placement(low.offset + 16, 30),
    )
    assert low.read() == bytes(16) + MESSAGE[70:] + bytes(82) + MESSAGE[:40] + bytes(88)
    assert high.read() == bytes(8) + MESSAGE[40:70] + bytes(26)


def test_segments_beyond_the_message_hold_nothing_of_it(scattering: Ends) -> None:
    """A short message leaves the last segments as they were."""
    end = scattering.passive
    region = end.register(64, Access.LOCAL_WRITE)
    region.write(b"*" * 64)
    end.post_receive(tuple(ReceiveSegment(16, region, 16 * n) for n in range(4)))
    scattering.active.post_send(MESSAGE[:20])

    arrived = scattering.received(end)

    assert [one.length for one in arrived.placed] == [16, 4, 0, 0]
    assert region.read() == MESSAGE[:20] + b"*" * 44


def test_message_of_all_segments_fits_and_one_octet_more_does_not(fabric_pair: FabricPair) -> None:
    """The sum of the segments is the length of the Receive, as with one segment."""
    passive = ConnectionParameters(receive_segments=MOST)
    for length, fits in ((48, True), (49, False)):
        ends = fabric_pair.connect(passive=passive)
        region = ends.passive.register(48, Access.LOCAL_WRITE)
        ends.passive.post_receive((ReceiveSegment(16, region), ReceiveSegment(32, region, 16)))
        work_id = ends.active.post_send(MESSAGE[:length])

        arrived = ends.received(ends.passive)
        sent = ends.completion(ends.active, work_id)

        if fits:
            assert (arrived.status, region.read()) == (CompletionStatus.SUCCESS, MESSAGE[:48])
            continue
        assert arrived.status in {
            CompletionStatus.LOCAL_LENGTH_ERROR,
            CompletionStatus.LOCAL_QP_OPERATION_ERROR,  # Soft-RoCE, which fails as it copies
        }
        assert arrived.placed == ()
        assert sent.status in {
            CompletionStatus.REMOTE_INVALID_REQUEST,
            CompletionStatus.REMOTE_OPERATION_ERROR,  # as in test_messages.py
        }
        assert not ends.active.connected


@pytest.mark.parametrize("place", [0, 1, 2])
def test_segment_of_no_octets_is_passed_over(scattering: Ends, place: int) -> None:
    """Wherever it stands in the list; it takes nothing and limits nothing."""
    end = scattering.passive
    region = end.register(64, Access.LOCAL_WRITE)
    segments = [ReceiveSegment(16, region), ReceiveSegment(16, region, 16)]
    segments.insert(place, ReceiveSegment(0, region, 60))
    end.post_receive(tuple(segments))
    scattering.active.post_send(MESSAGE[:32])

    arrived = scattering.received(end)

    expected = [16, 16]
    expected.insert(place, 0)
    assert [one.length for one in arrived.placed] == expected
    assert region.read() == MESSAGE[:32] + bytes(32)


def test_receive_of_no_octets_takes_an_empty_message(scattering: Ends) -> None:
    """Several segments of none at all are still a Receive."""
    end = scattering.passive
    region = end.register(8, Access.LOCAL_WRITE)
    end.post_receive((ReceiveSegment(0, region), ReceiveSegment(0)))
    scattering.active.post_send(b"")

    arrived = scattering.received(end)

    assert (arrived.status, arrived.data) == (CompletionStatus.SUCCESS, b"")
    assert [one.length for one in arrived.placed] == [0, 0]


def test_segments_of_the_fabrics_own_memory_mix_with_registered_ones(scattering: Ends) -> None:
    """A header in memory that is nobody else's, bulk data at an address, and the rest anywhere."""
    end = scattering.passive
    region = end.register(64, Access.LOCAL_WRITE)
    segments = (ReceiveSegment(28), ReceiveSegment(64, region), ReceiveSegment(28))
    for _ in range(3):  # what is the fabric's own is used again
        end.post_receive(segments)
        scattering.active.post_send(MESSAGE)

        arrived = scattering.received(end)

        assert arrived.data == MESSAGE
        assert [one.address for one in arrived.placed] == [None, region.offset, None]
        assert region.read() == MESSAGE[28:92]


@pytest.mark.parametrize("align", [64, 3000, 4096, 65536])
def test_own_memory_is_at_multiples_of_its_alignment(
    fabric_pair: FabricPair, scattering: Ends, align: int
) -> None:
    """Each segment has an address of its own while it is posted, which is told then already."""
    trace = fabric_pair.passive.trace = Trace()
    end = scattering.passive
    segments = (ReceiveSegment(28), *(ReceiveSegment(24, align=align),) * 3)
    for _ in range(3):  # what is the fabric's own is used again
        trace.events.clear()
        for _ in range(2):
            end.post_receive(segments)
        messages = [MESSAGE, MESSAGE[50:]]
        for message in messages:
            scattering.active.post_send(message)

        arrived = scattering.completions(end, 2)

        assert [one.data for one in arrived] == messages
        assert [[one.length for one in each.placed] for each in arrived] == [
            [28, 24, 24, 24],
            [28, 22, 0, 0],
        ]
        addresses = [[one.address for one in each.placed] for each in arrived]
        assert [first for first, *_ in addresses] == [None, None]
        aligned = [address or 1 for _, *others in addresses for address in others]
        assert not any(address % align for address in aligned)
        assert len(set(aligned)) == 6
        posted = [one for one in trace.events if one.kind is EventKind.POST_RECEIVE]
        assert [[one.address for one in each.placed] for each in posted] == addresses


def test_one_aligned_segment_alone_has_an_address(scattering: Ends) -> None:
    """Where a message lies that it holds alone matters, too."""
    end = scattering.passive
    end.post_receive((ReceiveSegment(128, align=4096),))
    scattering.active.post_send(MESSAGE)

    (placed,) = scattering.received(end).placed

    assert placed.length == 100
    assert placed.address is not None
    assert placed.address % 4096 == 0


def test_first_messages_find_receives_of_several_segments(fabric_pair: FabricPair) -> None:
    """They are posted before the connection can carry anything, at either end."""
    first = (ReceiveSegment(28), ReceiveSegment(72, align=4096))
    parameters = ConnectionParameters(
        receive_segments=2, initial_receives=(first, one_segment(100), first)
    )
    ends = fabric_pair.connect(parameters, parameters)
    for sender, end in ((ends.active, ends.passive), (ends.passive, ends.active)):
        for _ in parameters.initial_receives:
            sender.post_send(MESSAGE)

        arrived = [ends.received(end) for _ in range(3)]

        assert [one.data for one in arrived] == [MESSAGE] * 3
        assert [[one.length for one in each.placed] for each in arrived] == [[28, 72], [], [28, 72]]
        addresses = {arrived[number].placed[1].address or 1 for number in (0, 2)}
        assert len(addresses) == 2
        assert not any(address % 4096 for address in addresses)


def test_initial_receives_are_bounded_as_later_ones(scattering: Ends) -> None:
    """And no registered memory is there for them."""
    for count in (0, MOST + 1):
        with pytest.raises(FabricError, match=f"a Receive of {count} segments"):
            ConnectionParameters(
                receive_segments=MOST,
                initial_receives=(one_segment(8), (ReceiveSegment(8),) * count),
            )
    region = scattering.passive.register(64, Access.LOCAL_WRITE)
    with pytest.raises(FabricError, match="a segment of registered memory"):
        ConnectionParameters(initial_receives=((ReceiveSegment(8, region),),))


def test_more_segments_than_a_device_scatters_over_are_refused_at_once(
    fabric_pair: FabricPair,
) -> None:
    """Not when the first Receive is posted; who simulates a device has no such limit."""
    refusal = pytest.raises(FabricError, match=r"at most \d+ segments; 1000 are asked for")
    with refusal if fabric_pair.is_device else nullcontext():
        fabric_pair.connect(active=ConnectionParameters(receive_segments=1000))


def test_receives_of_one_and_of_several_segments_keep_their_order(scattering: Ends) -> None:
    """A scattered Receive is one Receive among others."""
    end = scattering.passive
    region = end.register(32, Access.LOCAL_WRITE)
    end.post_receive(one_segment(64))
    end.post_receive((ReceiveSegment(2, region), ReceiveSegment(30, region, 2)))
    end.post_receive(one_segment(64))
    for message in (b"first", b"second", b"third"):
        scattering.active.post_send(message)

    arrived = scattering.completions(end, 3)

    assert [one.data for one in arrived] == [b"first", b"second", b"third"]
    assert [len(one.placed) for one in arrived] == [0, 2, 0]


def test_memory_that_was_invalidated_takes_no_message(scattering: Ends) -> None:
    """Its segment cannot be filled: either end sees an error of its own.

    The verbs' word is "local protection error"; Soft-RoCE calls it an error of the queue pair.
    """
    end = scattering.passive
    region = end.register(64, Access.LOCAL_WRITE)
    end.invalidate(region)
    end.post_receive((ReceiveSegment(8), ReceiveSegment(64, region)))
    work_id = scattering.active.post_send(MESSAGE[:32])

    arrived = scattering.received(end)
    sent = scattering.completion(scattering.active, work_id)

    assert arrived.status in {
        CompletionStatus.LOCAL_PROTECTION_ERROR,
        CompletionStatus.LOCAL_QP_OPERATION_ERROR,
    }
    assert sent.status is CompletionStatus.REMOTE_OPERATION_ERROR
    assert region.read() == bytes(64)


def test_more_segments_than_the_connection_was_made_for_are_refused(scattering: Ends) -> None:
    """And so is a Receive of none; the connection goes on."""
    for count in (0, MOST + 1):
        with pytest.raises(FabricError, match=f"a Receive of {count} segments"):
            scattering.passive.post_receive((ReceiveSegment(8),) * count)
    with pytest.raises(FabricError, match="a Receive of 2 segments"):
        scattering.active.post_receive((ReceiveSegment(8),) * 2)
    scattering.passive.post_receive(one_segment(8))
    scattering.active.post_send(b"goes on")

    assert scattering.received(scattering.passive).data == b"goes on"


def test_scattered_receives_are_flushed_as_others_are(scattering: Ends) -> None:
    """Each completes exactly once."""
    end = scattering.passive
    posted = [end.post_receive((ReceiveSegment(8), ReceiveSegment(8))) for _ in range(3)]
    scattering.active.disconnect()

    rest = scattering.rest(end)

    assert [entry.work_id for entry in rest] == posted
    assert {entry.status for entry in rest} == {CompletionStatus.FLUSHED}


def test_trace_has_the_segments_and_what_landed_there(
    fabric_pair: FabricPair, scattering: Ends
) -> None:
    """Of Receives that have addresses; of the others there is nothing to tell."""
    trace = fabric_pair.passive.trace = Trace()
    end = scattering.passive
    region = end.register(64, Access.LOCAL_WRITE)
    end.post_receive((ReceiveSegment(28), ReceiveSegment(64, region)))
    end.post_receive(one_segment(64))
    for _ in range(2):
        scattering.active.post_send(MESSAGE[:40])
        scattering.received(end)

    told = [
        (event.side, event.kind, event.placed)
        for event in trace.events
        if event.kind in {EventKind.POST_RECEIVE, EventKind.SEND}
    ]
    assert told == [
        (Side.LOCAL, EventKind.POST_RECEIVE, (Placement(None, 28), Placement(region.offset, 64))),
        (Side.LOCAL, EventKind.POST_RECEIVE, ()),
        (Side.PEER, EventKind.SEND, (Placement(None, 28), Placement(region.offset, 12))),
        (Side.PEER, EventKind.SEND, ()),
    ]
