"""Tables of fields: what they cover, and what has no room in them."""

from __future__ import annotations

import msgspec
import pytest

from rpcrdma.errors import FabricError
from rpcrdma.roce.packet.cm_fields import bits, decode_fields, encode_fields, octets


class Three(msgspec.Struct):
    number: int
    flag: int
    rest: bytes


LAYOUT = {"number": bits(0, 20), "flag": bits(2, 1, bit=5), "rest": octets(229, 3)}


def test_fields_are_where_the_table_puts_them() -> None:
    data = encode_fields(LAYOUT, Three(0x12345, 1, b"ab"))

    assert data == bytes.fromhex("123454") + bytes(226) + b"ab\0"
    assert decode_fields(LAYOUT, data) == {"number": 0x12345, "flag": 1, "rest": b"ab\0"}


def test_what_no_field_covers_is_passed_over() -> None:
    values = decode_fields(LAYOUT, b"\xff" * 232)

    assert values == {"number": 0xFFFFF, "flag": 1, "rest": b"\xff" * 3}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (Three(1 << 20, 0, b""), "number of Three is 1048576, which has no room in 20 bits"),
        (Three(0, -1, b""), "flag of Three is -1, which has no room in 1 bits"),
        (Three(0, 0, b"\0\0\0\0"), "rest of Three has 4 octets, and there is room for 3"),
    ],
)
def test_a_value_that_has_no_room_is_refused(message: Three, said: str) -> None:
    with pytest.raises(FabricError) as caught:
        encode_fields(LAYOUT, message)
    assert str(caught.value) == said
