from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reports.pages.decoded import decoded_message
from reports.record import Exchange, Field


def message(octets: bytes, *fields: Field) -> Exchange:
    return Exchange(
        0.0, 1, "received", "summary", "detail", octets.hex(), len(octets), fields=fields
    )


def test_octets_stand_in_words_led_by_their_offset() -> None:
    first, second = decoded_message(message(bytes(range(20)))).octets
    assert first.pieces == (("00010203 04050607 08090a0b 0c0d0e0f", False),)
    assert (second.offset, second.pieces) == (16, (("10111213", False),))


def test_the_guilty_field_is_marked_in_its_octets() -> None:
    fields = (Field(0, 4, 0, "rdma_xid", "1"), Field(4, 4, 0, "rdma_vers", "7", "must be 1"))
    shown = decoded_message(message(bytes(12), *fields))
    (line,) = shown.octets
    assert line.pieces == (("00000000 ", False), ("00000000", True), (" 00000000", False))
    assert shown.marks == fields[1:]


def test_a_guilty_heading_marks_what_it_groups_and_no_more() -> None:
    fields = (
        Field(0, 0, 0, "rdma_reads", "", "must be empty"),
        Field(0, 4, 1, "entry", "1"),
        Field(4, 4, 0, "rdma_writes", "0"),
    )
    (line,) = decoded_message(message(bytes(8), *fields)).octets
    assert line.pieces == (("00000000", True), (" 00000000", False))


def test_what_has_no_fields_is_told_as_text() -> None:
    assert decoded_message(message(bytes(4))).detail == "detail"
    assert decoded_message(message(bytes(4), Field(0, 4, 0, "x", "0"))).detail == ""


def test_a_message_that_was_cut_says_how_long_it_was() -> None:
    cut = Exchange(0.0, 1, "sent", "summary", octets="00" * 8, length=5000)
    assert (decoded_message(cut).kept, decoded_message(cut).length) == (8, 5000)


@given(st.binary(max_size=80), st.integers(0, 80), st.integers(0, 20))
def test_pieces_are_the_octets_and_the_marked_ones_are_the_fields(
    octets: bytes, offset: int, length: int
) -> None:
    field = Field(offset, length, 0, "x", "", "wrong")
    lines = decoded_message(message(octets, field)).octets
    pieces = [piece for line in lines for piece in line.pieces]
    assert bytes.fromhex("".join(text for text, _ in pieces)) == octets
    marked = bytes.fromhex("".join(text for text, inside in pieces if inside))
    assert marked == octets[offset : offset + length]
