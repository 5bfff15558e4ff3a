"""A parser is held against the reference, number by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.buckets import bucket_of
from fuzz.engine import judge
from fuzz.invariant import BrokenInvariant
from fuzz.parsers.asked_codecs import asked_codec
from fuzz.parsers.numbers import numbers_of
from fuzz.registry import corpus_of, find_harness
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg, RdmaSegment, TransportHeader, WriteChunk, encode_header, v2
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = WriteChunk((RdmaSegment(1, 2, 3), RdmaSegment(4, 5, 6)))
GOOD = encode_header(TransportHeader(7, 1, 8, RdmaMsg((), (CHUNK,), None))) + b"\0\0\0\7"
TOLD = "ok 68 7 1 8 0 0 1 2 1 2 3 4 5 6 0"
PADDED = v2.encode_header(v2.Rdma2Header(7, 2, 8, v2.Rdma2Optional(MessageType.CALL, 9, b"\1")))
FOUL = PADDED[:-1] + b"\1"


def perfect(harness: str) -> Callable[[bytes], str]:
    """Says what the reference does."""
    reference = find_harness(harness).reference()

    def ask(octets: bytes) -> str:
        try:
            header, end = reference.decode(octets)
        except DecodeError as error:
            return f"no {error}"
        return " ".join(map(str, ("ok", end, *(number for _, number in numbers_of(header)))))

    return ask


@pytest.mark.parametrize("harness", ["v1-header", "v2-header"])
def test_a_right_parser_keeps_the_invariant_with_the_whole_corpus(harness: str) -> None:
    subject = asked_codec(harness, perfect(harness))
    for path in sorted(corpus_of(harness).iterdir()):
        judge(find_harness(harness).check, path.read_bytes(), subject)


def test_the_numbers_of_a_header_are_these() -> None:
    assert perfect("v1-header")(GOOD) == TOLD


def broken(answer: str, octets: bytes = GOOD, harness: str = "v1-header") -> BrokenInvariant:
    with pytest.raises(BrokenInvariant) as caught:
        asked_codec(harness, lambda _: answer).decode(octets)
    return caught.value


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (TOLD.replace("68", "72"), "consumed is 68, and it says 72"),
        (TOLD.replace("6 0", "9 0"), r"rdma_writes[0].target[1].offset is 6, and it says 9"),
        (TOLD[:-2], "rdma_reply.present is 0, and it says nothing"),
        (f"{TOLD} 0", "16 numbers where there are 15"),
    ],
)
def test_a_wrong_number_is_named(answer: str, words: str) -> None:
    found = broken(answer)
    assert found.invariant == "wrong-number"
    assert words in found.detail


def test_which_of_the_segments_is_wrong_makes_no_other_finding() -> None:
    causes = {
        bucket_of(broken(TOLD.replace(" 1 2 3 4", " 1 9 3 4"))),
        bucket_of(broken(TOLD.replace(" 5 6", " 9 6"))),
    }
    assert len(causes) == 1


def test_a_good_header_that_is_refused_is_told_with_the_parsers_words() -> None:
    found = broken("no too many chunks")
    assert found.invariant == "good-refused"
    assert found.detail == "it refuses a good RdmaMsg: too many chunks"
    assert bucket_of(found) != bucket_of(broken("no too bad"))


def test_a_librarys_codes_are_causes_and_the_numbers_in_words_are_none() -> None:
    assert bucket_of(broken("no -22")) != bucket_of(broken("no -5"))
    assert bucket_of(broken("no room for 3")) == bucket_of(broken("no room for 4"))


def test_a_bad_header_that_is_accepted_is_told_with_what_is_wrong() -> None:
    found = broken(TOLD, GOOD[:60])
    assert found.invariant == "bad-accepted"
    assert "the buffer ends inside the item" in found.detail


def test_a_refusal_that_the_documents_allow_is_none() -> None:
    other = GOOD[:4] + b"\0\0\0\2" + GOOD[8:]
    header, end = asked_codec("v1-header", lambda _: "no such version").decode(other)
    assert (header.rdma_vers, end) == (2, 68)


def test_padding_may_be_anything() -> None:
    with pytest.raises(DecodeError):
        asked_codec("v2-header", lambda _: "ok 32 1").decode(FOUL)


def test_other_harnesses_take_no_parser() -> None:
    with pytest.raises(BadInput, match="v1-header or v2-header, not by v1-responder"):
        asked_codec("v1-responder", lambda _: "no")
