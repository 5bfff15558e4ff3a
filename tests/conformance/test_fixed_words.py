"""The four words of every message."""

from __future__ import annotations

from conformance.fixed_words import FIXED_WORDS, FixedWords, fixed_words


def test_words_are_read_whatever_they_are() -> None:
    octets = b"".join(value.to_bytes(4) for value in (7, 2, 3, 99)) + b"more"

    assert fixed_words(octets) == FixedWords(7, 2, 3, 99)


def test_words_take_all_of_the_shortest_message() -> None:
    assert fixed_words(bytes(FIXED_WORDS)) == FixedWords(0, 0, 0, 0)
