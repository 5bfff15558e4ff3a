"""How reports call each kind of outcome that a verification waits for.

rfc8166 section 4.5  Error Handling
v2 section 4.2.3     Transport Errors (BAD_HEADER is what ERR_CHUNK was)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.outcome import (
    Answered,
    Called,
    Disconnected,
    ErrChunk,
    ErrVers,
    InvalidOption,
    OptionReceived,
    Outcome,
    Silent,
    Undecodable,
    Unexpected,
)
from conformance.oracle.transmissions import GroupAnswered, Reported, Scattered
from rpcrdma.wire import v2

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.tester.sent import Call, Message

__all__ = ["SENTENCES", "sentences"]

SENTENCES: Final[Mapping[type[Outcome], str]] = {
    Answered: "an RPC reply with the call's XID",
    Called: "a backward Call",
    ErrVers: "RDMA_ERROR with ERR_VERS, the call's XID and version",
    ErrChunk: "RDMA_ERROR with ERR_CHUNK, the call's XID and version",
    InvalidOption: "RDMA2_ERROR with INVAL_OPTION and the message's XID",
    OptionReceived: "an optional message of Version Two",
    GroupAnswered: "an RPC reply by XMTRESP with the call's XID",
    Reported: "an error report with the message's XID",
    Scattered: "transmissions that make no message",
    Silent: "silence",
    Disconnected: "the end of the connection",
    Undecodable: "octets that cannot be decoded",
    Unexpected: "a message that answers nothing",
}
"""How reports call each kind of outcome."""

BAD_HEADER: Final = "RDMA2_ERROR with BAD_HEADER, the call's XID and version"
"""What Version Two has instead of ERR_CHUNK."""


def sentences(kinds: Iterable[type[Outcome]], message: Call | Message) -> tuple[str, ...]:
    """The kinds in the words of the version of what they answer."""
    is_two = message.version == v2.VERSION
    return tuple(BAD_HEADER if is_two and kind is ErrChunk else SENTENCES[kind] for kind in kinds)
