"""Which moves may harm a real client, or whoever uses its files.

They are made only for who asks for it (`--destructive`), or at a client in this process.  As for
servers (`conformance.explore.danger`), what is named is a class of moves and no recipe: a client
that is harmed by one is harmed by a server's mistake.

    rfc8166 section 3.4.6  Write Chunks (what is placed is what the application gets)
    rfc8166 section 8.1.1  Protection Domains
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fuzz.live.move import Move

__all__ = ["OTHER_MEMORY", "OTHER_RESULTS", "danger_of_move"]

OTHER_RESULTS: Final = "results other than the call asks for, which a client may believe"
OTHER_MEMORY: Final = "memory that the client has not offered, or not any longer"

_DANGERS: Final[Mapping[str, str]] = {
    "flip": OTHER_RESULTS,
    "payload": OTHER_RESULTS,
    "placed": OTHER_RESULTS,
    "beyond": OTHER_MEMORY,
    "after": OTHER_MEMORY,
}


def danger_of_move(move: Move) -> str:
    """What a move may do, in a few words; empty if nothing is known."""
    return _DANGERS.get(move.kind, "")
