"""One thing about which a case and the oracle do not agree."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from conformance.catalogue.entries import load_catalogue
from reports.record import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Difference", "DifferenceKind", "only_recommended"]


class DifferenceKind(Enum):
    """In which way a case differs from the oracle about one thing that a device may do."""

    WIDER = "the case accepts what the oracle does not allow"
    MILDER = "the case accepts without a warning what the oracle only tolerates"
    NARROWER = "the case refuses what the oracle allows"
    STRICTER = "the case warns of what the oracle allows"

    @property
    def accepts_more(self) -> bool:
        """Whether it is the case that accepts more."""
        return self in (DifferenceKind.WIDER, DifferenceKind.MILDER)


@dataclass(frozen=True, slots=True)
class Difference:
    """One kind of answer about which a case and the oracle do not agree.

    Attributes:
        case: its id.
        message: that was sent, in words.
        side: in which way they differ.
        kinds: of answer, about which.
        accepted: what the case accepts, in words.
        allowed: what the oracle allows, in words.
        readings: that the oracle names for those kinds.
    """

    case: str
    message: str
    side: DifferenceKind
    kinds: tuple[str, ...]
    accepted: str
    allowed: str
    readings: tuple[str, ...] = ()

    def reason(self, wider: str, narrower: str) -> str:
        """Why the case differs, by what it says of either side; empty if it gives no reason."""
        return wider if self.side.accepts_more else narrower

    def __str__(self) -> str:
        return (
            f"{self.case}: {self.side.value}: {', '.join(self.kinds)}\n"
            f"    message: {self.message}\n"
            f"    case:    {self.accepted}\n"
            f"    oracle:  {self.allowed}"
        )


def only_recommended(ids: Iterable[str]) -> bool:
    """Whether a document only recommends what these requirements say."""
    catalogue = load_catalogue()
    return all(catalogue[one].verdict_when_broken is Verdict.WARN for one in ids)
