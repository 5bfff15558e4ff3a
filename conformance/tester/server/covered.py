"""Calls that RPCSEC_GSS covers: nothing of them may be reduced, so that no chunk for data comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.tester.case import NoSuchCall
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import gss, rpc
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conformance.tester.server.received import ReceivedCall

__all__ = ["unless_covered"]


def unless_covered(
    found: BaseException | None, received: Iterable[ReceivedCall]
) -> BaseException | None:
    """What ended a case; a call that never came is nothing to wait for where all are covered.

    A call whose arguments and results have integrity or privacy has none of them reduced (RFC 8166
    8.2.2.3): a client that makes no other has no Read chunk beside a Long Call, and no Write chunk.

    Args:
        found: what ended the case.
        received: what the client has sent in it.
    """
    if not isinstance(found, NoSuchCall):
        return found
    data = [call.unreduced for call in received if call.unreduced and _has_data(call.unreduced)]
    if not data or not all(map(_is_covered, data)):
        return found
    return Unsupported(f"{found}: all that it made has integrity or privacy, and nothing reduced")


def _has_data(octets: bytes) -> bool:
    """Whether the call is not NULL, by which a client tries out a connection or makes a context."""
    try:
        call, _ = rpc.decode_call(octets)
    except DecodeError:
        return False
    return call.procedure != 0


def _is_covered(octets: bytes) -> bool:
    call = gss.decode_gss_call(octets)
    return call is not None and call.is_wrapped
