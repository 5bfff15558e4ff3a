from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fuzz.sequence import MOST_MESSAGES, join, split


@given(st.lists(st.binary(max_size=300), max_size=MOST_MESSAGES))
def test_joined_messages_are_split_again(messages: list[bytes]) -> None:
    assert split(join(messages)) == messages


@given(st.binary(max_size=500))
def test_any_octets_are_a_sequence(octets: bytes) -> None:
    messages = split(octets)
    assert len(messages) <= MOST_MESSAGES
    assert sum(len(message) + 2 for message in messages) <= len(octets) + 2


def test_length_behind_the_end_takes_what_is_left() -> None:
    assert split(b"\xff\xffabc") == [b"abc"]


def test_more_messages_than_taken_are_left_out() -> None:
    assert len(split(bytes(2) * (MOST_MESSAGES + 5))) == MOST_MESSAGES
