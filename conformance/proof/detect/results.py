"""What came of faults, as it is kept: a head, and a line of JSON for each fault as it is tried."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput
from conformance.proof.kept_results import line_of, read_kept, write_kept

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FOUND", "Fate", "Head", "ResultsFile", "Tried", "read_results"]


class Fate(Enum):
    """What came of a fault."""

    NAMED = "named"
    """A verdict that looked at what the device did names a statement."""
    LIVENESS = "liveness"
    """Found in no other way than that the device died, fell silent, or served nobody."""
    HUNG = "hung"
    """The device never returned."""
    UNDECIDED = "undecided"
    """No verdict, but cases that are decided for the reference were not."""
    UNREACHED = "unreached"
    """No case executes the place."""
    SURVIVED = "survived"
    """Every case that reaches it says what it says of the reference."""


FOUND: Final = (Fate.NAMED, Fate.LIVENESS, Fate.HUNG)


class Head(msgspec.Struct, frozen=True, tag="head"):
    """Of which code the results are.

    Attributes:
        digest: of everything that decides on them (`reach.digest_of_code`).
        commit: of the code, for people.
        seed: of the sample.
        under: the module or package in which faults were made.
        faults: how many there are in it.
    """

    digest: str
    commit: str
    seed: int
    under: str
    faults: int


class Tried(msgspec.Struct, frozen=True, tag="fault"):
    """A fault, and what came of it.

    Attributes:
        id, module, function, operator, what, fingerprint: see `faults.MadeFault`.
        outcome: see `Fate`.
        case: that found it; empty: none.
        violated: what its verdict names.
        reason: of its verdict, or of what happened instead.
        cases: how many reach the fault.  ran: how many of them were judged.
        undecided: of these, how many were INCONC or ERROR.
        seconds: that it took.
        seen: in how many cases the device shows something else than the reference; None: that was
            not looked at, since the fault was found or the record is of earlier.
        seen_in: the first of these cases.
        difference: the first difference in one of them, in a sentence.
    """

    id: str
    module: str
    function: str
    operator: str
    what: str
    fingerprint: str
    outcome: Fate
    case: str = ""
    violated: tuple[str, ...] = ()
    reason: str = ""
    cases: int = 0
    ran: int = 0
    undecided: int = 0
    seconds: float = 0.0
    seen: int | None = None
    seen_in: tuple[str, ...] = ()
    difference: str = ""


class ResultsFile:
    """The file of a run, which goes on where an earlier one has ended.

    Attributes:
        done: what has been tried, by id.
    """

    def __init__(self, path: Path, head: Head) -> None:
        """Open the file, or begin it.

        Raises:
            BadInput: its results are of other code, or of another sample.
        """
        self.done: dict[str, Tried] = {}
        if path.exists():
            found, tried = read_results(path)
            same = (found.digest, found.seed, found.under) == (head.digest, head.seed, head.under)
            if not same:
                raise BadInput(
                    f"{path} has results of other code, or with another seed or module: name"
                    " another folder with --output"
                )
            head = found
            self.done = {one.id: one for one in tried}
        # Written anew: what was being written when a run was ended may be half a line.
        write_kept(path, head, self.done.values())
        self.head = head
        self._file = path.open("ab")

    def add(self, tried: Tried) -> None:
        """Keep a result; it is on disk when this returns."""
        self.done[tried.id] = tried
        self._file.write(line_of(tried))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_results(path: Path) -> tuple[Head, tuple[Tried, ...]]:
    """The head and the faults of a file.

    Raises:
        BadInput: the file has other lines.
        OSError: it cannot be read.
    """
    return read_kept(path, "faults", Head, Tried)
