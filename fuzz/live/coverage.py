"""How much of a device's code inputs reach: one interface, whoever counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Block", "BlockCoverage", "NoCoverage"]


class Block(NamedTuple):
    """A run of instructions, by the same name each time the device is started.

    Attributes:
        module: of the kernel.  function: in it.  offset: in octets from the function's beginning.
    """

    module: str
    function: str
    offset: int

    def __str__(self) -> str:
        return f"{self.module}:{self.function}+{self.offset:#x}"


class BlockCoverage(Protocol):
    """What counts a device's blocks."""

    def begin(self) -> None:
        """Remember what was executed so far."""
        ...

    def since(self) -> frozenset[Block]:
        """What was executed since the last `begin`, also if it had been before."""
        ...

    def reached(self) -> frozenset[Block]:
        """All that was executed ever, in each machine that the device has had."""
        ...

    def functions(self) -> Collection[tuple[str, str]]:
        """Module and name of every function that there is, executed or not; empty if unknown."""
        ...


class NoCoverage:
    """Of a device whose code nobody can look at."""

    def begin(self) -> None:
        """Nothing is counted."""

    def since(self) -> frozenset[Block]:
        """Nothing."""
        return frozenset()

    def reached(self) -> frozenset[Block]:
        """Nothing."""
        return frozenset()

    def functions(self) -> Collection[tuple[str, str]]:
        """None is known."""
        return ()
