"""Turns as messages of a sequence."""

from __future__ import annotations

import pytest

from conformance.bad_input import BadInput
from fuzz.live.client.recipes import Turn, decode_turn, encode_turn, input_of, turns_of
from fuzz.live.move import Move
from targets.base import ActKind

READ = Turn(ActKind.READ, 4096, 2, 7, ((), (Move("credits", 1), Move("hold"))))


def test_a_turn_is_the_same_after_it_was_kept() -> None:
    assert decode_turn(encode_turn(READ)) == READ
    assert turns_of(input_of([READ, Turn()])) == [READ, Turn()]


def test_an_empty_message_is_the_plainest_turn() -> None:
    assert decode_turn(b"") == Turn()
    assert str(Turn()) == "small"


def test_it_says_what_is_done_about_which_call() -> None:
    assert str(READ) == "read length 4096 count 2 offset 7; call 2: credits 1 0, hold"


@pytest.mark.parametrize("message", [b"\0", b"{", b'{"act":"sing"}', b'{"length":"long"}'])
def test_anything_else_is_refused_in_one_sentence(message: bytes) -> None:
    with pytest.raises(BadInput, match=r"this is no turn of a client: .*; give a file"):
        decode_turn(message)
