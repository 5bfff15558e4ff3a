"""What a fuzz target does: a finding ends it, as OSS-Fuzz wants it, and is no file of ours.

The engine of OSS-Fuzz gives it libFuzzer's options, bounds time and memory, and makes what it finds
smaller.  Each target is a program that starts itself again, so that `-fork=N` works, too.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fuzz.engine import judge
from fuzz.loop import fuzz_on

if TYPE_CHECKING:
    from fuzz.registry import FuzzHarness

__all__ = ["run"]


def run(harness: FuzzHarness) -> None:
    """Fuzz the reference with a harness, with the options of the command line.

    Raises:
        BrokenInvariant: an input has broken the invariant; libFuzzer keeps it, and ends.
    """
    subject = harness.reference()

    def try_one(octets: bytes) -> None:
        judge(harness.check, octets, subject)

    fuzz_on(sys.argv, harness, try_one, harness.mutator)
