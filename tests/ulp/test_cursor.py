from __future__ import annotations

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.bindings import DataItem
from rpcrdma.ulp.cursor import PayloadCursor

WORD = b"\0\0\0\1"
ITEM = b"\0\0\0\5hello\0\0\0"


def test_item_is_found_in_an_unreduced_payload() -> None:
    cursor = PayloadCursor(WORD + ITEM + WORD, 0)

    assert cursor.word() == 1
    assert cursor.item() == DataItem(8, 5)
    assert cursor.flag() is True
    assert cursor.finish() == (DataItem(8, 5),)


def test_positions_behind_a_reduced_item_are_those_of_the_unreduced_payload() -> None:
    cursor = PayloadCursor(b"\0\0\0\5" + WORD + ITEM, 0, {0})

    cursor.item()
    assert cursor.position == 12
    cursor.word()
    cursor.item()

    assert cursor.finish() == (DataItem(4, 5), DataItem(20, 5))


@pytest.mark.parametrize("reduced", [False, True])
def test_item_of_known_length_has_no_count(reduced: bool) -> None:
    payload = WORD + (b"" if reduced else b"hell") + WORD
    cursor = PayloadCursor(payload, 0, {0} if reduced else ())

    cursor.flag()
    assert cursor.item_of(4) == DataItem(4, 4)
    cursor.flag()

    assert cursor.finish() == (DataItem(4, 4),)


def test_slot_without_item_counts() -> None:
    cursor = PayloadCursor(b"\0\0\0\5", 0, {1})

    cursor.no_item()
    cursor.item()

    assert cursor.finish() == (None, DataItem(4, 5))


def test_cut_item_is_truncated() -> None:
    cursor = PayloadCursor(ITEM[:8], 0)

    with pytest.raises(DecodeError) as caught:
        cursor.item()

    assert (caught.value.reason, caught.value.path) == (Reason.TRUNCATED, "results.slots[0]")
    assert caught.value.offset == 4


def test_boolean_that_is_neither_0_nor_1_is_refused() -> None:
    with pytest.raises(DecodeError) as caught:
        PayloadCursor(b"\0\0\0\2", 0).flag()

    assert (caught.value.reason, caught.value.offset) == (Reason.BAD_BOOLEAN, 0)


def test_padding_that_is_not_zero_is_refused() -> None:
    with pytest.raises(DecodeError) as caught:
        PayloadCursor(b"\0\0\0\1abcd", 0).opaque()

    assert caught.value.reason is Reason.BAD_PADDING


def test_octets_left_over_are_refused() -> None:
    with pytest.raises(DecodeError) as caught:
        PayloadCursor(WORD, 0).finish()

    assert (caught.value.reason, caught.value.detail) == (Reason.TRAILING, "4 octets")
