"""What is read out of the words of a header that is encoded wrongly."""

from __future__ import annotations

from typing import Final

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.oracle.misencoding import misencoded

XID: Final = 0xCAFE0001
P: Final = "44 77 100 0 4096"
"""Position, handle, length, and the halves of the offset."""
S: Final = "77 100 0 4096"
"""The same of a segment that has no Position."""


def message(words: str) -> bytes:
    """The octets of words in decimal digits, with X for the XID."""
    return b"".join((XID if word == "X" else int(word)).to_bytes(4) for word in words.split())


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        ("X 1 0 0 0 0 X 0 2", ["4.2.four-fixed-words"]),
        ("X 1 8 5 0 0 0 X 0", ["4.2.4.msg-is-zero"]),
        (f"X 1 8 6 1 {P} 0 0 0", ["4.2.4.nomsg-is-one"]),
        (f"X 1 8 0 X 1 0 0 1 1 {S}", ["4.2.4.msg-payload-follows-the-lists"]),
        (f"X 1 8 0 {P} {P} 0 0 0 X 0", ["4.7.read-list-encoding"]),
        (f"X 1 8 0 1 1 {S} 0 0 X 1", ["4.7.empty-read-list-encoding"]),
        (f"X 1 8 0 0 0 1 1 {S} 0 0 X 1", ["4.7.empty-read-list-encoding"]),
        (f"X 1 8 0 0 2 {S} {S} 0 0 X 1", ["4.7.write-list-encoding"]),
        (f"X 1 8 0 0 1 32 {S} {S} 0 0 X 1", ["4.7.write-chunk-encoding"]),
        (f"X 1 8 0 0 1 1 3 {S} 0 0 X 1", ["3.4.6.write-segments-have-no-position"]),
        (f"X 1 8 0 1 {P} 0 0 0 0 X 0", ["4.7.empty-write-list-encoding"]),
        (f"X 1 8 1 0 0 1 {S}", ["4.7.reply-chunk-encoding"]),
        (f"X 1 8 1 0 0 1 1 {S} 1 1 {S}", ["4.3.3.one-reply-chunk-slot"]),
        ("X 1 8 0 0 0 X 1", ["4.7.no-chunks-three-zero-words"]),
        ("X 1 8 0 0 0 0 0 X 1", ["4.7.no-chunks-three-zero-words"]),
    ],
)
def test_the_statement_is_named_without_which_the_header_would_be_right(
    words: str, broken: list[str]
) -> None:
    found = misencoded(message(words))

    assert found == tuple(f"rfc8166.{one}" for one in broken)
    assert all(load_catalogue()[one] for one in found)


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        # A zero is lacking: that of the Read list, that of the Write list, or the Reply chunk's.
        (
            f"X 1 8 0 1 {P} 0 0 X 0",
            ["read-list-encoding", "empty-write-list-encoding", "reply-chunk-encoding"],
        ),
        (f"X 1 8 0 0 1 1 {S} 0 X 1", ["write-list-encoding", "reply-chunk-encoding"]),
    ],
)
def test_all_are_named_that_alone_explain_the_same_octets(words: str, broken: list[str]) -> None:
    assert misencoded(message(words)) == tuple(f"rfc8166.4.7.{one}" for one in broken)


def test_a_list_of_segments_is_told_from_chunks_that_nothing_leads_by_a_count_above_one() -> None:
    either = misencoded(message(f"X 1 8 0 0 1 {S} 0 0 X 1"))
    chunk_of_two = misencoded(message(f"X 1 8 0 0 2 {S} {S} 0 0 X 1"))

    assert set(either) - set(chunk_of_two) == {"rfc8166.4.3.2.write-list-of-counted-arrays"}


@pytest.mark.parametrize(
    "words",
    [
        "X 1 8 0 0 0 0 X 1 0",  # right
        f"X 1 8 0 1 {P} 0 1 1 {S} 1 0 0 1 1 {S} X 0",  # right, with an empty Write chunk
        f"X 1 8 1 1 {P} 0 0 0",  # right
        "X 1 8 0 9 9 9 9 9 9",  # no single mistake
        f"X 1 8 0 1 {P} 1 {S} X 0",  # two
        "X 1",
        "",
    ],
)
def test_nothing_is_named_where_no_mistake_is_or_no_single_one_explains_it(words: str) -> None:
    assert misencoded(message(words)) == ()
