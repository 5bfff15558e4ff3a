"""The folder of a run: which one, that it holds no other run, and what failed in the last one."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance.bad_input import BadInput, NothingSelected
from conformance.suite.runner import RECORDS
from reports.folder import report_files
from reports.pages.lab_logs import LOGS_FOLDER
from reports.record import Verdict
from reports.render.statement import STATEMENTS
from reports.stream import read_run

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["claim", "failed_in", "last_folder", "new_folder"]

_SHARES: Final = "records-*.jsonl"
"""Records of the processes of a run, which has been killed if they are there."""

_EVIDENCE: Final = ("*.jsonl", "*.pcapng", "*.console.log")


def new_folder(target: str) -> Path:
    """The first usual folder for this target that holds no run."""
    return next(folder for folder in _usual(target) if not _holds_run(folder))


def last_folder(target: str) -> Path:
    """The last usual folder for this target that holds a run, or the first one if none does."""
    last = None
    for folder in _usual(target):
        if not _holds_run(folder):
            return last or folder
        last = folder
    raise AssertionError("there are always more names")


def claim(folder: Path, *, force: bool) -> None:
    """See that a folder is free for a run.

    Args:
        folder: it need not exist.
        force: clear away the run that it holds; what is not of a run stays.

    Raises:
        BadInput: it holds a run.
        OSError: what it holds cannot be removed.
    """
    if not _holds_run(folder):
        return
    if not force:
        raise BadInput(f"`{folder}` holds a run; name another --output, or clear it by --force")
    files = [folder / RECORDS, *report_files(folder), *(folder / name for name in STATEMENTS)]
    files += folder.glob(_SHARES)
    files += (file for kind in _EVIDENCE for file in (folder / "evidence").glob(kind))
    files += (folder / LOGS_FOLDER).glob("*.log")
    for file in files:
        file.unlink(missing_ok=True)


def failed_in(folder: Path) -> tuple[str, ...]:
    """The cases of a run that failed, ended by an error or were not judged.

    Raises:
        NothingSelected: there is none.
        RunFileError: there is no run, or it cannot be read.
    """
    run = read_run(folder / RECORDS)
    good = {case.id for case in run.cases if case.verdict not in (Verdict.FAIL, Verdict.ERROR)}
    failed = tuple(case for case in run.header.planned if case not in good)
    if not failed:
        raise NothingSelected(f"nothing failed in `{folder}`; leave --last-failed out")
    return failed


def _usual(target: str) -> Iterator[Path]:
    stem = Path(target).stem if target.endswith(".toml") else target
    name = f"rpcrdma-report-{re.sub(r'[^A-Za-z0-9.-]+', '-', stem)}"
    yield Path(name)
    for number in count(2):
        yield Path(f"{name}-{number}")


def _holds_run(folder: Path) -> bool:
    return (folder / RECORDS).exists() or any(folder.glob(_SHARES))
