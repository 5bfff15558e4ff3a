"""Runs of fixed-size items in straight-line decoders: what one unpack reads, and where it stands.

`Runs` collects items until something needs their values; `flush` then emits one unpack for all of
them.  Items may be unpacked ahead of their turn, where the type guarantees that they follow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpcrdma.xdr.straight import ASK_INTERPRETER, size_of

if TYPE_CHECKING:
    from rpcrdma.xdr.straight import CodeLines, Declarations

__all__ = ["Runs", "UnpackRun"]


@dataclass
class UnpackRun:
    """Items that one unpack will read: format letters, local names, checks to make after it."""

    letters: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)


class Runs:
    """The run that is being collected, and the position of the next item.

    Attributes:
        run: items that the next unpack will read.
        base, delta: position of the run: a local name, and octets known when the code is made.
        ahead: items after the position that were unpacked ahead of their turn: (letter, name).
    """

    def __init__(self, code: CodeLines, declarations: Declarations) -> None:
        self._code = code
        self._declarations = declarations
        self.run = UnpackRun()
        self.base, self.delta = "offset", 0
        self.ahead: list[tuple[str, str]] = []

    def position(self, beyond: int = 0) -> str:
        """Where the run begins, or what is so many octets beyond, as an expression."""
        delta = self.delta + beyond
        if not delta:
            return self.base
        return f"{self.base} {'+' if delta > 0 else '-'} {abs(delta)}"

    def settle(self) -> None:
        """Put the position after what was unpacked ahead into `p`, for loops and joins."""
        ahead = sum(size_of(letter) for letter, _ in self.ahead)
        self.delta += ahead
        if self.base != "p" or self.delta:
            self._code.add(f"p = {self.position()}")
        self.base, self.delta = "p", -ahead

    def take(self, letter: str, hint: str, name: str | None = None) -> str:
        """The next item, as a local name: `name`, unless the item was unpacked ahead."""
        if self.ahead and self.ahead[0][0] == letter:
            self.delta += size_of(letter)
            return self.ahead.pop(0)[1]
        self.ahead = []
        made = name or self._code.fresh(hint)
        self.run.letters.append(letter)
        self.run.names.append(made)
        return made

    def look(self, letters: tuple[str, ...]) -> None:
        """Unpack the run, and with it the letters after it: exactly these are ahead then."""
        if tuple(letter for letter, _ in self.ahead[: len(letters)]) == letters:
            self.flush()
            self.ahead = self.ahead[: len(letters)]
            return
        self.ahead = []
        names = [self._code.fresh("next") for _ in letters]
        self.run.letters.extend(letters)
        self.run.names.extend(names)
        self.flush()
        self.delta -= sum(size_of(letter) for letter in letters)
        self.ahead = list(zip(letters, names, strict=True))

    def flush(self) -> None:
        """Emit the unpack of the run and the checks after it; begin another run."""
        run, self.run = self.run, UnpackRun()
        if run.letters:
            letters = "".join(run.letters)
            unpack = self._declarations.format(letters, "unpack_from")
            names = ", ".join(run.names) + ("," if len(run.names) == 1 else "")
            self._code.add(f"{names} = {unpack}(buffer, {self.position()})")
            self.delta += size_of(letters)
        for check in run.checks:
            self.refuse_if(check)

    def refuse_if(self, condition: str) -> None:
        """Emit what leaves the straight path where a condition holds."""
        self._code.enter(f"if {condition}:")
        self._code.add(ASK_INTERPRETER)
        self._code.leave()
