"""Findings of one run by their causes: the first of each cause is kept, the others are counted.

A cause is the invariant, what the harness says of it, and the innermost function of ours in which
it showed; which octets, XIDs or lengths an input has makes no other cause.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Final

from conformance.explore.finding import keep
from fuzz.invariant import BrokenInvariant, finding_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

__all__ = ["MOST_BUCKETS", "Buckets", "bucket_of"]

MOST_BUCKETS: Final = 100
"""Causes of which a finding is kept; of more nobody would look at each."""

_NUMBERS: Final = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{8,}\b|\d+")
_ROOT: Final = Path(__file__).parents[1]
_OURS: Final = tuple(f"{_ROOT / name}/" for name in ("rpcrdma", "targets", "conformance", "fuzz"))


def bucket_of(broken: BrokenInvariant) -> tuple[str, str, str]:
    """Invariant, what the harness says of the cause, without numbers, and where it showed."""
    error: BaseException = broken.__cause__ or broken
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    ours = [code for code in codes if code.co_filename.startswith(_OURS)] or codes
    where = _place(ours[-1]) if ours else ""
    return broken.invariant, _NUMBERS.sub("#", broken.cause), where


def _place(code: CodeType) -> str:
    return f"{code.co_filename}:{code.co_qualname}"


class Buckets:
    """The findings of one harness.

    Attributes:
        counts: bucket -> how many inputs fell into it.
    """

    def __init__(
        self,
        folder: Path,
        harness: str,
        tell: Callable[[str], object] = sys.stderr.write,
        claim: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Begin without any.

        Args:
            folder: where findings are kept.
            harness: its name.
            tell: is told of each that is kept.
            claim: whether a cause is this process' own, and not known to another already.
        """
        self.counts: dict[tuple[str, str, str], int] = {}
        self._folder = folder
        self._harness = harness
        self._tell = tell
        self._claim = claim
        self._kept = 0

    def add(self, octets: bytes, broken: BrokenInvariant) -> None:
        """Count an input that breaks an invariant, and keep it if nothing like it is known."""
        bucket = bucket_of(broken)
        known = self.counts.get(bucket, 0)
        self.counts[bucket] = known + 1
        if not known and self._kept < MOST_BUCKETS and self._claim("\n".join(bucket)):
            self._kept += 1
            path = keep(self._folder, finding_of(self._harness, octets, broken))
            self._tell(f"FINDING {self._kept}: {path}\n")
