"""Inputs that each reached something of their own, and the next input made of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from fuzz.live.raw import raw_by
from fuzz.registry import keep_input
from fuzz.sequence import join

if TYPE_CHECKING:
    from pathlib import Path

    from fuzz.structure.mutator import Mutator

__all__ = ["EMPTY", "LiveCorpus"]

EMPTY: Final = join([b""])
"""One message without octets: what a campaign begins with that is given nothing."""

_MAXIMUM: Final = 16384
"""Octets of an input: four of the largest messages that Linux takes."""

_NEW: Final = 16
"""Of the newest inputs, every other one is made."""

_MORE: Final = 3
"""Mutations of one input, at most."""


class LiveCorpus:
    """The corpus of a campaign, in memory, and in a folder where new inputs are kept.

    Attributes:
        found: what an earlier campaign has kept in the folder.
    """

    def __init__(self, folder: Path, mutator: Mutator, seed: int) -> None:
        """Read what an earlier campaign has kept there.

        Args:
            folder: made when there is something to keep.
            mutator: makes inputs of inputs.
            seed: of all chance.
        """
        self._folder = folder
        self._mutator = mutator
        self._draw = Random(seed)  # noqa: S311  # reproducible on purpose
        self._raw = raw_by(self._draw)
        self._inputs: list[bytes] = []
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
        self.found = tuple(path.read_bytes() for path in paths if path.is_file())

    def __len__(self) -> int:
        return len(self._inputs)

    def add(self, octets: bytes) -> None:
        """Keep an input; one that is there already stays there once."""
        self._inputs.append(octets)
        keep_input(self._folder, octets)

    def next(self) -> bytes:
        """An input made of those that there are; of nothing if there is none."""
        made = self._pick()
        for _ in range(self._draw.randint(1, _MORE)):
            seed = self._draw.getrandbits(32)
            if len(self._inputs) > 1 and self._draw.randrange(2):
                made = self._mutator.cross(made, self._pick(), _MAXIMUM, seed, self._raw)
            else:
                made = self._mutator.mutate(made, _MAXIMUM, seed, self._raw)
        return made

    def _pick(self) -> bytes:
        if not self._inputs:
            return EMPTY
        newest = self._inputs[-_NEW:] if self._draw.randrange(2) else self._inputs
        return self._draw.choice(newest)
