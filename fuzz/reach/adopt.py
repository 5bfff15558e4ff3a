"""Takes inputs into a corpus that is kept: those with which it reaches more than without.

The measure is coarser than the fuzzer's own, which also counts how often a block is executed.  So
what is taken is a small part of what a campaign keeps, and small enough for the repository.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from conformance.bad_input import BadInput
from fuzz.reach.measure import measure_each

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["adopt", "needed"]


def needed(
    kept: dict[Path, frozenset[str]], offered: dict[Path, frozenset[str]]
) -> tuple[Path, ...]:
    """Those of the inputs on offer that take branches which no other takes, the most first.

    Args:
        kept: input -> its branches, of those that are there.
        offered: likewise, of those that may be taken.
    """
    known = frozenset[str]().union(*kept.values())
    left = {path: branches - known for path, branches in offered.items()}
    taken = []
    while left:
        best = min(left, key=lambda path: (-len(left[path]), path.stat().st_size, path.name))
        new = left.pop(best)
        if not new:
            break
        taken.append(best)
        left = {path: branches - new for path, branches in left.items()}
    return tuple(taken)


def adopt(harness: str, corpus: Path, folder: Path) -> tuple[int, int]:
    """Copy what is needed of a folder into a corpus; inputs on offer, and taken.

    Raises:
        BadInput: there is no such folder, it is empty, or coverage.py is missing.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        raise BadInput(f"{folder} has no inputs; `rpcrdma fuzz {harness}` keeps some in a folder")
    corpus.mkdir(parents=True, exist_ok=True)
    kept = _measured(harness, corpus) if any(corpus.iterdir()) else {}
    offered = _measured(harness, folder)
    chosen = needed(kept, offered)
    for path in chosen:
        octets = path.read_bytes()
        (corpus / hashlib.sha256(octets).hexdigest()[:16]).write_bytes(octets)
    return len(offered), len(chosen)


def _measured(harness: str, folder: Path) -> dict[Path, frozenset[str]]:
    each = measure_each({harness: folder})
    return {path: each.get(str(path.resolve()), frozenset()) for path in sorted(folder.iterdir())}
