"""Whether our decoder of Version One headers and a Linux server's take the same, to the same end.

The kernel checks more than syntax in the same place: what it has no room for, and a Position that
fills no word.  Such a header may be refused, and is counted by itself.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from fuzz.differential.kernel_trace import KernelDecoding, KernelSays, decodings
from fuzz.differential.two_decoders import FIXED, HeaderComparison, decode_as_true
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaDone, RdmaError, RdmaMsgp, TransportHeader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.wire import RdmaMsg, RdmaNomsg

__all__ = ["BothSay", "compare_calls", "compare_with_kernel"]

_XID: Final = slice(0, 4)
_PROCEDURE: Final = slice(12, 16)
_MOST_TO_READ: Final = 1 << 20
"""Octets of all Read segments that a server of Linux has pages for, whatever its version."""

_UNREAD: Final = (3, 4)
"""RDMA_DONE and RDMA_ERROR."""


class BothSay(Enum):
    """What came of a header."""

    ALIKE = "taken by both, to the same end"
    REFUSED = "refused by both"
    DROPPED = "RDMA_DONE or RDMA_ERROR, of which the kernel reads nothing more"
    MSGP = "RDMA_MSGP, which the kernel does not know"
    LIMIT = "beyond a limit of the kernel's"
    UNSEEN = "of which the kernel says nothing"


def compare_calls(sent: Iterable[bytes], trace: Iterable[str]) -> list[HeaderComparison]:
    """Compare what both make of each header that was sent.

    Args:
        sent: the messages, each under an XID of its own.
        trace: the server's.
    """
    seen = decodings(trace)
    return [compare_with_kernel(one, seen.get(int.from_bytes(one[_XID]))) for one in sent]


def compare_with_kernel(octets: bytes, kernel: KernelDecoding | None) -> HeaderComparison:
    """Compare what both make of one header of Version One.

    Args:
        octets: the message.
        kernel: what it says; None: nothing.
    """
    ours = decode_as_true(octets)
    decoded = _both(octets, ours, kernel)
    if decoded is not None:
        return HeaderComparison(octets, decoded)
    told = str(ours) if isinstance(ours, DecodeError) else f"a header of {ours[1]} octets"
    theirs = "nothing" if kernel is None else kernel.says.name.lower()
    end = f", {kernel.end} octets" if kernel is not None and kernel.end else ""
    return HeaderComparison(octets, None, f"ours: {told}; the kernel: {theirs}{end}")


def _both(
    octets: bytes, ours: tuple[TransportHeader, int] | DecodeError, kernel: KernelDecoding | None
) -> BothSay | None:
    """What both say; None: not the same."""
    if kernel is None:
        return BothSay.UNSEEN if len(octets) < FIXED else None
    procedure = int.from_bytes(octets[_PROCEDURE])
    if kernel.says is KernelSays.DROPPED:
        return BothSay.DROPPED if procedure in _UNREAD else None
    if isinstance(ours, DecodeError):
        refused = kernel.says in (KernelSays.REFUSED, KernelSays.OTHER_PROCEDURE)
        return BothSay.REFUSED if refused else None
    header, end = ours
    match header.rdma_body:
        case RdmaMsgp():
            return BothSay.MSGP if kernel.says is KernelSays.OTHER_PROCEDURE else None
        case RdmaDone() | RdmaError():
            return None
        case body if kernel == KernelDecoding(KernelSays.TAKEN, end):
            return BothSay.ALIKE
        case body if kernel.says is KernelSays.REFUSED and _is_beyond(body):
            return BothSay.LIMIT
        case _:
            return None


def _is_beyond(body: RdmaMsg | RdmaNomsg) -> bool:
    """Whether it asks for what the kernel refuses though it is well-formed."""
    to_read = sum(read.target.length for read in body.rdma_reads)
    within_words = any(read.position % 4 for read in body.rdma_reads)
    chunks = (*body.rdma_writes, *filter(None, [body.rdma_reply]))
    return to_read > _MOST_TO_READ or within_words or any(not chunk.target for chunk in chunks)
