"""By which keys a role tells apart the work and the memory that it asks its driver for."""

from __future__ import annotations

__all__ = ["Keys"]


class Keys:
    """The numbers from one on, as an iterator whose state can be seen and put back.

    Attributes:
        last: that was given; 0: none was.
    """

    def __init__(self) -> None:
        self.last = 0

    def __iter__(self) -> Keys:
        return self

    def __next__(self) -> int:
        self.last += 1
        return self.last
