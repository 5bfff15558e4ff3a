"""What the engine asks for the next input, and the one for inputs that are one XDR item.

A third of all mutations is libFuzzer's own, and so is each of an input that cannot be decoded: what
nobody thought of lies outside of any structure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Final, Protocol

from fuzz.structure.edits import edit, splice
from fuzz.structure.scene import Scene
from rpcrdma.xdr.tree_builder import build_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.xdr.model import Schema
    from rpcrdma.xdr.tree import Node, Tree

    Raw = Callable[[bytes, int], bytes]

__all__ = ["ItemMutator", "Mutator", "is_raw"]

_RAW_SHARE: Final = 3
"""One of so many mutations is raw."""


_LONGEST: Final = 2048
"""Octets of an item that is decoded: to decode a longer one takes longer than to judge it."""


class Mutator(Protocol):
    """Makes inputs of inputs.  The same seed makes the same, but for what `raw` makes."""

    def mutate(self, octets: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """An input changed in one way.

        Args:
            octets: the input.
            maximum: octets of what is returned, at most.
            seed: of all chance.
            raw: the engine's own mutation of some octets, to at most so many.
        """
        ...

    def cross(self, first: bytes, second: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """An input of two: the first with something of the second; at most `maximum` octets.

        The engine asks for it as often as for `mutate`; so every other time it is that.
        """
        ...


def is_raw(draw: Random) -> bool:
    """Whether the engine's own mutation has its turn."""
    return draw.randrange(_RAW_SHARE) == 0


@dataclass(frozen=True, slots=True, eq=False)
class ItemMutator:
    """Of inputs that begin with one XDR item; what follows it stays as it is.

    Attributes:
        schema: where references lead: those of the item, and of what `opened` finds in it.
        name: the item's type.
        opened: the tree with more of it opened than the types say (`rpcrdma.wire.overlays`).
    """

    schema: Schema
    name: str
    opened: Callable[[Tree], Tree] = lambda tree: tree

    def scene(self, octets: bytes, draw: Random) -> Scene:
        """An input as an edit sees it."""
        return Scene(self.schema, *_read(self, octets), draw)

    def mutate(self, octets: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """An input changed in one way."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        if len(octets) > _LONGEST or is_raw(draw):
            return raw(octets, maximum)
        made = edit(self.scene(octets, draw), maximum)
        return raw(octets, maximum) if made is None else made

    def cross(self, first: bytes, second: bytes, maximum: int, seed: int, raw: Raw) -> bytes:
        """The first input with one item of the second."""
        draw = Random(seed)  # noqa: S311  # reproducible on purpose
        if max(len(first), len(second)) <= _LONGEST and draw.randrange(2):
            made = splice(self.scene(first, draw), self.scene(second, draw))
            if made is not None and made != first and len(made) <= maximum:
                return made
        return self.mutate(first, maximum, draw.randrange(2**32), raw)


@lru_cache(maxsize=512)  # a corpus, and what was mutated last: a third of all inputs
def _read(mutator: ItemMutator, octets: bytes) -> tuple[Tree, tuple[Node, ...]]:
    """The tree of an input, and its nodes."""
    tree = mutator.opened(build_tree(mutator.schema, mutator.name, octets))
    return tree, tuple(tree.root.walk())
