"""What a target or a subject did not stand, kept as a file: one format, whoever found it.

`rpcrdma explore` keeps shots or steps, a fuzz harness the octets of its input.  A file that is no
such record is an input by itself: octets, as a fuzzer keeps them in its corpus.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput
from conformance.explore.recipes import Shot, Step  # noqa: TC001  (msgspec: at run time)
from reports.printable import printable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FORMAT_VERSION", "Finding", "keep", "load"]

FORMAT_VERSION: Final = 2
"""Of kept findings; a reader refuses any other."""


class Finding(msgspec.Struct, frozen=True):
    """A sequence that breaks something.

    Attributes:
        way: who found it: `calls` or `exchanges` of `rpcrdma explore`, or the name of a fuzz
            harness; empty for bare octets, of which nobody knows.
        target: against which it was found.
        seed: of the round that found it; 0 if there is none.
        broken: requirements, invariants, or what is wrong in words; the same for findings that are
            alike.
        detail: what was seen.
        shots: of `calls`.  steps: of `exchanges`.  octets: the input of a fuzz harness.
        lines: of a live campaign against a server that did more than send messages.
        format: version of this layout.
    """

    way: str
    target: str = ""
    seed: int = 0
    broken: tuple[str, ...] = ()
    detail: str = ""
    shots: tuple[Shot, ...] = ()
    steps: tuple[Step, ...] = ()
    octets: bytes = b""
    lines: tuple[str, ...] = ()
    format: int = FORMAT_VERSION

    @property
    def sequence(self) -> bytes:
        """The sequence alone, as it stands in the file: what is made smaller."""
        others = (self.lines,) if self.lines else ()  # files of before keep their names
        return msgspec.json.encode((self.shots, self.steps, self.octets, *others))


def keep(folder: Path, finding: Finding) -> Path:
    """Write a finding below a folder; returns the file, one and the same for the same sequence."""
    finding = _shown(finding)
    folder.mkdir(parents=True, exist_ok=True)
    word = finding.broken[0].rsplit(".", 1)[-1] if finding.broken else "unknown"
    safe = "".join(letter if letter.isalnum() else "-" for letter in word)[:40]
    digest = hashlib.sha256(finding.sequence).hexdigest()[:12]
    path = folder / f"{finding.way}-{safe}-{digest}.json"
    text = msgspec.json.format(msgspec.json.encode(finding), indent=1)
    path.write_bytes(text + b"\n")
    return path


def load(path: Path) -> Finding:
    """Read a kept finding, or bare octets.

    Raises:
        BadInput: it is a folder, or a record of another kind or format version.
        OSError: it cannot be read.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file in it")
    octets = path.read_bytes()
    if not _is_record(octets):
        return Finding("", octets=octets)
    try:
        finding = msgspec.json.decode(octets, type=Finding)
    except msgspec.DecodeError as error:
        raise BadInput(f"{path} is no kept finding: {error}") from error
    if finding.format != FORMAT_VERSION:
        raise BadInput(f"{path} has format {finding.format}, not {FORMAT_VERSION}")
    return _shown(finding)


def _shown(finding: Finding) -> Finding:
    """With its words as they may be shown; a device may have said some of them.

    The sequence stays as it is: it is done again, not read.
    """
    words = printable((finding.target, finding.broken, finding.detail))
    names = ("target", "broken", "detail")
    return msgspec.structs.replace(finding, **dict(zip(names, words, strict=True)))


def _is_record(octets: bytes) -> bool:
    """Whether this is a JSON object that names its format; octets of a message never are."""
    try:
        return "format" in msgspec.json.decode(octets, type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return False
