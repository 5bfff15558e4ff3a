"""One thing that the tester does, as plain data that can be drawn, cut and run again."""

from __future__ import annotations

import msgspec

__all__ = ["Move"]


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that the tester does; its numbers are taken modulo what there is.

    Attributes:
        kind: a key of `fuzz.live.client.moves.MOVES`, about a call of a client; or of
            `fuzz.live.server.moves.MOVES`, between messages to a server.
        place: which word, segment, call, connection.
        value: what is put there.
    """

    kind: str
    place: int = 0
    value: int = 0

    def __str__(self) -> str:
        numbers = " ".join(str(number) for number in (self.place, self.value))
        return self.kind if (self.place, self.value) == (0, 0) else f"{self.kind} {numbers}"
