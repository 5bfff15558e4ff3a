from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.explore.finding import load
from fuzz.buckets import MOST_BUCKETS, Buckets, bucket_of
from fuzz.engine import judge
from fuzz.invariant import BrokenInvariant
from rpcrdma.wire import decode_header

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def broken(check: Callable[[bytes, None], None], octets: bytes = b"") -> BrokenInvariant:
    with pytest.raises(BrokenInvariant) as caught:
        judge(check, octets, None)
    return caught.value


def decode(octets: bytes, _subject: None) -> None:
    decode_header(octets)


def index(octets: bytes, _subject: None) -> None:
    raise IndexError(len(octets))


def says(cause: str) -> BrokenInvariant:
    def check(octets: bytes, _subject: None) -> None:
        raise BrokenInvariant("oracle", octets.hex(), cause)

    return broken(check)


def test_inputs_that_differ_in_octets_alone_have_one_cause() -> None:
    assert bucket_of(broken(decode, b"1")) == bucket_of(broken(decode, bytes(17)))
    assert bucket_of(says("9 Receives for 10")) == bucket_of(says("2 Receives for 3"))
    assert bucket_of(says("handle 0xc0de5000")) == bucket_of(says("handle 0xc0de5001"))


def test_another_place_or_another_rule_is_another_cause() -> None:
    found = [broken(decode), broken(index), says("one rule"), says("another")]

    assert len({bucket_of(one) for one in found}) == len(found)
    assert bucket_of(found[0])[2].endswith("decode")


def test_the_first_of_a_cause_is_kept_and_the_others_are_counted(tmp_path: Path) -> None:
    told: list[str] = []
    buckets = Buckets(tmp_path, "v1-header", told.append)
    for octets in (b"one", b"two", b"three"):
        buckets.add(octets, broken(decode, octets))
    buckets.add(b"four", broken(index))

    assert sorted(buckets.counts.values()) == [1, 3]
    assert sorted(load(path).octets for path in tmp_path.iterdir()) == [b"four", b"one"]
    assert [line.split(":")[0] for line in told] == ["FINDING 1", "FINDING 2"]


def test_there_is_an_end_to_what_is_kept(tmp_path: Path) -> None:
    buckets = Buckets(tmp_path, "v1-header", lambda _line: None)
    for number in range(MOST_BUCKETS + 5):
        buckets.add(bytes([number]), says("x" * number))

    assert len(list(tmp_path.iterdir())) == MOST_BUCKETS
