from __future__ import annotations

import ctypes
import socket

import pytest

from rpcrdma.fabric import rdmacm
from rpcrdma.fabric.rdmacm import ConnectOptions, socket_address
from rpcrdma.fabric.rdmacm_types import ConnParam, QpAttributes, RawCmEvent


def test_structures_have_the_sizes_of_the_c_ones() -> None:
    """Sizes on a 64-bit machine, as the compiler gives them for the headers' structures."""
    assert ctypes.sizeof(ConnParam) == 24
    assert ctypes.sizeof(QpAttributes) == 144
    assert RawCmEvent.conn.offset == 24
    assert QpAttributes.ah_attr.offset == 56
    assert QpAttributes.rate_limit.offset == 136


def test_addresses_are_in_network_order() -> None:
    """Family, port and address of an IPv4 address, as the kernel wants them."""
    octets = bytes(socket_address("192.0.2.7", 20049))

    assert octets == socket.AF_INET.to_bytes(2, "little") + bytes.fromhex("4e51c0000207" + "00" * 8)


def test_ipv6_addresses_are_complete() -> None:
    """28 octets, with the address at octet 8."""
    octets = bytes(socket_address("2001:db8::1", 1))

    assert len(octets) == 28
    assert octets[8:24] == socket.inet_pton(socket.AF_INET6, "2001:db8::1")


def test_unknown_host_is_an_os_error() -> None:
    """A name without an address is reported as such."""
    with pytest.raises(OSError, match=r"[Nn]ame"):
        socket_address("not a host name", 1)


def test_private_data_are_copied_with_zeroes_inside() -> None:
    """The octets after the pointer are the caller's, whatever they are."""
    data = b"\0a\0b"
    parameters = rdmacm._conn_param(ConnectOptions(data, 1, 2, 3, 4, 5))

    assert ctypes.string_at(parameters.private_data, parameters.private_data_len) == data
    assert (parameters.responder_resources, parameters.initiator_depth) == (1, 2)
    assert (parameters.retry_count, parameters.rnr_retry_count, parameters.qp_num) == (3, 4, 5)
