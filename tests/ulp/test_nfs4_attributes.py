from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.file_node import FileKind, FileNode
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.nfs4_attribute_table import ATTRIBUTES, SETTABLE
from rpcrdma.ulp.nfs4_attributes import (
    bitmap_of,
    decode_attributes,
    encode_attributes,
    largest_attributes,
    numbers_in,
)
from rpcrdma.ulp.nfs4_setattr import apply_attributes
from rpcrdma.wire import _generated_nfs4 as wire

STORE = FileStore()
nodes = st.sampled_from([STORE.root, *STORE.root.children.values()])
numbers = st.sets(st.integers(0, 95))


@given(numbers)
def test_bitmap_comes_back(chosen: set[int]) -> None:
    assert set(numbers_in(bitmap_of(chosen))) == chosen


def test_bitmap_has_no_trailing_zero_words() -> None:
    assert bitmap_of([]) == ()
    assert bitmap_of([1, 4]) == (0x12,)
    assert bitmap_of([33]) == (0, 2)


@given(nodes, numbers)
def test_known_attributes_are_answered_within_the_largest_size(
    node: FileNode, chosen: set[int]
) -> None:
    attributes = encode_attributes(node, bitmap_of(chosen))

    assert set(decode_attributes(attributes)) == chosen & set(ATTRIBUTES)
    assert len(wire.encode_file_attributes(attributes)) <= largest_attributes(bitmap_of(chosen))


def test_what_no_server_of_ours_has_is_reckoned_with_by_its_size() -> None:
    without = largest_attributes(bitmap_of((0, 75)))

    assert largest_attributes(bitmap_of((0, 75, 86))) == without + 80
    assert largest_attributes(bitmap_of((0, 75, 80))) > 4096


def test_values_are_those_of_the_node() -> None:
    node = FileNode("dir/file", FileKind.FILE, 42, bytearray(5), writable=True, change=9)

    values = decode_attributes(encode_attributes(node, bitmap_of(ATTRIBUTES)))

    assert (
        values.items()
        >= {
            wire.FATTR4_SUPPORTED_ATTRS: bitmap_of((*ATTRIBUTES, *SETTABLE)),
            wire.FATTR4_TYPE: wire.FileType.NF4REG,
            wire.FATTR4_CHANGE: 9,
            wire.FATTR4_SIZE: 5,
            wire.FATTR4_FSID: (0, 0),
            wire.FATTR4_RDATTR_ERROR: wire.Status.NFS4_OK,
            wire.FATTR4_FILEHANDLE: b"tree:42",
            wire.FATTR4_FILEID: 42,
            wire.FATTR4_MODE: 0o666,
            wire.FATTR4_NUMLINKS: 1,
            wire.FATTR4_OWNER: b"0",
            wire.FATTR4_TIME_METADATA: node.changed,
            wire.FATTR4_RAWDEV: (0, 0),
        }.items()
    )
    assert set(values) == set(ATTRIBUTES)


def test_unknown_attribute_cannot_be_read() -> None:
    with pytest.raises(DecodeError) as caught:
        decode_attributes(wire.FileAttributes(bitmap_of([14]), bytes(4)))

    assert (caught.value.reason, caught.value.path) == (Reason.BAD_DISCRIMINANT, "attr_vals[14]")


def access_list(count: int) -> bytes:
    entry = wire.encode_attribute_bitmap(wire.AttributeBitmap((0, 0, 1)))[4:]
    entry += wire.encode_attribute_text(wire.AttributeText(b"EVERYONE@"))
    return wire.encode_attribute_word(wire.AttributeWord(count)) + entry * count


def test_an_access_control_list_is_read_to_its_end_and_not_kept() -> None:
    values = wire.FileAttributes(bitmap_of([wire.FATTR4_ACL]), access_list(200))

    assert decode_attributes(values) == {wire.FATTR4_ACL: access_list(200)}
    assert apply_attributes(STORE.root, values) == bitmap_of([wire.FATTR4_ACL])
    kept = encode_attributes(STORE.root, bitmap_of([wire.FATTR4_ACL]))
    assert kept.attr_vals == access_list(200)


def test_an_access_control_list_that_is_cut_short_is_refused() -> None:
    values = wire.FileAttributes(bitmap_of([wire.FATTR4_ACL]), access_list(3)[:-4])

    with pytest.raises(DecodeError) as caught:
        decode_attributes(values)

    assert caught.value.reason is Reason.TRUNCATED


def test_values_left_over_are_refused() -> None:
    with pytest.raises(DecodeError) as caught:
        decode_attributes(wire.FileAttributes(bitmap_of([1]), bytes([0, 0, 0, 1]) + bytes(4)))

    assert (caught.value.reason, caught.value.offset) == (Reason.TRAILING, 4)
