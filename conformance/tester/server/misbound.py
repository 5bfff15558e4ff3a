"""Bindings that are wrong on purpose: they name items that may not be reduced.

rfc8166 section 6.1  DDP-Eligibility
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from rpcrdma.ulp.bindings import NOTHING_REDUCED, DataItem, UpperLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from rpcrdma.ulp.bindings import ReplyExpectation

__all__ = ["Divided", "Misbound"]


@dataclass(frozen=True, slots=True)
class Divided(UpperLayer):
    """A binding in which any parts of a call are eligible items.

    Attributes:
        real: that is right about everything else.
        divide: what of a call they are.
    """

    real: UpperLayer
    divide: Callable[[bytes], tuple[DataItem, ...]]

    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        """The items, whatever they are in truth."""
        return self.divide(call)

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


class Misbound(Divided):
    """A binding in which the last octets of every call are an eligible item."""

    def __init__(self, real: UpperLayer, length: int) -> None:
        super().__init__(real, lambda call: (DataItem(len(call) - length, length),))
