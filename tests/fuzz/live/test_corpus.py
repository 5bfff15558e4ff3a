"""The corpus of a campaign, and what is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.live.corpus import EMPTY, LiveCorpus
from fuzz.responder_executor import good_call
from fuzz.sequence import join, split
from fuzz.structure.headers import V1_SEQUENCE
from rpcrdma.errors import DecodeError
from rpcrdma.wire import decode_header

if TYPE_CHECKING:
    from pathlib import Path

ONE, OTHER = join([good_call(1)]), join([good_call(2), good_call(3)])


def corpus(folder: Path, seed: int = 1) -> LiveCorpus:
    return LiveCorpus(folder, V1_SEQUENCE, seed)


def test_what_is_kept_is_found_by_the_next_campaign(tmp_path: Path) -> None:
    first = corpus(tmp_path / "corpus")
    assert (first.found, len(first)) == ((), 0)
    first.add(ONE)
    first.add(OTHER)
    first.add(ONE)
    again = corpus(tmp_path / "corpus")
    assert sorted(again.found) == sorted((ONE, OTHER))
    assert len(again) == 0  # until it is tried again


def test_the_same_seed_makes_the_same_inputs(tmp_path: Path) -> None:
    made = []
    for name in ("first", "second"):
        one = corpus(tmp_path / name)
        one.add(ONE)
        one.add(OTHER)
        made.append([one.next() for _ in range(50)])
    assert made[0] == made[1]
    assert len(set(made[0])) > 25


def test_headers_are_made_of_nothing(tmp_path: Path) -> None:
    """A campaign that begins with no seeds sends what a decoder takes soon after."""
    empty = corpus(tmp_path)
    assert split(EMPTY) == [b""]

    def decodes(message: bytes) -> bool:
        try:
            decode_header(message)
        except DecodeError:
            return False
        return True

    made = (message for _ in range(200) for message in split(empty.next()))
    assert any(map(decodes, made))
