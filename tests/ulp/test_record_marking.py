from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.ulp.record_marking import (
    RECORD_MAXIMUM,
    RecordError,
    RecordReader,
    encode_record,
)


@given(st.lists(st.binary(max_size=50), max_size=5), st.integers(1, 20))
def test_records_survive_any_division_of_the_stream(messages: list[bytes], step: int) -> None:
    stream = b"".join(map(encode_record, messages))
    reader = RecordReader()

    found = [
        message
        for start in range(0, len(stream), step)
        for message in reader.feed(stream[start : start + step])
    ]

    assert found == messages


def test_fragments_make_one_record() -> None:
    stream = b"\0\0\0\x03abc" + b"\0\0\0\0" + b"\x80\0\0\x02de" + b"\x80\0\0\x01f"

    assert RecordReader().feed(stream) == [b"abcde", b"f"]


def test_record_that_is_too_long_is_refused_before_it_arrives() -> None:
    reader = RecordReader()
    reader.feed(b"\0\0\0\x01x")

    with pytest.raises(RecordError):
        reader.feed((0x80000000 | RECORD_MAXIMUM).to_bytes(4, "big"))
