"""The branches of the library that no input takes, out of coverage.py's report.

A branch is one way on from a line that has several: an `if` has two, however long the code is
after them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fuzz.reach.measure import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ReachedModule", "Unreached", "modules"]

_LIBRARY: Final = "rpcrdma/"


@dataclass(frozen=True, slots=True)
class Unreached:
    """A branch that no input takes.

    Attributes:
        module: its name below `rpcrdma`.  function: with the class, if it is a method.
        line: text of the line from which it goes.
        onward: text of the line to which it would go, or that it leaves the function.
        came: whether any input came to the line at all.
    """

    module: str
    function: str
    line: str
    onward: str
    came: bool

    @property
    def where(self) -> str:
        """Module and function, as an explanation names them."""
        return f"{self.module}:{self.function}"


@dataclass(frozen=True, slots=True)
class ReachedModule:
    """How much of one module the inputs reach.

    Attributes:
        name: below `rpcrdma`.
        statements: that there are.  executed: of them.
        branches: that there are.  taken: of them.
        unreached: the others.
    """

    name: str
    statements: int
    executed: int
    branches: int
    taken: int
    unreached: tuple[Unreached, ...]

    @property
    def package(self) -> str:
        """`wire` or `endpoint`."""
        return self.name.partition(".")[0]

    @property
    def is_generated(self) -> bool:
        """Whether it is made of an `.x` file."""
        return "_generated_" in self.name


def modules(files: Mapping[str, Any]) -> tuple[ReachedModule, ...]:
    """What a report says of each file, in the order of their names.

    Args:
        files: path below the root -> what coverage.py says of it.
    """
    return tuple(_module(path, files[path]) for path in sorted(files))


def _module(path: str, told: Mapping[str, Any]) -> ReachedModule:
    name = path.removeprefix(_LIBRARY).removesuffix(".py").replace("/", ".")
    summary = told["summary"]
    return ReachedModule(
        name.removesuffix(".__init__"),
        summary["num_statements"],
        summary["covered_lines"],
        summary["num_branches"],
        summary["covered_branches"],
        tuple(_unreached(path, name, told)),
    )


def _unreached(path: str, name: str, told: Mapping[str, Any]) -> Iterator[Unreached]:
    lines = (ROOT / path).read_text("utf-8").splitlines()
    for function, own in told["functions"].items():
        never = set(own["missing_lines"])
        for before, after in own["missing_branches"]:
            onward = lines[after - 1].strip() if after > 0 else "leave the function"
            line = lines[before - 1].strip()
            yield Unreached(name, function or "the module", line, onward, before not in never)
