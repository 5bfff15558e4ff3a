"""Which cases execute which lines of the endpoint, as the reference runs them.

A fault can show in none but those cases that reach it.  Lines are recorded by `sys.settrace`, once
for each state of the code, in a process that has imported nothing of the endpoint before: what the
modules execute when they are imported belongs to no case, and is left out.
"""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from conformance.proof.detect import faults, operators, shown, sight
from conformance.proof.detect.faults import ENDPOINT, find_modules
from conformance.proof.detect.shown import Shown  # noqa: TC001  # msgspec needs it

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from conformance.proof.detect.faults import MadeFault

__all__ = [
    "LineRecorder",
    "Reach",
    "digest_of_code",
    "forget_remembered",
    "read_reach",
    "spread",
    "write_reach",
]

_ROOT: Final = Path(__file__).parents[3]
_JUDGING: Final = ("rpcrdma", "targets", "conformance")
_NOT_JUDGING: Final = ("conformance/cli", "conformance/explore", "conformance/proof")
_PROVING: Final = (faults.__file__, operators.__file__, shown.__file__, sight.__file__)
"""Of what does not judge, what makes faults, and what looks at what they change."""


class Reach(msgspec.Struct, frozen=True):
    """What the reference does, case by case.

    Attributes:
        digest: of the code, see `digest_of_code`.
        roles: case -> role of the device, in the order of the suite.
        lines: module -> line -> indices of the cases that execute it.
        verdicts: case -> verdict, of those that did not pass.
        patience: seconds of processor time that a case may take before the device counts as hung.
        bodies: case -> digests of what the reference shows in its body, where that is always the
            same (see `sight`).
        openings: what it shows before, of any case.
    """

    digest: str
    roles: dict[str, str]
    lines: dict[str, dict[int, list[int]]]
    verdicts: dict[str, str]
    patience: float
    bodies: dict[str, bytes] = {}
    openings: list[tuple[Shown, ...]] = []

    def cases(self, fault: MadeFault) -> tuple[str, ...]:
        """The cases that reach a fault, those first that are likely to tell something of it.

        What happens at import may show anywhere, but rather in cases that come to the module.
        """
        of_module = self.lines.get(fault.module, {})
        wanted = of_module if fault.at_import else fault.lines
        found = {index for line in wanted for index in of_module.get(line, ())}
        names = tuple(self.roles)
        ordered = spread(names[index] for index in sorted(found))
        if not fault.at_import:
            return ordered
        return ordered + spread(one for index, one in enumerate(names) if index not in found)


class LineRecorder:
    """Notes the lines of some files that are executed, case by case."""

    def __init__(self, modules: Iterable[tuple[str, str]]) -> None:
        """Note lines.

        Args:
            modules: (name, path) of each.
        """
        self._modules = {path: name for name, path in modules}
        self._seen: dict[str, set[tuple[str, int]]] = {}
        self._current: set[tuple[str, int]] = set()

    def begin(self, case: str) -> None:
        """What is executed from now on belongs to a case."""
        self._current = self._seen.setdefault(case, set())

    def trace(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        """For `sys.settrace`: follow a function if it is of one of the files."""
        path = frame.f_code.co_filename
        if path not in self._modules:
            return None
        self._current.add((path, frame.f_lineno))
        return self._follow

    def _follow(self, frame: FrameType, event: str, _: object) -> Callable[..., Any]:
        if event == "line":
            self._current.add((frame.f_code.co_filename, frame.f_lineno))
        return self._follow

    def __enter__(self) -> Self:
        """Begin to note."""
        sys.settrace(self.trace)
        return self

    def __exit__(self, *error: object) -> None:
        """Note no more."""
        sys.settrace(None)

    def lines(self, cases: Iterable[str]) -> dict[str, dict[int, list[int]]]:
        """Module -> line -> indices of these cases that executed it."""
        found: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for index, case in enumerate(cases):
            for path, line in self._seen.get(case, ()):
                found[self._modules[path]][line].append(index)
        return {name: dict(lines) for name, lines in found.items()}


def digest_of_code() -> str:
    """A digest of everything that decides what becomes of a fault."""
    found = hashlib.sha256()
    for path in sorted((*_files(), *map(Path, _PROVING))):
        found.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def _files() -> Iterable[Path]:
    for folder in _JUDGING:
        for path in (_ROOT / folder).rglob("*"):
            name = path.relative_to(_ROOT).as_posix()
            if path.suffix in (".py", ".toml") and not name.startswith(_NOT_JUDGING):
                yield path


def spread(cases: Iterable[str]) -> tuple[str, ...]:
    """The first case of each section, then the second of each, and so on.

    A line that many cases reach is reached for a different reason in each section.
    """
    ranks: dict[str, int] = defaultdict(int)
    ranked: list[tuple[int, str]] = []
    for case in cases:
        section = case.rpartition("/")[0]
        ranked.append((ranks[section], case))
        ranks[section] += 1
    return tuple(case for _, case in sorted(ranked, key=lambda one: one[0]))


def forget_remembered(modules: Iterable[str]) -> None:
    """Empty what functions of modules remember of their calls (`lru_cache`).

    Otherwise their lines are executed in the first case alone that needs a value, and a fault in
    them seems to be out of reach of all others.

    Args:
        modules: their names; one that is not imported remembers nothing.
    """
    for name in modules:
        module = sys.modules.get(name)
        if module is None:
            continue
        classes = (one for one in vars(module).values() if isinstance(one, type))
        for owner in (module, *(one for one in classes if one.__module__ == name)):
            for value in vars(owner).values():
                clear = getattr(getattr(value, "__func__", value), "cache_clear", None)
                if clear is not None:
                    clear()


def endpoint_files() -> tuple[tuple[str, str], ...]:
    """(name, path) of the endpoint's modules."""
    return tuple((module.name, str(module.path)) for module in find_modules(ENDPOINT))


def read_reach(path: Path, digest: str) -> Reach | None:
    """What was recorded; None if there is nothing, or nothing of this code."""
    if not path.is_file():
        return None
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Reach)
    except msgspec.DecodeError:  # it was being written when a run was ended
        return None
    return found if found.digest == digest else None


def write_reach(reach: Reach, path: Path) -> None:
    """Keep it."""
    path.write_bytes(msgspec.json.encode(reach))
