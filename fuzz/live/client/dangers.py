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

__all__ = ["ENORMOUS", "OTHER_MEMORY", "OTHER_RESULTS", "danger_of_move"]

OTHER_RESULTS: Final = "results other than the call asks for, which a client may believe"
ENORMOUS: Final = "numbers in a header that no length can have"
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
    if _is_enormous(move):
        return ENORMOUS
    return _DANGERS.get(move.kind, "")


def _is_enormous(move: Move) -> bool:
    """Whether it may put a number of 2^31 or more where a length stands."""
    number = move.value % 2**32
    match move.kind:
        case "word":
            return number >= 2**31
        case "segment-word":
            # Also one less than the length that is told, which may be 0.
            return number >= 2**31 or number % 5 == 1
        case _:
            return False
