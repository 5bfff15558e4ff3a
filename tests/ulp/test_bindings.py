from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.ulp.bindings import DataItem, reduce, restore

pieces = st.lists(
    st.tuples(st.integers(0, 5).map(lambda words: b"kept" * words), st.binary(max_size=40)),
    max_size=5,
)


def payload_of(parts: list[tuple[bytes, bytes]]) -> tuple[bytes, tuple[DataItem, ...]]:
    payload = b""
    items = []
    for kept, data in parts:
        payload += kept
        items.append(DataItem(len(payload), len(data)))
        payload += data + bytes(-len(data) % 4)
    return payload + b"tail", tuple(items)


@given(pieces)
def test_restore_undoes_reduce(parts: list[tuple[bytes, bytes]]) -> None:
    payload, items = payload_of(parts)

    reduced, data = reduce(payload, items)

    assert reduced == b"".join(kept for kept, _ in parts) + b"tail"
    assert data == tuple(item for _, item in parts)
    positions = (item.position for item in items)
    assert restore(reduced, zip(positions, data, strict=True)) == payload


def test_reduced_item_leaves_no_padding_behind() -> None:
    assert reduce(b"headabc\0tail", [DataItem(4, 3)]) == (b"headtail", (b"abc",))


def test_item_knows_its_padding_and_end() -> None:
    item = DataItem(8, 5)

    assert (item.padding, item.end) == (3, 16)
    assert (DataItem(8, 4).padding, DataItem(8, 0).end) == (0, 8)


def test_restore_appends_an_item_whose_position_is_behind_the_end() -> None:
    assert restore(b"head", [(400, b"x")]) == b"headx\0\0\0"
