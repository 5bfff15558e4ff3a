"""What waits to be told by ROPT_UPDPROP: the latest value, and a length only when it may be."""

from __future__ import annotations

import pytest

from rpcrdma.endpoint.properties.untold_values import UntoldValues
from rpcrdma.wire.properties import ReceiveBufferSize, RequesterRemoteInvalidation

ALLOWED = RequesterRemoteInvalidation(allowed=True)
FORBIDDEN = RequesterRemoteInvalidation(allowed=False)


def waiting(*values: ReceiveBufferSize | RequesterRemoteInvalidation) -> UntoldValues:
    untold = UntoldValues()
    untold.change(values)
    return untold


def test_the_latest_value_is_told_once() -> None:
    """A later value of a property replaces an earlier one."""
    untold = waiting(ALLOWED, ReceiveBufferSize(8192))
    untold.change([FORBIDDEN])
    assert untold.take(lambda octets: octets == 8192) == (FORBIDDEN, ReceiveBufferSize(8192))
    assert untold.take(lambda _: True) == ()


def test_a_length_waits_alone() -> None:
    """xcharext 3.1: other properties need not wait for Receives."""
    untold = waiting(ReceiveBufferSize(8192), ALLOWED)
    assert untold.take(lambda octets: octets < 8192) == (ALLOWED,)
    assert untold.length == 8192
    untold.clear()
    assert untold.length is None


def test_a_planned_length_only_grows() -> None:
    """Two reasons to lengthen Receives: the larger of both."""
    untold = UntoldValues()
    untold.lengthen(8192)
    untold.lengthen(6000)
    assert untold.length == 8192
    untold.lengthen(9000)
    assert untold.length == 9000


@pytest.mark.parametrize(
    ("granted", "is_shorter", "left"),
    [
        (ReceiveBufferSize(6000), False, 8192),  # half of it came early
        (ReceiveBufferSize(8192), False, None),
        (ReceiveBufferSize(9000), False, None),
        (ReceiveBufferSize(2048), True, None),
        (FORBIDDEN, False, 8192),
    ],
)
def test_what_the_peer_asked_for_replaces_what_waits(
    granted: ReceiveBufferSize | RequesterRemoteInvalidation, is_shorter: bool, left: int | None
) -> None:
    """A wish for shorter Receives ends an enlargement (xcharext 3.1)."""
    untold = waiting(ReceiveBufferSize(8192))
    untold.granted(granted, is_shorter=is_shorter)
    assert untold.length == left


def test_a_granted_value_of_another_property_is_out_of_date_too() -> None:
    """The answer has told it."""
    untold = waiting(ALLOWED)
    untold.granted(FORBIDDEN, is_shorter=False)
    assert untold.take(lambda _: True) == ()
