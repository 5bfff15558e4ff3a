"""A kernel's image as QEMU starts it soonest: unpacked, entered by PVH.

A kernel's own image unpacks itself; under TCG that takes 2.8 s, of which nothing is left if the
host unpacks it, and does so once for all boots.  Where the unpacked one has no entry for PVH, or is
packed by something else than xz or gzip, the image is taken as it is: it only starts later.

    Documentation/arch/x86/boot.rst     where a bzImage keeps its packed kernel
    arch/x86/platform/pvh/head.S        the entry, named by a note, XEN_ELFNOTE_PHYS32_ENTRY
"""

from __future__ import annotations

import contextlib
import lzma
import os
import struct
import zlib
from typing import TYPE_CHECKING, Final

from targets.python_path import user_cache

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["bootable_image", "has_pvh_entry", "unpacked_kernel"]

_MAGIC: Final = (0x202, b"HdrS")
_SECTORS: Final = 0x1F1
"""How many sectors of setup code there are beside the first."""
_SECTOR: Final = 512
_PAYLOAD: Final = 0x248
"""Offset and length of the packed kernel, after the setup code."""

_XZ: Final = b"\xfd7zXZ\0"
_GZIP: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = zlib.MAX_WBITS | 16

_ELF: Final = b"\x7fELF\x02\x01"
_NOTE_SEGMENT: Final = 4
_XEN: Final = b"Xen\0"
_PHYS32_ENTRY: Final = 18


def bootable_image(image: Path, cache: Path | None = None) -> Path:
    """The file to boot for a kernel's image.

    Args:
        image: the kernel's.
        cache: folder for unpacked kernels; one of the user's if None.
    """
    folder = (cache or user_cache()) / "kernels"
    state = image.stat()
    unpacked = folder / f"{image.name}-{state.st_size:x}-{state.st_mtime_ns:x}"
    if unpacked.exists():
        return unpacked
    kernel = unpacked_kernel(image.read_bytes())
    if kernel is None or not has_pvh_entry(kernel):
        return image
    partial = folder / f"{unpacked.name}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for older in folder.glob(f"{image.name}-*"):
            older.unlink(missing_ok=True)
        partial.write_bytes(kernel)
        partial.replace(unpacked)  # another process may do the same at this moment
    except OSError:  # a disk that is full is no reason not to boot
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        return image
    return unpacked


def unpacked_kernel(octets: bytes) -> bytes | None:
    """The ELF file in a bzImage; None if this is none, or packed in a way not known here."""
    at, magic = _MAGIC
    if octets[at : at + len(magic)] != magic:
        return None
    start = (octets[_SECTORS] + 1) * _SECTOR
    offset, length = struct.unpack_from("<II", octets, _PAYLOAD)
    packed = octets[start + offset :][:length]
    try:
        if packed.startswith(_XZ):
            return lzma.LZMADecompressor().decompress(packed)
        if packed.startswith(_GZIP):
            return zlib.decompressobj(_GZIP_WINDOW).decompress(packed)
    except (lzma.LZMAError, zlib.error):
        return None
    return None


def has_pvh_entry(kernel: bytes) -> bool:
    """Whether an ELF file has the note by which QEMU enters it."""
    if not kernel.startswith(_ELF):
        return False
    (first,) = struct.unpack_from("<Q", kernel, 0x20)
    size, count = struct.unpack_from("<HH", kernel, 0x36)
    for index in range(count):
        kind, _flags, offset, _, _, length = struct.unpack_from(
            "<IIQQQQ", kernel, first + size * index
        )
        if kind == _NOTE_SEGMENT and _has_note(kernel[offset : offset + length]):
            return True
    return False


def _has_note(notes: bytes) -> bool:
    at = 0
    while at + 12 <= len(notes):
        name, description, kind = struct.unpack_from("<III", notes, at)
        if kind == _PHYS32_ENTRY and notes[at + 12 : at + 12 + name] == _XEN:
            return True
        at += 12 + _aligned(name) + _aligned(description)
    return False


def _aligned(length: int) -> int:
    return length + -length % 4
