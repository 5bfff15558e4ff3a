"""What a message breaks whose transport header, or whose RPC message, cannot be decoded.

    rfc8166 section 4    (headers are XDR; the RPC message is laid out as ever)
    rfc8166 section 4.7  (how the lists are encoded: `conformance.oracle.misencoding`)
    rfc8166 section 6.1  (what was sent can be put together again)

A message that cannot be read says nothing about what else it was to say: whatever a case asks of
it, it is held against the statements that say how messages are laid out, and no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.misencoding import misencoded
from rpcrdma.errors import Reason

if TYPE_CHECKING:
    from rpcrdma.errors import DecodeError

__all__ = ["broken_by", "broken_by_rpc"]

LAYOUT: Final = ("rfc8166.4.header-is-xdr", "rfc8166.4.1.2.header-layout")
PADDING: Final = "rfc8166.2.2.4.2.roundup-is-zero-octets"
PAYLOAD: Final = "rfc8166.4.2.4.msg-payload-follows-the-lists"
RANGE: Final = "rfc8166.4.5.1.err-vers-range"
RPC_LAYOUT: Final = "rfc8166.4.rpc-layout-is-unchanged"
REASSEMBLED: Final = "rfc8166.6.1.reassembly-gives-a-valid-stream"

DIRECTION_FIRST: Final = "v2.3.2.chunk-lists-begin-with-the-direction"
ERRORS_IN_TWO: Final = ("v2.3.2.errors-keep-the-fixed-layout", "v2.4.2.header-layout")
WRITES_IN_TWO: Final = "v2.1.write-chunks-as-before"
REPLY_CHUNK_IN_TWO: Final = "v2.1.reply-chunk-as-before"


def broken_by(octets: bytes, error: DecodeError, version: int) -> tuple[str, ...]:
    """What is broken by a transport header, the statement first that says it most plainly.

    Args:
        octets: of the message.
        error: with which the header was decoded.
        version: in which it is.  The ids are those of the document that states a rule first.
    """
    plainest = () if version == VERSION_TWO else misencoded(octets)
    return (*plainest, *_broken_where_it_stops(error, version))


def _broken_where_it_stops(error: DecodeError, version: int) -> tuple[str, ...]:
    if error.path.startswith("rdma_body.error") and version == VERSION_TWO:
        return ERRORS_IN_TWO
    if error.path.startswith("rdma_body.error.rdma_vers"):
        return (RANGE, *LAYOUT)
    if error.reason in (Reason.BAD_DISCRIMINANT, Reason.BAD_ENUM):
        return ("rfc8166.4.2.fourth-word-selects-the-body", *LAYOUT)
    if error.path.startswith("rdma_body.rdma_"):
        # v2 3.2: a direction word that is left out shows in the lists, which begin too early.
        direction = (DIRECTION_FIRST,) if version == VERSION_TWO else ()
        return (*direction, "rfc8166.4.3.three-optional-lists", *LAYOUT)
    return LAYOUT


def broken_by_rpc(
    error: DecodeError, version: int, *, long: bool, reduced: bool, empty: bool
) -> tuple[str, ...]:
    """What is broken by a Reply's RPC message, with the contents of all chunks in their places.

    Args:
        error: with which it was decoded.
        version: of the transport header.
        long: whether it is that of a Long Reply.
        reduced: whether Write chunks came back with it.
        empty: whether nothing stands after the header.
    """
    rule = _broken_in_the_stream(error, version, long=long, reduced=reduced)
    return (PAYLOAD, rule) if empty and not long else (rule,)


def _broken_in_the_stream(error: DecodeError, version: int, *, long: bool, reduced: bool) -> str:
    if error.reason is Reason.BAD_PADDING:
        return PADDING
    if not (long or reduced):
        return RPC_LAYOUT
    in_two = REPLY_CHUNK_IN_TWO if long else WRITES_IN_TWO
    return in_two if version == VERSION_TWO else REASSEMBLED
