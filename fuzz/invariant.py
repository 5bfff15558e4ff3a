"""What a fuzz harness raises when its subject breaks an invariant, and how that is kept.

Every other exception that leaves the code under test is a finding, too (`undeclared`).
"""

from __future__ import annotations

from conformance.explore.finding import Finding

__all__ = ["BrokenInvariant", "finding_of", "undeclared"]


class BrokenInvariant(Exception):
    """An invariant is broken.

    Attributes:
        invariant: which one, as one word with hyphens; the same for every input that breaks it.
        detail: what was seen with this input.
        cause: what tells findings of this invariant apart, but for numbers (`fuzz.buckets`).
    """

    def __init__(self, invariant: str, detail: str, cause: str = "") -> None:
        super().__init__(invariant, detail)
        self.cause = cause
        self.invariant = invariant
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.invariant}: {self.detail}"


def undeclared(error: BaseException) -> BrokenInvariant:
    """What an exception that the code under test may not raise breaks."""
    name = type(error).__name__
    return BrokenInvariant("undeclared-exception", f"{name}: {error}", name)


def finding_of(harness: str, octets: bytes, broken: BrokenInvariant) -> Finding:
    """The record of an input, as it is kept and replayed."""
    return Finding(harness, broken=(broken.invariant,), detail=broken.detail, octets=octets)
