"""How long an end's Receives are by its own word.

xcharext section 3.1  Receive Buffer Size
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.sizes import THRESHOLD_TWO
from rpcrdma.wire.properties import PROP_RBSIZ, ReceiveBufferSize, decode_property

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.wire.properties import PropertyValue

__all__ = ["told_length"]


def told_length(values: Iterable[PropertyValue]) -> int | None:
    """The receive buffer size among values; None if it is not there.

    Raises:
        DecodeError: it is there, and not of its type.
    """
    found = None
    for value in values:
        if value.pv_which == PROP_RBSIZ:
            told = decode_property(value)
            found = told.octets if isinstance(told, ReceiveBufferSize) else THRESHOLD_TWO
    return found
