"""What came of variants, as it is kept: a head, and a line of JSON for each as it is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from conformance.bad_input import BadInput
from conformance.proof.kept_results import line_of, read_kept, write_kept
from reports.record import Verdict

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Judged", "OfCode", "Other", "VariantResults", "read_results"]


class OfCode(msgspec.Struct, frozen=True, tag="head"):
    """Of which code the results are.

    Attributes:
        digest: of everything that decides on them (`reach.digest_of_code`).
        commit: of the code, for people.
        sample: how many cases beside those that a variant's choice concerns.
        seed: of the sample.
    """

    digest: str
    commit: str
    sample: int
    seed: int


class Other(msgspec.Struct, frozen=True):
    """A case that is decided otherwise.

    Attributes:
        case: its id.
        expected: the verdict of what it is compared with.
        found: the variant's verdict over the fabric.
        reason: of that verdict.
    """

    case: str
    expected: Verdict
    found: Verdict
    reason: str


class Judged(msgspec.Struct, frozen=True, tag="judged"):
    """A variant on one fabric.

    Attributes:
        variant: its name.  fabric: by name.
        cases: how many were judged.  passed: how many of them passed.
        unlike_reference: cases that the reference decides otherwise on loopback.
        unlike_loopback: cases that the variant itself decides otherwise on loopback.
        problem: what cut the run short; empty: nothing.
        seconds: that it took.
    """

    variant: str
    fabric: str
    cases: int
    passed: int
    unlike_reference: tuple[Other, ...] = ()
    unlike_loopback: tuple[Other, ...] = ()
    problem: str = ""
    seconds: float = 0.0

    @property
    def held(self) -> tuple[Other, ...]:
        """What was held against a device that breaks nothing, or says nothing of it."""
        bad = (Verdict.FAIL, Verdict.WARN, Verdict.ERROR)
        return tuple(one for one in self.unlike_reference if one.found in bad)

    @property
    def is_clean(self) -> bool:
        """Whether all is as on loopback, and nothing is held against it."""
        return not (self.held or self.unlike_loopback or self.problem)


class VariantResults:
    """The file of a run, which goes on where an earlier one has ended.

    Attributes:
        done: what has been judged, by fabric and variant.
    """

    def __init__(self, path: Path, head: OfCode) -> None:
        """Open the file, or begin it.

        Raises:
            BadInput: its results are of other code, or of another sample.
        """
        self.done: dict[tuple[str, str], Judged] = {}
        if path.exists():
            found, judged = read_results(path)
            if msgspec.structs.replace(found, commit=head.commit) != head:
                raise BadInput(
                    f"{path} has results of other code or of another sample: name another folder"
                    " with --output"
                )
            head = found
            self.done = {(one.fabric, one.variant): one for one in judged}
        # Written anew: what was being written when a run was ended may be half a line.
        write_kept(path, head, self.done.values())
        self.head = head
        self._path = path

    def add(self, judged: Judged) -> None:
        """Keep a result; it is on disk when this returns."""
        self.done[judged.fabric, judged.variant] = judged
        with self._path.open("ab") as file:
            file.write(line_of(judged))


def read_results(path: Path) -> tuple[OfCode, tuple[Judged, ...]]:
    """The head and the variants of a file.

    Raises:
        BadInput: the file has other lines.
        OSError: it cannot be read.
    """
    return read_kept(path, "variants", OfCode, Judged)
