"""Contract: Sends and Receives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import ConnectionLost
from rpcrdma.fabric.base import ConnectionParameters
from rpcrdma.fabric.completion import CompletionStatus, Opcode
from rpcrdma.fabric.segments import one_segment

if TYPE_CHECKING:
    from tests.fabric_contract.conftest import Ends, FabricPair


def test_send_arrives_unchanged_in_both_directions(ends: Ends) -> None:
    """A message of any octets arrives as it was sent, whichever end sends it."""
    message = bytes(range(256))
    for sender, receiver in ((ends.active, ends.passive), (ends.passive, ends.active)):
        work_id = sender.post_send(message)

        arrived = ends.received(receiver)
        sent = ends.completion(sender, work_id)

        assert (arrived.status, arrived.data) == (CompletionStatus.SUCCESS, message)
        assert (arrived.length, arrived.invalidated) == (256, None)
        assert (sent.opcode, sent.status) == (Opcode.SEND, CompletionStatus.SUCCESS)


def test_receives_are_consumed_in_the_order_of_posting(fabric_pair: FabricPair) -> None:
    """The first message takes the first Receive, also when that one is larger than needed."""
    ends = fabric_pair.connect(
        passive=ConnectionParameters(initial_receives=(one_segment(64), one_segment(128))),
    )
    third = ends.passive.post_receive(one_segment(32))
    for message in (b"first", b"second", b"third"):
        ends.active.post_send(message)

    arrived = ends.completions(ends.passive, 3)

    assert [entry.data for entry in arrived] == [b"first", b"second", b"third"]
    assert arrived[0].work_id != arrived[1].work_id
    assert arrived[2].work_id == third


def test_empty_message_takes_a_receive(ends: Ends) -> None:
    """A Send of no octets completes a Receive with length 0."""
    ends.active.post_send(b"")

    arrived = ends.received(ends.passive)

    assert (arrived.ok, arrived.length, arrived.data) == (True, 0, b"")


def test_message_of_exactly_the_receives_length_fits(fabric_pair: FabricPair) -> None:
    """The Receive's length itself is still allowed."""
    ends = fabric_pair.connect(passive=ConnectionParameters(initial_receives=(one_segment(100),)))
    ends.active.post_send(b"x" * 100)

    assert ends.received(ends.passive).length == 100


def test_message_longer_than_the_receive_breaks_the_connection(fabric_pair: FabricPair) -> None:
    """Either end sees an error of its own, and all else is flushed.

    The verbs' words are "invalid request" and "length error".  Soft-RoCE of Linux 6.1, which finds
    out while it copies, was seen to say "remote operation error" to the sender.
    """
    ends = fabric_pair.connect(
        passive=ConnectionParameters(initial_receives=(one_segment(100),) * 2)
    )
    work_id = ends.active.post_send(b"x" * 101)

    sent = ends.completion(ends.active, work_id)
    first, second = ends.completions(ends.passive, 2)

    assert sent.status in {
        CompletionStatus.REMOTE_INVALID_REQUEST,
        CompletionStatus.REMOTE_OPERATION_ERROR,
    }
    assert first.status in {
        CompletionStatus.LOCAL_LENGTH_ERROR,
        CompletionStatus.LOCAL_QP_OPERATION_ERROR,
        CompletionStatus.REMOTE_INVALID_REQUEST,  # Soft-RoCE completes with the word it answers
    }
    assert second.status is CompletionStatus.FLUSHED
    assert not ends.active.connected


def test_send_without_a_receive_fails_when_retries_are_limited(fabric_pair: FabricPair) -> None:
    """A sender that may not retry for ever reports that the receiver was not ready."""
    ends = fabric_pair.connect(active=ConnectionParameters(rnr_retry=1))
    refused = ends.active.post_send(b"nobody waits")
    behind = ends.active.post_send(b"behind it")

    assert ends.completion(ends.active, refused).status is CompletionStatus.RNR_RETRY_EXCEEDED
    assert ends.completion(ends.active, behind).status is CompletionStatus.FLUSHED
    assert not ends.active.connected


def test_send_without_a_receive_waits_for_one(fabric_pair: FabricPair) -> None:
    """With retries for ever, the message and those after it arrive once there is room."""
    ends = fabric_pair.connect()
    ends.active.post_send(b"early")
    ends.active.post_send(b"next")
    assert ends.active.poll(0.05) == []

    ends.passive.post_receive(one_segment(64))
    ends.passive.post_receive(one_segment(64))

    assert [entry.data for entry in ends.completions(ends.passive, 2)] == [b"early", b"next"]
    assert [entry.ok for entry in ends.completions(ends.active, 2)] == [True, True]


def test_success_of_an_unsignalled_send_is_not_reported(fabric_pair: FabricPair) -> None:
    """The messages arrive, and the next signalled Send makes room for them in the queue."""
    room = ConnectionParameters(initial_receives=(one_segment(64),) * 12)
    ends = fabric_pair.connect(active=ConnectionParameters(send_depth=4), passive=room)
    for _ in range(3):
        for _ in range(3):
            ends.active.post_send(b"quiet", signalled=False)
        last = ends.active.post_send(b"loud")

        (done,) = ends.completions(ends.active, 1)

        assert (done.work_id, done.ok) == (last, True)
    arrived = [entry.data for entry in ends.completions(ends.passive, 12)]
    assert arrived == [b"quiet", b"quiet", b"quiet", b"loud"] * 3


def test_failure_of_an_unsignalled_send_is_reported(fabric_pair: FabricPair) -> None:
    """Under its own number, and what was posted after it is flushed."""
    ends = fabric_pair.connect(active=ConnectionParameters(rnr_retry=1))
    refused = ends.active.post_send(b"nobody waits", signalled=False)
    behind = ends.active.post_send(b"behind it", signalled=False)

    assert ends.completion(ends.active, refused).status is CompletionStatus.RNR_RETRY_EXCEEDED
    assert ends.completion(ends.active, behind).status is CompletionStatus.FLUSHED
    assert not ends.active.connected


def test_requests_complete_in_the_order_of_posting(ends: Ends) -> None:
    """Sends complete in the order in which they were posted."""
    posted = [ends.active.post_send(bytes([number])) for number in range(4)]

    assert [entry.work_id for entry in ends.completions(ends.active, 4)] == posted


def test_poll_returns_nothing_when_nothing_comes(ends: Ends) -> None:
    """A poll ends with its timeout, empty-handed, and not before."""
    clock = ends.active.clock
    before = clock.now()

    assert ends.active.poll(0.05) == []
    assert clock.now() - before >= 0.04  # a device's timer may be a little early


def test_outstanding_work_is_flushed_on_disconnect(ends: Ends) -> None:
    """After a disconnect, every Receive of either end completes as flushed, exactly once."""
    ends.active.disconnect()

    for end in (ends.active, ends.passive):
        rest = ends.rest(end)
        assert [entry.status for entry in rest] == [CompletionStatus.FLUSHED] * 4
        assert len({entry.work_id for entry in rest}) == 4
        assert not end.connected


def test_posting_on_a_gone_connection_is_refused(ends: Ends) -> None:
    """Nothing can be posted at either end once the connection is gone."""
    ends.passive.disconnect()
    ends.rest(ends.active)

    for end in (ends.active, ends.passive):
        with pytest.raises(ConnectionLost):
            end.post_send(b"too late")
        with pytest.raises(ConnectionLost):
            end.post_receive(one_segment(64))
        ends.rest(end)
        assert end.poll(1.0) == []
