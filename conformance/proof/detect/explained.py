"""Why faults that nothing finds are not found: `results/detection/explained.toml`, kept by hand.

An entry is for a fault in a function as it stands.  Once the function is changed the fault has
another fingerprint, and the entry is stale: somebody has to look again.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["EXPLAINED", "NO_DEFECT", "Explanation", "WhyMissed", "read_explained", "stale"]

EXPLAINED: Final = Path(__file__).parents[3] / "results" / "detection" / "explained.toml"
"""The file."""


class WhyMissed(Enum):
    """What an explanation says."""

    EQUIVALENT = "equivalent"
    """The endpoint does the same."""
    LAWFUL = "lawful"
    """It does something else that the documents allow as well."""
    UNREACHABLE = "unreachable"
    """No peer can bring it about, or the device does not use it."""
    MISSING_CASE = "missing-case"
    """A defect that a case should find, and none does."""


NO_DEFECT: Final = (WhyMissed.EQUIVALENT, WhyMissed.LAWFUL, WhyMissed.UNREACHABLE)
"""What there is nothing to find in."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a fault is not found.

    Attributes:
        fingerprint: see `faults.MadeFault`.
        fault: what it is, for people.  kind: see `WhyMissed`.  why: one or more sentences.
    """

    fingerprint: str
    fault: str
    kind: WhyMissed
    why: str


def read_explained(path: Path = EXPLAINED) -> Mapping[str, Explanation]:
    """The explanations, by fingerprint; none where there is no file.

    Raises:
        BadInput: an entry lacks something.
    """
    if not path.exists():
        return {}
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}") from error
    found: dict[str, Explanation] = {}
    for key, entry in entries.items():
        try:
            found[key] = Explanation(
                key, entry["fault"], WhyMissed(entry["kind"]), entry["why"].strip()
            )
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise BadInput(f"{path}: `{key}`: {error}; give fault, kind and why") from error
    return found


def stale(explained: Mapping[str, Explanation], known: Iterable[str]) -> tuple[Explanation, ...]:
    """The explanations of what is no more.

    Args:
        explained: all of them.
        known: fingerprints of the faults that there are.
    """
    there = frozenset(known)
    return tuple(one for one in explained.values() if one.fingerprint not in there)
