"""What a Linux server's decoder of headers says of each message, in the kernel's own trace.

`svc_rdma_xdr_decode_req` traces every header that it reads: that it took it, and where it ended, or
for what it did not.  The events are the kernel's, `include/trace/events/rpcrdma.h`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EVENTS", "KernelDecoding", "KernelSays", "decodings"]

EVENTS: Final = "rpcrdma:svcrdma_decode_*"
"""The events to record (`targets.lab.trace`)."""


class KernelSays(Enum):
    """How it ends with a header."""

    TAKEN = "rqst"
    DROPPED = "drop_err"  # RDMA_DONE and RDMA_ERROR, of which it reads no more
    OTHER_VERSION = "badvers_err"
    OTHER_PROCEDURE = "badproc_err"
    REFUSED = "parse_err"


@dataclass(frozen=True, slots=True)
class KernelDecoding:
    """What is said of one header.

    Attributes:
        says: how it ends.
        end: octets of a header that was taken; 0 of others.
    """

    says: KernelSays
    end: int = 0


_LINE: Final = re.compile(
    r"svcrdma_decode_(?P<says>\w+): .*?\bxid=0x(?P<xid>[0-9a-f]{8})\b(?:.*?\bhdrlen=(?P<end>\d+))?"
)


def decodings(trace: Iterable[str]) -> dict[int, KernelDecoding]:
    """What a trace says of each header, by XID; what ends before its procedure has no line."""
    found: dict[int, KernelDecoding] = {}
    kinds = {kind.value: kind for kind in KernelSays}
    for line in trace:
        match = _LINE.search(line)
        if match is not None and (says := kinds.get(match["says"])) is not None:
            found[int(match["xid"], 16)] = KernelDecoding(says, int(match["end"] or 0))
    return found
