"""The tracker of a device as a Requester."""

from __future__ import annotations

from conformance.oracle.device import Device
from conformance.oracle.requester.following import follow


def test_tracker_of_a_requester_has_its_readings_and_the_thresholds_of_the_connection() -> None:
    tracker = follow(
        Device(chosen={"D-19": "either"}),
        None,
        call_threshold=2048,
        reply_threshold=4096,
        serves_two=True,
    )

    assert (tracker.state.call_threshold, tracker.state.reply_threshold) == (2048, 4096)
    assert tracker.state.chosen == {"D-19": "either"}
    assert tracker.state.serves_two
