"""A server that speaks Version One alone, to a client that would rather speak Version Two.

    rfc8166 section 4.5.1  Header Version Mismatch
    v2 section 5.2         Responder Does Not Support RPC-over-RDMA Version Two

Cases about Version One meet clients of both kinds.  One that offers Version Two is refused as any
server of Version One would refuse it; what it says afterwards is what the case is about.
"""

from __future__ import annotations

from typing import Final

from rpcrdma.errors import DecodeError
from rpcrdma.wire import (
    ErrVers,
    Procedure,
    RdmaError,
    TransportHeader,
    encode_header,
    fixed_words,
)

__all__ = ["refusal_of"]

_GRANT: Final = 32
_ONE_ALONE: Final = RdmaError(ErrVers(1, 1))


def refusal_of(octets: bytes) -> bytes | None:
    """The ERR_VERS that answers an offer of Version Two; None if the octets are none."""
    try:
        words = fixed_words(octets)
    except DecodeError:
        return None
    if words.version != 2 or words.procedure == Procedure.RDMA_ERROR:
        return None
    return encode_header(TransportHeader(words.xid, words.version, _GRANT, _ONE_ALONE))
