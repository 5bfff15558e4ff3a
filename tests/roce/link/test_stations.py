"""Stations made from addresses."""

from __future__ import annotations

import pytest

from rpcrdma.roce.link.stations import frame_of, station_of
from rpcrdma.roce.packet.datagram import from_frame, seal


@pytest.mark.parametrize(
    ("address", "station"),
    [("10.9.0.2", "02000a090002"), ("fd00::1:2", "020000010002")],
)
def test_a_station_is_made_of_the_last_octets(address: str, station: str) -> None:
    assert station_of(address).hex() == station


def test_it_is_a_station_of_one_host_and_of_no_maker() -> None:
    """The group bit is clear, the locally administered bit set."""
    assert station_of("255.255.255.255")[0] & 3 == 2


def test_a_frame_goes_from_station_to_station() -> None:
    """The destination is the first of the two."""
    datagram = seal("10.9.0.1", "10.9.0.2", 49152, bytes(12))
    frame = frame_of(datagram)

    assert (frame[:6], frame[6:12]) == (station_of("10.9.0.2"), station_of("10.9.0.1"))
    found = from_frame(frame)
    assert found is not None
    assert (found.payload, found.intact) == (datagram.payload, True)
