"""Where a requirement, a case, a mutant or a reading stands in the files (`rpcrdma explain`).

Nothing of it is kept by hand: entries are found in the files of the catalogue and of the register,
cases by their names, and the endpoint's code by the method that a mutant overrides.  The files are
read as they are installed; `conformance.proof.rules` finds in them what judges a requirement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Final

from conformance.catalogue.entries import FOLDER
from conformance.catalogue.interpretations import REGISTER
from conformance.suite.case import case_id
from conformance.suite.runner import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.mutants.base import Mutant

__all__ = [
    "ROOT",
    "Place",
    "files_with",
    "files_with_case",
    "lines_of",
    "of_case",
    "of_mutant",
    "of_reading",
    "of_requirement",
    "overridden",
    "relative",
]

ROOT: Final = Path(__file__).parents[2]
"""The folder of the packages, to which a place's file is relative."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a file.

    Attributes:
        file: relative to `ROOT`, with slashes.
        line: counted from one.
        name: what stands there: a function, a class, a constant; empty for what has no name.
    """

    file: str
    line: int
    name: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}".rstrip()


def of_requirement(identity: str) -> Place:
    """Where the catalogue has a requirement."""
    document = identity.partition(".")[0]
    return _of_id(FOLDER / f"{document}.toml", identity)


def of_reading(identity: str) -> Place:
    """Where the register has an interpretation."""
    return _of_id(REGISTER, identity)


def of_case(identity: str) -> Place:
    """Where the scenario of a case is; its parameters do not matter.

    Raises:
        LookupError: no scenario has this id.
    """
    stem = identity.partition("[")[0]
    for path in files_with_case(stem):
        for number, line in enumerate(lines_of(path), 1):
            found = re.match(r"def (test_\w+)\(", line)
            if found and case_id(path, found[1]) == stem:
                return Place(relative(path), number, found[1])
    raise LookupError(identity)


def of_mutant(mutant: Mutant) -> Place:
    """Where the class of a mutant is."""
    broken = _class_of(mutant)
    path = ROOT / f"{broken.__module__.replace('.', '/')}.py"
    number = next(
        number
        for number, line in enumerate(lines_of(path), 1)
        if re.match(rf"class {broken.__name__}\b", line)
    )
    return Place(relative(path), number, broken.__name__)


def overridden(mutant: Mutant) -> Place:
    """The method of the endpoint that a mutant overrides: what keeps the statement it breaks."""
    broken = _class_of(mutant)
    (name,) = (one for one, what in vars(broken).items() if _function(what))
    # What several mutants have in common stands between them and the endpoint.
    kept = next(
        kind
        for kind in broken.__mro__[1:]
        if name in vars(kind) and kind.__module__.startswith("rpcrdma.")
    )
    function = _function(vars(kept)[name])
    assert function is not None  # noqa: S101  # a method overrides a method
    code = function.__code__
    return Place(relative(Path(code.co_filename)), code.co_firstlineno, f"{kept.__name__}.{name}")


def files_with_case(identity: str) -> tuple[Path, ...]:
    """The scenario files of the document and the section that a case's id begins with."""
    return tuple(path for path in _scenario_files() if identity.startswith(case_id(path, "")))


def files_with(text: str) -> tuple[Path, ...]:
    """The scenario files that contain a text."""
    return tuple(path for path in _scenario_files() if text in path.read_text(encoding="utf-8"))


@cache
def _scenario_files() -> tuple[Path, ...]:
    return tuple(sorted(SCENARIOS.rglob("test_*.py")))


def lines_of(path: Path) -> list[str]:
    """The lines of a source."""
    return path.read_text(encoding="utf-8").splitlines()


def relative(path: Path) -> str:
    """What places call a file."""
    return path.resolve().relative_to(ROOT.resolve()).as_posix()


def _of_id(path: Path, identity: str) -> Place:
    number = lines_of(path).index(f'id = "{identity}"') + 1
    return Place(relative(path), number)


def _class_of(mutant: Mutant) -> type[object]:
    """The class that a mutant is, among those of the reference that its end is made of."""
    inside = "targets.mutants."
    return next(part for part in _parts(mutant.parts) if part.__module__.startswith(inside))


def _parts(made_of: object) -> Iterator[type[object]]:
    if isinstance(made_of, type):
        yield made_of
    elif is_dataclass(made_of):
        for field in fields(made_of):
            yield from _parts(getattr(made_of, field.name))


def _function(what: object) -> FunctionType | None:
    """The function behind a method or a property."""
    inner = what.fget if isinstance(what, property) else what
    return inner if isinstance(inner, FunctionType) else None
