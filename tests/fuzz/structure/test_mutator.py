from __future__ import annotations

from random import Random

from fuzz.structure.headers import V1_HEADER
from fuzz.structure.mutator import is_raw
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header

SHORT = encode_header(TransportHeader(1, 1, 1, RdmaMsg((), (), None)))
OTHER = encode_header(TransportHeader(2, 1, 2, RdmaMsg((), (), None)))
RAW = b"raw"


def raw(octets: bytes, maximum: int) -> bytes:
    return RAW


def test_the_same_seed_makes_the_same_input() -> None:
    for seed in range(50):
        first = V1_HEADER.mutate(SHORT, 100, seed, raw)
        assert first == V1_HEADER.mutate(SHORT, 100, seed, raw)
        crossed = V1_HEADER.cross(SHORT, OTHER, 100, seed, raw)
        assert crossed == V1_HEADER.cross(SHORT, OTHER, 100, seed, raw)


def test_inputs_change_and_are_no_longer_than_the_maximum() -> None:
    for maximum in (28, 40, 100):
        for seed in range(100):
            for octets in (
                V1_HEADER.mutate(SHORT, maximum, seed, raw),
                V1_HEADER.cross(SHORT, OTHER, maximum, seed, raw),
            ):
                assert len(octets) <= maximum
                assert octets != SHORT


def test_a_third_of_the_mutations_is_raw() -> None:
    chosen = sum(is_raw(Random(seed)) for seed in range(3000))

    assert 900 < chosen < 1100


def test_what_cannot_be_decoded_or_is_very_long_is_mutated_raw() -> None:
    for seed in range(30):
        assert V1_HEADER.mutate(bytes(5000), 8192, seed, raw) == RAW
        assert V1_HEADER.mutate(b"", 8192, seed, raw) == RAW
