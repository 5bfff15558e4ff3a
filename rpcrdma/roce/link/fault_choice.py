"""Which faults a datagram meets: by rule, or by chance that a seed decides.

Each direction has its own chance and its own count.  So what a datagram meets depends on its place
among those of its direction alone, and not on how both directions interleave or on any clock.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.roce.link.faults import FaultRule, FrameAct, FrameDirection
from rpcrdma.roce.packet.bth import BthOpcode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.roce.link.faults import FrameFaults

__all__ = ["FaultChoice", "MetFault", "rules_of"]

_ACTS: Final = (
    FrameAct.DROP,
    FrameAct.DUPLICATE,
    FrameAct.REORDER,
    FrameAct.DELAY,
    FrameAct.CORRUPT,
)
"""In the order of the fields of `Likelihoods`."""

_PSN: Final = slice(9, 12)
"""Of the BTH (InfiniBand Architecture volume 1, 9.2)."""


@dataclass(frozen=True, slots=True)
class MetFault:
    """One datagram and what it met, for the log.

    Attributes:
        moment: by the link's clock.
        direction, number: the place of the datagram among those of its direction, from 1.
        opcode, psn: of its BTH.
        acts: what was done to it.
    """

    moment: float
    direction: FrameDirection
    number: int
    opcode: int
    psn: int
    acts: tuple[FrameAct, ...]

    def __str__(self) -> str:
        known = self.opcode in BthOpcode.__members__.values()
        opcode = BthOpcode(self.opcode).name if known else f"opcode 0x{self.opcode:02x}"
        acts = " ".join(act.value for act in self.acts)
        return (
            f"{self.moment:.6f} {self.direction.value} {self.number}"
            f" {opcode} psn {self.psn}: {acts}"
        )


class FaultChoice:
    """Chooses for one direction."""

    def __init__(self, faults: FrameFaults, direction: FrameDirection) -> None:
        self._direction = direction
        self._rules = tuple(rule for rule in faults.rules if rule.direction is direction)
        likelihoods: tuple[float, ...] = astuple(faults.likelihoods(direction))
        self._chances = tuple(zip(_ACTS, likelihoods, strict=True)) if any(likelihoods) else ()
        # A text, as the hash of other things differs from process to process.
        self._random = random.Random(f"{faults.seed} {direction.value}")  # noqa: S311 (no secret)
        self._counts: Counter[int | None] = Counter()

    @property
    def is_idle(self) -> bool:
        """Whether no datagram ever meets anything."""
        return not self._rules and not self._chances

    def choose(self, payload: bytes, moment: float) -> MetFault | None:
        """What the next datagram of this direction meets, if anything."""
        opcode = payload[0] if payload else 0
        self._counts[None] += 1
        self._counts[opcode] += 1
        by_chance = self._throw()
        acts = self._by_rule(opcode) or by_chance
        if not acts:
            return None
        if FrameAct.DROP in acts:
            acts = (FrameAct.DROP,)
        elif FrameAct.DELAY in acts:
            acts = tuple(act for act in acts if act is not FrameAct.REORDER)  # it waits once
        psn = int.from_bytes(payload[_PSN], "big")
        return MetFault(moment, self._direction, self._counts[None], opcode, psn, acts)

    def _throw(self) -> tuple[FrameAct, ...]:
        """As often for each datagram, so that one likelihood does not change what others do."""
        chance = self._random.random
        return tuple([act for act, likelihood in self._chances if chance() < likelihood])

    def _by_rule(self, opcode: int) -> tuple[FrameAct, ...]:
        met = {
            rule.act
            for rule in self._rules
            if rule.opcode in (None, opcode) and rule.covers(self._counts[rule.opcode])
        }
        return tuple(act for act in _ACTS if act in met)


def rules_of(met: Iterable[MetFault]) -> tuple[FaultRule, ...]:
    """Rules that do again what a log says: a run by chance becomes one that can be shortened."""
    return tuple(
        FaultRule(entry.direction, None, entry.number, entry.number, act)
        for entry in met
        for act in entry.acts
    )
