"""The file in which a guest's blocks are counted, as the plugin fills it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from fuzz.live.block_file import BlockFile

CAPACITY = 4
HEAD = struct.Struct("=8sQQQ")


def put(file: BlockFile, place: int, *words: int) -> None:
    """Write words as another process does, by the file's name."""
    with Path(file.path).open("r+b") as stream:
        stream.seek(8 * place)
        stream.write(struct.pack(f"={len(words)}Q", *words))


def test_another_process_finds_the_layout_that_the_plugin_wants() -> None:
    file = BlockFile(CAPACITY)
    octets = Path(file.path).read_bytes()
    assert HEAD.unpack_from(octets) == (b"RPCBLKS1", CAPACITY, 0, 0)
    assert len(octets) == HEAD.size + 2 * 8 * CAPACITY
    file.close()


def test_blocks_have_numbers_in_the_order_of_their_translation() -> None:
    file = BlockFile(CAPACITY)
    assert (file.used, file.addresses(0), file.counts()) == (0, [], [])
    put(file, 4, 0xFFFF_FFFF_C000_0000, 0xFFFF_FFFF_C000_0010, 7)
    put(file, 4 + CAPACITY, 1, 0, 9)
    put(file, 2, 2, 5)
    assert file.addresses(0) == [0xFFFF_FFFF_C000_0000, 0xFFFF_FFFF_C000_0010]
    assert file.addresses(1) == [0xFFFF_FFFF_C000_0010]
    assert file.counts() == [1, 0]
    assert file.lost == 5
    file.close()


def test_nothing_is_left_of_a_file_that_was_closed() -> None:
    file = BlockFile(CAPACITY)
    path = file.path
    file.close()
    file.close()
    with pytest.raises(FileNotFoundError):
        Path(path).read_bytes()
