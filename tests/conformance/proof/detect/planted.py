"""Small modules in which the tests make faults."""

from __future__ import annotations

from pathlib import Path

from conformance.proof.detect.faults import Module

SOURCE = '''\
"""What it is: 3 < 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST", "Counter"]

MOST: Final = 4


class Counter:
    """Counts."""

    first: int = 0

    def __init__(self) -> None:
        self.count = self.first

    def take(self, number: int, *, twice: bool = False) -> bool:
        """Count so many."""
        if self.count + number > MOST:
            raise ValueError(f"{number + 1} is too many")
        self.count += number

        def again() -> int:
            return number

        return twice

    def __repr__(self) -> str:
        return f"<{self.count + 1}>"[1:]


Number: TypeAlias = int | None
'''


def module(source: str = SOURCE, name: str = "planted", path: Path = Path("planted.py")) -> Module:
    return Module(name, path, source)
