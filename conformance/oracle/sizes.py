"""Sizes of messages and of their parts, in octets, as the documents have them.

    rfc8166 section 3.3.3  Initial Connection State
    rfc8166 section 4.1.2  RPC-over-RDMA Version One XDR
    rfc8166 section 4.5    Error Handling
    v2 section 2.3         Default Values
    v2 section 4.2         RPC-Over-RDMA Version Two XDR
    v2 section 5           Protocol Version Negotiation
    rtrext section 9       New Operations

The endpoint under test has its own: what it gets wrong must not be wrong here.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "CHUNK",
    "CONTINUATION",
    "ERR_CHUNK_MESSAGE",
    "ERR_VERS_MESSAGE",
    "FIRST_MESSAGE_TWO",
    "HEADER_ONE",
    "HEADER_RESPONSE",
    "HEADER_TWO",
    "ITEM",
    "SEGMENT",
    "SHORTEST_MESSAGE",
    "THRESHOLD_ONE",
    "THRESHOLD_TWO",
]

SHORTEST_MESSAGE: Final = 28
"""A shorter message is dropped unread, but for errors to a Requester (rfc8166 4.5; D-10)."""

HEADER_ONE: Final = 28
"""Header of an RDMA_MSG without chunks: four fixed words, three empty lists (rfc8166 4.1.2)."""

HEADER_TWO: Final = 32
"""Header of an RDMA2_MSG without chunks: the same and the direction word (v2 4.2)."""

SEGMENT: Final = 16
"""A segment of a Write or Reply chunk: handle, length, 64-bit offset (rfc8166 4.1.2)."""

CHUNK: Final = 8
"""What a Write or Reply chunk adds beside its segments: presence and count (rfc8166 4.1.2)."""

ERR_CHUNK_MESSAGE: Final = 20
"""Whole ERR_CHUNK, and every error of Version Two that has no range (rfc8166 4.1.2, v2 4.2)."""

ERR_VERS_MESSAGE: Final = 28
"""Whole ERR_VERS, which names a range (rfc8166 4.1.2)."""

THRESHOLD_ONE: Final = 1024
"""Inline threshold of either direction where nobody said anything (rfc8166 3.3.3)."""

FIRST_MESSAGE_TWO: Final = 1024
"""Longest first message of a Requester of Version Two (v2 5; D-55)."""

THRESHOLD_TWO: Final = 4096
"""Longest message of Version Two where nobody said anything (v2 2.3; D-55)."""

HEADER_RESPONSE: Final = 40
"""Header of an XMTRESP without items: seven fixed words, three of its own (rtrext 9.3)."""

ITEM: Final = 12
"""The shortest entry of an XMTRESP, which places nothing (rtrext 7.3)."""

CONTINUATION: Final = 40
"""Header of an XMTCONT: seven fixed words, three of its own (rtrext 9.4)."""
