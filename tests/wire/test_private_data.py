"""Private data of a Version One connection."""

from __future__ import annotations

import pytest

from rpcrdma.wire.private_data import VersionOnePrivateData, decode_private_data


def test_message_is_read() -> None:
    """RFC 8797 section 4: sizes count units of 1024 octets, from 0 for one of them."""
    told = decode_private_data(bytes.fromhex("f6ab0e18 01 01 03 00") + bytes(40))

    assert told == VersionOnePrivateData(
        remote_invalidation=True, send_size=4096, receive_size=1024
    )
    assert str(told) == "sends 4096, receives 1024 octets, remote invalidation"


@pytest.mark.parametrize(
    "octets", ["", "f6ab0e18010003", "f6ab0e1901000303", "f6ab0e1802000303", "00" * 56]
)
def test_something_else_is_not_taken_for_it(octets: str) -> None:
    """Another identifier or version, or too few octets."""
    assert decode_private_data(bytes.fromhex(octets)) is None
