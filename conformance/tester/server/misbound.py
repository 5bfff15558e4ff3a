"""A binding that is wrong on purpose: it names an item that may not be reduced.

rfc8166 section 6.1  DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rpcrdma.ulp.bindings import NOTHING_REDUCED, DataItem

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.ulp.bindings import ReplyExpectation, UpperLayer

__all__ = ["Misbound"]


@dataclass(frozen=True, slots=True)
class Misbound:
    """A binding in which the last octets of every call are an eligible item."""

    real: UpperLayer
    length: int

    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        """The item that is none."""
        return (DataItem(len(call) - self.length, self.length),)

    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        """As they are."""
        return self.real.results(call, reply, reduced)

    def expectation(self, call: bytes) -> ReplyExpectation:
        """As it is."""
        return self.real.expectation(call)

    def execute(self, call: bytes) -> list[bytes]:
        """As it is."""
        return self.real.execute(call)
