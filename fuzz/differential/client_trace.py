"""What a Linux client makes of each Reply's header, in the kernel's own trace.

`rpcrdma_reply_handler` traces every message that it looks at, and how it ends: that the header is
refused, or what it says.  Which segments were decoded on the way is traced, too, and, once the call
goes on, the length of its result: that of the Payload stream and of all that the header says was
written.  The events are the kernel's, `include/trace/events/rpcrdma.h` and `sunrpc.h`.

A client that has one call outstanding at a time traces nothing else between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from rpcrdma.wire import RdmaSegment

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EVENTS", "ClientDecoding", "ClientSays", "ClientTrace", "read_trace"]

EVENTS: Final = (
    "rpcrdma:xprtrdma_reply*",
    "rpcrdma:xprtrdma_err_*",
    "rpcrdma:xprtrdma_decode_seg",
    "sunrpc:rpc_xdr_recvfrom",
)
"""The events to record (`targets.lab.trace`)."""


class ClientSays(Enum):
    """How it ends with a header."""

    TAKEN = "reply"
    REFUSED = "reply_hdr_err"
    ERR_VERS = "err_vers"
    ERR_CHUNK = "err_chunk"
    OTHER_ERROR = "err_unrecognized"
    OTHER_VERSION = "reply_vers_err"
    NO_CALL = "reply_rqst_err"  # nobody waits for it under its XID
    SHORT = "reply_short_err"


@dataclass(slots=True)
class ClientDecoding:
    """What is said of one header.

    Attributes:
        says: how it ends.
        segments: that were decoded, in their order.
        length: octets of the RPC message that the client then has; None: none of which it tells.
        versions: lowest and highest of an ERR_VERS; None of all else.
    """

    says: ClientSays
    segments: list[RdmaSegment] = field(default_factory=list)
    length: int | None = None
    versions: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ClientTrace:
    """What is said of all of them.

    Attributes:
        decodings: by XID, the oldest first.
        short: of those that are too short to have one.
    """

    decodings: dict[int, list[ClientDecoding]]
    short: list[ClientDecoding]


_LINE: Final = re.compile(
    r"xprtrdma_(?P<event>reply(?:_\w+)?|err_\w+): (?:task:(?P<task>\S+) )?.*?"
    r"\bxid=0x(?P<xid>[0-9a-f]{8})\b(?:.*?versions=\[(?P<low>\d+), (?P<high>\d+)\])?"
)
_SEGMENT: Final = re.compile(
    r"xprtrdma_decode_seg: (?P<length>\d+)@0x(?P<offset>[0-9a-f]+):0x(?P<handle>[0-9a-f]+)"
)
_RESULT: Final = re.compile(r"rpc_xdr_recvfrom: task:(?P<task>\S+) .*\blen=(?P<length>\d+)")

_FIRST: Final = frozenset(
    {ClientSays.TAKEN, ClientSays.OTHER_VERSION, ClientSays.NO_CALL, ClientSays.SHORT}
)
"""What is traced of a message before all else."""


def read_trace(trace: Iterable[str]) -> ClientTrace:
    """What a trace says of each header."""
    reader = _Reader(ClientTrace({}, []))
    for line in trace:
        reader.take(line)
    return reader.found


@dataclass(slots=True)
class _Reader:
    found: ClientTrace
    latest: ClientDecoding | None = None
    by_task: dict[str, ClientDecoding] = field(default_factory=dict)

    def take(self, line: str) -> None:
        if match := _LINE.search(line):
            self._take_event(match)
        elif self.latest is not None and (match := _SEGMENT.search(line)):
            handle, offset = int(match["handle"], 16), int(match["offset"], 16)
            self.latest.segments.append(RdmaSegment(handle, int(match["length"]), offset))
        elif (match := _RESULT.search(line)) and (of := self.by_task.pop(match["task"], None)):
            of.length = int(match["length"])

    def _take_event(self, match: re.Match[str]) -> None:
        says = _KINDS.get(match["event"])
        if says in _FIRST:
            self.latest = ClientDecoding(says)
            if says is ClientSays.SHORT:
                self.found.short.append(self.latest)
            else:
                self.found.decodings.setdefault(int(match["xid"], 16), []).append(self.latest)
            if match["task"]:
                self.by_task[match["task"]] = self.latest
        elif says is not None and self.latest and self.latest.says is ClientSays.TAKEN:
            # Of an RDMA_ERROR it says what it is, and then that it is refused, as all of them are.
            self.latest.says = says
            if match["low"]:
                self.latest.versions = int(match["low"]), int(match["high"])


_KINDS: Final = {kind.value: kind for kind in ClientSays}
