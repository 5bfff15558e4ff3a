"""The digest of a run's evidence, by which a statement is tied to it.

It is the SHA-256 of lines, one for each file: the SHA-256 of the file in hexadecimal, two spaces,
its name and a newline.  The files are the records and all below the folder `evidence`; names are
relative to the folder of the run, with `/` between their parts, and the lines are in the order of
the octets of the names.  So these programs print the same:

    find records.jsonl evidence -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["evidence_digest", "evidence_files"]

_EVIDENCE: Final = "evidence"


def evidence_digest(folder: Path, records: str) -> str:
    """The digest, `sha256:` and 64 hexadecimal digits.

    Args:
        folder: of the run.
        records: name of the file of records in it.

    Raises:
        OSError: a file cannot be read.
    """
    lines = (
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
        for name in evidence_files(folder, records)
    )
    return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


def evidence_files(folder: Path, records: str) -> tuple[str, ...]:
    """The names of the files, in the order in which they are digested."""
    found = (path for path in (folder / _EVIDENCE).rglob("*") if path.is_file())
    names = [records, *(path.relative_to(folder).as_posix() for path in found)]
    return tuple(sorted(names, key=str.encode))
