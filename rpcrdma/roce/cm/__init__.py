"""Connection management: who is connected with whom, agreed upon by management datagrams.

    InfiniBand Architecture volume 1, chapter 12 (for reliable connections)
    InfiniBand Architecture annex A11 (RDMA IP CM service: ports and addresses in requests)

Sans-I/O: MADs and the time go in, MADs and notices come out.  `ConnectionManager` is that of a
whole device, `CmHandshake` one connection of it; `states.py` has the table that decides.
"""

from __future__ import annotations

from rpcrdma.roce.cm.handshake import CmHandshake
from rpcrdma.roce.cm.mailbox import CmNotice, CmNoticeKind
from rpcrdma.roce.cm.manager import ConnectionManager
from rpcrdma.roce.cm.offer import MOST_IN_REJECT, MOST_IN_REPLY, MOST_IN_REQUEST, CmOffer
from rpcrdma.roce.cm.states import CmState

__all__ = [
    "MOST_IN_REJECT",
    "MOST_IN_REPLY",
    "MOST_IN_REQUEST",
    "CmHandshake",
    "CmNotice",
    "CmNoticeKind",
    "CmOffer",
    "CmState",
    "ConnectionManager",
]
