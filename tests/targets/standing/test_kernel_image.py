"""Which file is booted for a kernel, by images made by hand."""

from __future__ import annotations

import gzip
import lzma
import struct
from typing import TYPE_CHECKING

import pytest

from targets.standing.kernel_image import bootable_image, has_pvh_entry, unpacked_kernel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SETUP_SECTORS = 4
XEN_ELFNOTE_PHYS32_ENTRY = 18


def elf(*notes: tuple[bytes, int]) -> bytes:
    """A kernel with one segment of notes."""
    segment = b"".join(
        struct.pack("<III", len(name), 4, kind)
        + name.ljust(-(-len(name) // 4) * 4, b"\0")
        + bytes(4)
        for name, kind in notes
    )
    header = bytearray(64)
    header[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<Q", header, 0x20, 64)
    struct.pack_into("<HH", header, 0x36, 56, 1)
    program = struct.pack("<IIQQQQQQ", 4, 0, 120, 0, 0, len(segment), len(segment), 4)
    return bytes(header) + program + segment


BOOTABLE = elf((b"GNU\0", 3), (b"Xen\0", XEN_ELFNOTE_PHYS32_ENTRY))


def bz_image(kernel: bytes, pack: Callable[[bytes], bytes] = lzma.compress) -> bytes:
    packed = pack(kernel)
    offset = 32
    image = bytearray(512 * (SETUP_SECTORS + 1) + offset)
    image[0x1F1] = SETUP_SECTORS
    image[0x202:0x206] = b"HdrS"
    struct.pack_into("<II", image, 0x248, offset, len(packed))
    return bytes(image) + packed + b"more"


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
def test_an_image_is_unpacked(pack: Callable[[bytes], bytes]) -> None:
    assert unpacked_kernel(bz_image(BOOTABLE, pack)) == BOOTABLE


@pytest.mark.parametrize(
    "image",
    [
        bytes(0x1000),
        bz_image(BOOTABLE, lambda kernel: b"\x28\xb5\x2f\xfd" + kernel),
        bz_image(BOOTABLE, lambda kernel: lzma.compress(kernel)[:8] + b"broken"),
    ],
    ids=["no image", "packed otherwise", "broken"],
)
def test_what_cannot_be_unpacked_is_not(image: bytes) -> None:
    assert unpacked_kernel(image) is None


def test_the_entry_is_told_by_a_note_of_xens() -> None:
    assert has_pvh_entry(BOOTABLE)
    assert not has_pvh_entry(elf((b"GNU\0", XEN_ELFNOTE_PHYS32_ENTRY), (b"Xen\0", 5)))
    assert not has_pvh_entry(b"no ELF file")


def test_an_unpacked_kernel_is_kept_for_the_next_boot(tmp_path: Path) -> None:
    image, cache = tmp_path / "vmlinuz-6.1", tmp_path / "cache"
    image.write_bytes(bz_image(BOOTABLE))
    first = bootable_image(image, cache)
    assert first.read_bytes() == BOOTABLE
    first.write_bytes(b"kept")
    assert bootable_image(image, cache).read_bytes() == b"kept"


def test_an_image_that_was_replaced_is_unpacked_again(tmp_path: Path) -> None:
    image, cache = tmp_path / "vmlinuz-6.1", tmp_path / "cache"
    image.write_bytes(bz_image(BOOTABLE))
    first = bootable_image(image, cache)
    other = elf((b"Xen\0", XEN_ELFNOTE_PHYS32_ENTRY), (b"GNU\0", 1))
    image.write_bytes(bz_image(other))
    assert bootable_image(image, cache).read_bytes() == other
    assert not first.exists()


def test_what_qemu_could_not_enter_is_booted_as_it_is(tmp_path: Path) -> None:
    image = tmp_path / "vmlinuz-6.1"
    image.write_bytes(bz_image(elf((b"GNU\0", 3))))
    assert bootable_image(image, tmp_path / "cache") == image


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    image = tmp_path / "vmlinuz-6.1"
    image.write_bytes(bz_image(BOOTABLE))
    (tmp_path / "file").write_text("")
    assert bootable_image(image, tmp_path / "file") == image
