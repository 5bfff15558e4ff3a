"""Sequences stay sequences, and what is done to them aims at what is alive in them."""

from __future__ import annotations

from random import Random

from fuzz.registry import corpus_of
from fuzz.sequence import join, split
from fuzz.structure.headers import V1_SEQUENCE
from fuzz.structure.sequences import SequenceMutator
from rpcrdma.ulp.rpc import encode_call
from rpcrdma.wire import RdmaMsg, TransportHeader, encode_header


def call(xid: int, procedure: int = 0) -> bytes:
    header = TransportHeader(xid, 1, 1, RdmaMsg((), (), None))
    return encode_header(header) + encode_call(xid, 100003, 3, procedure)


CALLS = [call(0x111), call(0x222, 1), call(0x333, 2)]


def raw(octets: bytes, maximum: int) -> bytes:
    return octets[: maximum // 2] + b"!"


def done(name: str) -> list[list[bytes]]:
    """What a step makes of three calls, by many seeds."""
    made = []
    for seed in range(60):
        messages = list(CALLS)
        getattr(SequenceMutator, name)(V1_SEQUENCE, messages, Random(seed))
        made.append(messages)
    return made


def xids(message: bytes) -> tuple[bytes, bytes]:
    """Of a header without lists, and of the RPC message after it."""
    return message[:4], message[28:32]


def test_messages_are_dropped_swapped_and_inserted() -> None:
    assert {len(made) for made in done("drop")} == {1, 2}
    assert [CALLS[1], CALLS[0], CALLS[2]] in done("swap")
    assert {len(made) for made in done("insert")} == {4}


def test_a_repeated_message_is_the_same_or_another_call() -> None:
    added = [one for made in done("repeat") for one in made if one not in CALLS]
    same = [made for made in done("repeat") if len(made) > 3 and set(made) == set(CALLS)]

    assert added
    assert same
    assert all(header == payload for header, payload in map(xids, added))


def test_xids_aim_at_those_of_the_sequence() -> None:
    aimed = [xids(one) for made in done("aim") for one in made]
    misled = [xids(one) for made in done("mislead") for one in made]

    assert all(header == payload for header, payload in aimed)
    assert any(made[0][:4] == made[1][:4] for made in done("aim"))
    assert any(header != payload for header, payload in misled)


def test_a_payload_comes_behind_another_header() -> None:
    assert any(made[0] == CALLS[0][:28] + CALLS[1][28:] for made in done("transplant"))


def test_the_same_seed_makes_the_same_sequence_of_whole_messages_that_fit() -> None:
    octets = join(CALLS)
    for seed in range(200):
        made = V1_SEQUENCE.mutate(octets, 400, seed, raw)
        assert made == V1_SEQUENCE.mutate(octets, 400, seed, raw)
        assert len(made) <= 400
        assert made != octets


def test_messages_of_another_sequence_come_in() -> None:
    first, second = join(CALLS), join([call(0x444), call(0x555)])
    found = {
        message
        for seed in range(100)
        for message in split(V1_SEQUENCE.cross(first, second, 1000, seed, raw))
    }

    assert {call(0x444), call(0x555)} < found


def test_seeds_of_the_corpus_are_mutated() -> None:
    for seed, path in enumerate(sorted(corpus_of("v1-responder").iterdir())[:40]):
        octets = path.read_bytes()
        assert len(V1_SEQUENCE.mutate(octets, 4096, seed, raw)) <= 4096


def test_no_messages_are_mutated_raw() -> None:
    assert V1_SEQUENCE.mutate(b"", 10, 1, raw) == b"!"
    assert V1_SEQUENCE.cross(b"", b"", 10, 1, raw) == b"!"
