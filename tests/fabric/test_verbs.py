from __future__ import annotations

import pytest

from rpcrdma.errors import DeviceUnavailable, FabricError
from rpcrdma.fabric.base import Address, ConnectionParameters
from rpcrdma.fabric.verbs import VerbsFabric

NOWHERE = Address("192.0.2.1", 20049)  # rfc5737: never on a device of this machine


def test_listening_where_no_device_is_says_so() -> None:
    """An address that no RDMA device has is refused with one sentence."""
    with VerbsFabric() as fabric, pytest.raises(DeviceUnavailable) as caught:
        fabric.listen(NOWHERE)

    assert "\n" not in str(caught.value)


def test_connecting_from_where_no_device_is_says_so() -> None:
    """The same for the address to connect from."""
    with VerbsFabric(NOWHERE.host) as fabric, pytest.raises(DeviceUnavailable) as caught:
        fabric.connect(NOWHERE, ConnectionParameters(), 1.0)

    assert "\n" not in str(caught.value)


def test_too_long_private_data_are_refused_before_anything_else() -> None:
    """rdma_cm leaves 56 octets of a request to the caller."""
    with VerbsFabric() as fabric, pytest.raises(FabricError, match="57 octets of private data"):
        fabric.connect(NOWHERE, ConnectionParameters(private_data=bytes(57)), 1.0)


def test_closing_twice_is_allowed() -> None:
    """A fabric that never opened a device closes as often as one likes."""
    fabric = VerbsFabric()
    fabric.close()
    fabric.close()

    assert fabric.name == "verbs"
