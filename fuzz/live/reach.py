"""How far a campaign has come: blocks and functions of each module, and that over time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

from fuzz.live.coverage import Block

__all__ = ["ModuleReach", "ReachSample", "reach_of", "read_blocks", "write_blocks"]


class ModuleReach(msgspec.Struct, frozen=True):
    """What was reached of one module.

    Attributes:
        blocks, functions: of it.
        all_functions: that it has; 0 if unknown.
    """

    blocks: int
    functions: int
    all_functions: int = 0


class ReachSample(msgspec.Struct, frozen=True):
    """How far it was at one time.

    Attributes:
        seconds: since the campaign began.
        inputs: that were tried until then.
        modules: what was reached until then.
    """

    seconds: float
    inputs: int
    modules: dict[str, ModuleReach]


def reach_of(
    blocks: Iterable[Block], functions: Iterable[tuple[str, str]] = ()
) -> dict[str, ModuleReach]:
    """What blocks are, by modules.

    Args:
        blocks: that were reached.
        functions: all that there are.
    """
    counted = Counter(block.module for block in blocks)
    entered = Counter(module for module, _ in {(one.module, one.function) for one in blocks})
    known = Counter(module for module, _ in functions)
    return {
        module: ModuleReach(counted[module], entered[module], known[module])
        for module in sorted(counted | known)
    }


def write_blocks(path: Path, blocks: Iterable[Block]) -> None:
    """Keep blocks as lines of text, in their order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{block}\n" for block in sorted(blocks)), encoding="ascii")


def read_blocks(path: Path) -> frozenset[Block]:
    """What `write_blocks` has kept.

    Raises:
        OSError: there is no such file.
        ValueError: it holds something else.
    """
    found = set()
    for line in path.read_text(encoding="ascii").splitlines():
        place, _, offset = line.rpartition("+")
        module, _, function = place.partition(":")
        found.add(Block(module, function, int(offset, 16)))
    return frozenset(found)
