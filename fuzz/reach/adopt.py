"""Takes inputs into a corpus that is kept: those with which it reaches more than without.

The measure is coarser than the fuzzer's own, which also counts how often a block is executed.  So
what is taken is a small part of what a campaign keeps, and small enough for the repository.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from conformance.bad_input import BadInput
from fuzz.reach.measure import measure_each
from fuzz.registry import keep_input

__all__ = ["adopt", "needed"]


def needed(
    kept: dict[Path, frozenset[int]], offered: dict[Path, frozenset[int]]
) -> tuple[Path, ...]:
    """Those of the inputs on offer that take branches which no other takes, the most first.

    Args:
        kept: input -> its branches, of those that are there.
        offered: likewise, of those that may be taken.
    """
    known = frozenset[int]().union(*kept.values())
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
    kept, offered = tuple(sorted(corpus.iterdir())), tuple(sorted(folder.iterdir()))
    with tempfile.TemporaryDirectory(prefix="rpcrdma-adopt-") as scratch:
        both = Path(scratch)
        for number, path in enumerate((*kept, *offered)):
            (both / f"{number:06}").symlink_to(path.resolve())
        each = measure_each({harness: both})
        names = sorted(str(path) for path in both.resolve().iterdir())
        reached = [each[name] for name in names]
    chosen = needed(
        dict(zip(kept, reached, strict=False)),
        dict(zip(offered, reached[len(kept) :], strict=True)),
    )
    for path in chosen:
        keep_input(corpus, path.read_bytes())
    return len(offered), len(chosen)
