"""What goes wrong in the lab, always told as step, cause and remedy."""

from __future__ import annotations

__all__ = ["LabError"]


class LabError(Exception):
    """The lab could not be brought to where it was wanted; says nothing about any target.

    Attributes:
        step: what was being done.
        cause: what went wrong, in the words of whoever refused.
        remedy: what a person can do about it; may be empty.
    """

    def __init__(self, step: str, cause: str, remedy: str = "") -> None:
        super().__init__(step, cause, remedy)
        self.step = step
        self.cause = cause
        self.remedy = remedy

    def __str__(self) -> str:
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{self.step}: {self.cause}{remedy}"
