"""Whether the harnesses find what is known to be there: every planted bug, each within its time.

    python -m fuzz.selfcheck --time 60 --findings planted

Exit status 1 if one is not found.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import monotonic

from fuzz.campaign import Campaign
from fuzz.finding import load
from fuzz.planted import PLANTED

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Run every campaign; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.selfcheck", description=__doc__)
    parser.add_argument("--time", type=int, default=60, help="seconds for each (default: 60)")
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer; 0 for a fresh one")
    options = parser.parse_args(arguments)
    missed = 0
    for name, (harness, subject) in PLANTED.items():
        began = monotonic()
        campaign = Campaign(
            harness, options.time, options.findings / name, subject, seed=options.seed
        )
        result = campaign.run(lambda line: None)
        seconds = monotonic() - began
        if not result.findings:
            missed += 1
            _say(f"{name}: NOT FOUND by {harness} in {seconds:.1f} s {result.failure}")
            continue
        _, manifest = load(result.findings[0])
        what = f"{manifest.invariant}; {manifest.replay}" if manifest else "?"
        _say(f"{name}: found by {harness} in {seconds:.1f} s: {what}")
    return 1 if missed else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
