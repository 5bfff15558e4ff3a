"""What a fuzz harness finds, and how a finding is kept.

A harness raises `Finding` when an invariant is broken; every other exception that leaves the code
under test is a finding, too (`undeclared`).  A kept finding is a folder: the input octet for octet,
and a manifest that says what was broken and how to see it again.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

from conformance.bad_input import BadInput

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FORMAT_VERSION", "Finding", "Manifest", "forget", "keep", "load", "undeclared"]

FORMAT_VERSION: Final = 1
"""Of manifests; a reader refuses any other."""

_INPUT: Final = "input"
_MANIFEST: Final = "manifest.json"


class Finding(Exception):
    """An invariant is broken.

    Attributes:
        invariant: which one, as one word with hyphens; the same for every input that breaks it.
        detail: what was seen with this input.
    """

    def __init__(self, invariant: str, detail: str) -> None:
        super().__init__(invariant, detail)
        self.invariant = invariant
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.invariant}: {self.detail}"


class Manifest(msgspec.Struct, frozen=True):
    """What is known of a kept finding.

    Attributes:
        format: version of this layout.
        harness: name of the harness, `v1-header`.
        invariant: the one that is broken.
        detail: what was seen.
        size: octets of the input.
        replay: the command that shows it again.
    """

    format: int
    harness: str
    invariant: str
    detail: str
    size: int
    replay: str


def undeclared(error: BaseException) -> Finding:
    """The finding for an exception that the code under test may not raise."""
    return Finding("undeclared-exception", f"{type(error).__name__}: {error}")


def keep(folder: Path, harness: str, octets: bytes, finding: Finding) -> Path:
    """Write a finding below `folder`; the same input goes to the same place. Returns the place."""
    place = folder / f"{harness}-{hashlib.sha256(octets).hexdigest()[:12]}"
    place.mkdir(parents=True, exist_ok=True)
    (place / _INPUT).write_bytes(octets)
    manifest = Manifest(
        FORMAT_VERSION,
        harness,
        finding.invariant,
        finding.detail,
        len(octets),
        f"rpcrdma replay {place}",
    )
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (place / _MANIFEST).write_bytes(text + b"\n")
    return place


def forget(place: Path) -> None:
    """Remove a kept finding."""
    (place / _MANIFEST).unlink()
    (place / _INPUT).unlink()
    place.rmdir()


def load(path: Path) -> tuple[bytes, Manifest | None]:
    """The octets of a kept finding (a folder) or of a bare file, with its manifest if it has one.

    Raises:
        OSError: the input cannot be read.
        BadInput: the manifest is not one, or of another format version.
    """
    if not path.is_dir():
        return path.read_bytes(), None
    octets = (path / _INPUT).read_bytes()
    try:
        manifest = msgspec.json.decode((path / _MANIFEST).read_bytes(), type=Manifest)
    except msgspec.DecodeError as error:
        raise BadInput(f"{path / _MANIFEST}: {error}") from error
    if manifest.format != FORMAT_VERSION:
        raise BadInput(f"{path / _MANIFEST}: format {manifest.format}, not {FORMAT_VERSION}")
    return octets, manifest
