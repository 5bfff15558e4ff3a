"""A binding that is wrong on purpose: it names an item that may not be reduced.

rfc8166 section 6.1  DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from rpcrdma.ulp.bindings import NOTHING_REDUCED, DataItem, UpperLayer

if TYPE_CHECKING:
    from collections.abc import Collection

    from rpcrdma.ulp.bindings import ReplyExpectation

__all__ = ["Misbound"]


@dataclass(frozen=True, slots=True)
class Misbound(UpperLayer):
    """A binding in which the last octets of every call are an eligible item."""

    real: UpperLayer
    length: int

    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        """The item that is none."""
        return (DataItem(len(call) - self.length, self.length),)

    @override
    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        return self.real.results(call, reply, reduced)

    @override
    def origins(self, call: bytes) -> tuple[int, ...]:
        return self.real.origins(call)

    @override
    def expectation(self, call: bytes) -> ReplyExpectation:
        return self.real.expectation(call)

    @override
    def execute(self, call: bytes) -> list[bytes]:
        return self.real.execute(call)
