"""A run on disk: JSON lines, written as cases finish, and a reader that trusts nothing.

The first line is the header, the last the footer; between them one line for each case.  A file
without footer was cut short, and the reader says so by `footer=None`; anything else that is not as
it must be is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from reports.printable import printable
from reports.record import FORMAT_VERSION, CaseRecord, RunFooter, RunHeader, RunRecord

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self

__all__ = ["RunFileError", "RunWriter", "read_run"]

Line = RunHeader | CaseRecord | RunFooter


class RunFileError(Exception):
    """A file of records that cannot be used; the message names file, line and problem."""


class RunWriter:
    """Writes one run; every line is on disk before `add` returns."""

    def __init__(self, path: Path, header: RunHeader) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._stream = path.open("wb")
        self._count = 0
        self._write(header)

    def add(self, case: CaseRecord) -> None:
        """Write one case."""
        self._count += 1
        self._write(case)

    def finish(
        self, duration: float, *, reason: str = "", signal: str = "", notes: tuple[str, ...] = ()
    ) -> None:
        """Write the footer; a `reason` says why the run is not complete, `signal` by which one."""
        self._write(RunFooter(self._count, duration, not reason, reason, signal, notes))
        self.close()

    def close(self) -> None:
        """Close the file, with or without footer.  Twice is allowed."""
        self._stream.close()

    def __enter__(self) -> Self:
        """Enter a `with` block that ends in `close`."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def _write(self, line: Line) -> None:
        try:
            self._stream.write(msgspec.json.encode(printable(line)) + b"\n")
            self._stream.flush()
        except OSError as error:  # of a full disk, the system does not say where
            raise OSError(error.errno, error.strerror, str(self._path)) from error


def read_run(path: Path) -> RunRecord:
    """Read a run.

    Raises:
        RunFileError: it cannot be read, is of another format, or is not a run.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RunFileError(f"{path}: {error.strerror}") from error
    complete, _, rest = raw.rpartition(b"\n")
    lines = [_decode(path, number, line) for number, line in enumerate(complete.split(b"\n"), 1)]
    header, *others = lines
    if not isinstance(header, RunHeader):
        raise RunFileError(f"{path}: line 1 is not the header of a run")
    if header.format != FORMAT_VERSION:
        raise RunFileError(f"{path}: format {header.format}; this reads {FORMAT_VERSION} only")
    footer = others.pop() if others and isinstance(others[-1], RunFooter) else None
    cases = [line for line in others if isinstance(line, CaseRecord)]
    if len(cases) != len(others):
        raise RunFileError(f"{path}: a header or footer stands between the cases")
    ids = [case.id for case in cases]
    if len(set(ids)) != len(ids):
        twice = next(case for case in ids if ids.count(case) > 1)
        raise RunFileError(f"{path}: case {twice} was recorded twice")
    if isinstance(footer, RunFooter):
        if rest or footer.cases != len(cases):
            raise RunFileError(f"{path}: the footer counts {footer.cases} cases, not {len(cases)}")
        return RunRecord(header, tuple(cases), footer)
    return RunRecord(header, tuple(cases))


def _decode(path: Path, number: int, line: bytes) -> Line:
    try:
        decoded: Line = msgspec.json.decode(line, type=Line)
    except msgspec.MsgspecError as error:
        raise RunFileError(f"{path}: line {number}: {error}") from error
    return printable(decoded)
