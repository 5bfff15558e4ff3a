"""What the comparison says of a decoder in C: of one that is made up, and of the real one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fuzz.differential.c_decoder import MOST_OCTETS, RoundTrip
from fuzz.differential.compare import compare
from fuzz.differential.compiled import V1, V2, Item
from fuzz.harnesses.v1_header import V1ReferenceCodec
from fuzz.harnesses.v2_header import V2ReferenceCodec
from fuzz.invariant import BrokenInvariant
from fuzz.registry import corpus_of
from rpcrdma.errors import DecodeError, Reason
from tests.fuzz.differential.real import real_decoder

ONE = bytes.fromhex("00000007 00000001 00000020 00000000 00000000 00000000 00000000")
CHUNK = bytes.fromhex("00000007 00000001 00000020 00000000 00000000 00000000 00000001 00000000")
TRUTH = CHUNK[:24] + bytes.fromhex("00000005 00000000")
DIRECTION = bytes.fromhex("00000007 00000002 00000020 00000001 00000009") + bytes(12)
OPTION = bytes.fromhex("00000007 00000002 00000020 00000005 00000009 00000063 00000001 61ff0000")


@dataclass
class MadeUp:
    """Says of some octets what it is told to, and refuses all others."""

    says: dict[bytes, RoundTrip]

    def decode(self, octets: bytes) -> RoundTrip | None:
        return self.says.get(octets)


def broken(octets: bytes, says: dict[bytes, RoundTrip]) -> BrokenInvariant:
    with pytest.raises(BrokenInvariant) as caught:
        compare(octets, V1ReferenceCodec(), MadeUp(says))
    return caught.value


def test_octets_that_both_take_alike_or_both_refuse_are_no_difference() -> None:
    codec = V1ReferenceCodec()
    assert compare(ONE, codec, MadeUp({ONE: RoundTrip(28, ONE)})) == ()
    assert compare(ONE[:20], codec, MadeUp({})) == ()


def test_octets_that_one_of_them_takes_are_found() -> None:
    assert broken(ONE, {}).invariant == "only-we-accept"
    found = broken(ONE[:20], {ONE[:20]: RoundTrip(20, ONE[:20])})
    assert (found.invariant, found.cause) == ("only-c-accepts", "TRUNCATED")


@pytest.mark.parametrize("otherwise", [RoundTrip(24, ONE), RoundTrip(28, ONE[:24] + b"\0\0\0\1")])
def test_another_end_or_header_is_found(otherwise: RoundTrip) -> None:
    assert broken(ONE, {ONE: otherwise}).invariant == "taken-otherwise"


def test_a_known_difference_is_named() -> None:
    says = dict.fromkeys((TRUTH, CHUNK), RoundTrip(32, CHUNK))
    assert compare(TRUTH, V1ReferenceCodec(), MadeUp(says)) == ("boolean",)


@pytest.mark.parametrize(
    "otherwise",
    [RoundTrip(28, CHUNK), RoundTrip(32, CHUNK[:-1] + b"\1"), RoundTrip(32, CHUNK[:28])],
)
def test_octets_that_are_not_taken_as_explained_are_found(otherwise: RoundTrip) -> None:
    says = {TRUTH: otherwise, CHUNK: RoundTrip(32, CHUNK)}
    assert broken(TRUTH, says).invariant == "known-otherwise"
    assert broken(TRUTH, {TRUTH: RoundTrip(32, CHUNK)}).cause == "boolean"


def test_a_known_difference_hides_no_other() -> None:
    says = dict.fromkeys((TRUTH, CHUNK), RoundTrip(28, CHUNK))
    assert broken(TRUTH, says).invariant == "taken-otherwise"


def test_a_decoder_of_ours_that_refuses_what_was_put_right_is_found() -> None:
    class Refuses(V1ReferenceCodec):
        def decode(self, octets: bytes):  # noqa: ANN202
            raise DecodeError(24 if octets == TRUTH else 8, "", Reason.BAD_BOOLEAN)

    says = dict.fromkeys((TRUTH, CHUNK), RoundTrip(32, CHUNK))
    with pytest.raises(BrokenInvariant, match="only-c-accepts"):
        compare(TRUTH, Refuses(), MadeUp(says))


def test_what_stands_behind_many_known_differences_is_not_looked_at() -> None:
    class TakesAll:
        decodings = 0

        def decode(self, octets: bytes) -> RoundTrip:
            self.decodings += 1
            return RoundTrip(len(octets), octets)

    other = TakesAll()
    truths = ONE[:20] + bytes.fromhex("00000005 00000000") * 1000
    assert compare(truths, V1ReferenceCodec(), other) == ("boolean",) * 64
    assert other.decodings == 65


def test_what_is_too_long_for_c_is_not_looked_at() -> None:
    assert compare(bytes(MOST_OCTETS + 1), V1ReferenceCodec(), MadeUp({})) == ()


@pytest.mark.parametrize(
    ("item", "octets", "names"),
    [
        (V1, CHUNK, ()),
        (V1, TRUTH, ("boolean",)),
        (V1, ONE[:4] + b"\0\0\0\x63" + ONE[8:] + b"payload", ()),
        (V1, ONE[:12] + b"\0\0\0\7" + ONE[16:], ()),
        (V2, DIRECTION, ("enumeration",)),
        (V2, DIRECTION[:-1] + b"\2" + bytes(4), ("enumeration", "boolean")),
        (V2, OPTION, ("enumeration", "padding")),
    ],
)
def test_each_known_difference_is_one_of_the_real_decoder(
    item: Item, octets: bytes, names: tuple[str, ...]
) -> None:
    codec = V1ReferenceCodec() if item is V1 else V2ReferenceCodec()
    if decoder := real_decoder(item):
        assert compare(octets, codec, decoder) == names


@pytest.mark.parametrize("corpus", ["v1-header", "v2-header"])
@pytest.mark.parametrize("item", [V1, V2], ids=["v1", "v2"])
def test_all_inputs_of_the_corpora_are_taken_alike(item: Item, corpus: str) -> None:
    codec = V1ReferenceCodec() if item is V1 else V2ReferenceCodec()
    inputs = sorted(corpus_of(corpus).iterdir())
    assert inputs
    if decoder := real_decoder(item):
        for path in inputs:
            compare(path.read_bytes(), codec, decoder)
