"""Which steps may harm a real server, beside what its messages may do.

They are taken only for who asks for it (`--destructive`), or at a server in this process.  As for
messages (`conformance.explore.danger`), what is named is a class of steps and no recipe.

    rfc8166 section 3.3.1  RPC-over-RDMA Credits (a Requester posts a Receive for each Reply)
    rfc8166 section 3.4.6  Write Chunks
"""

from __future__ import annotations

from typing import Final

__all__ = ["NO_RECEIVES", "ROOM_IN_USE"]

NO_RECEIVES: Final = "Receives that are withheld, for which a server may wait"
ROOM_IN_USE: Final = "room for results that is withdrawn while a Call in flight may use it"
