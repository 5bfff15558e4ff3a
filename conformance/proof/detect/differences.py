"""In which cases a device with a fault shows something else than the reference does."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.proof.detect.shown import DIGEST, Shown, digests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.proof.detect.sight import Seen

__all__ = ["LOOKED_AT", "Differences", "Different", "event_at", "first_difference"]

LOOKED_AT: Final = 6
"""Cases whose first difference is kept: what the reference shows there is asked of it once more."""


class Different(msgspec.Struct, frozen=True):
    """One case.

    Attributes:
        case: its id.
        at: which event of the opening or of the body is the first that differs, from 0.
        own: what the device with the fault shows there; None: nothing more.
        opening: whether the difference is in the case's opening, see `sight.Seen`.
        reference: what the reference shows there; likewise.
    """

    case: str
    at: int
    own: Shown | None
    opening: bool = False
    reference: Shown | None = None


class Differences:
    """Holds each case against the reference.

    Attributes:
        cases: how many differ.
        first: the first of them.
    """

    def __init__(self, bodies: Mapping[str, bytes], openings: Sequence[Sequence[Shown]]) -> None:
        """Begin.

        Args:
            bodies: case -> digests of what the reference shows in its body; none of a case in which
                that is not the same each time.
            openings: the reference's, in any case.
        """
        self._bodies = bodies
        self._openings = openings
        self._known = frozenset(digests(opening) for opening in openings)
        self.cases = 0
        self.first: list[Different] = []

    def compare(self, case: str, seen: Seen) -> None:
        """Take what the device has shown in a case."""
        body = self._bodies.get(case)
        if body is None:
            return
        if digests(seen.opening) not in self._known:
            near = _closest(self._openings, seen.opening)
            at = first_difference(digests(seen.opening), digests(near))
            self._note(
                Different(
                    case,
                    at=at,
                    own=event_at(seen.opening, at),
                    opening=True,
                    reference=event_at(near, at),
                )
            )
        elif (own := digests(seen.body)) != body:
            at = first_difference(own, body)
            self._note(Different(case, at, event_at(seen.body, at)))

    def _note(self, different: Different) -> None:
        self.cases += 1
        if len(self.first) < LOOKED_AT:
            self.first.append(different)


def event_at(events: Sequence[Shown], at: int) -> Shown | None:
    """The event at a place; None if there are no more."""
    return events[at] if at < len(events) else None


def first_difference(some: bytes, others: bytes) -> int:
    """Which event is the first that differs, by the digests of two sequences, from 0."""
    pairs = zip_longest(_cut(some), _cut(others))
    return next((at for at, (one, other) in enumerate(pairs) if one != other), 0)


def _closest(openings: Sequence[Sequence[Shown]], own: Sequence[Shown]) -> Sequence[Shown]:
    """That of the reference's openings from which one differs latest; empty if there are none."""
    wanted = digests(own)
    return max(openings, key=lambda one: first_difference(digests(one), wanted), default=())


def _cut(found: bytes) -> list[bytes]:
    return [found[at : at + DIGEST] for at in range(0, len(found), DIGEST)]
