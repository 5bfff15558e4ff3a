"""Steps among messages, as octets and as lines of text."""

from __future__ import annotations

from itertools import count

import pytest

from conformance.bad_input import BadInput
from fuzz.live.move import Move
from fuzz.live.server.steps import (
    KINDS,
    encode_step,
    has_steps,
    item_of,
    line_of,
    renamed,
    step_of,
)
from fuzz.responder_executor import good_call

CALL = good_call(7)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_the_same_again_in_octets_and_in_text(kind: str) -> None:
    step = Move(kind, 12, 2**32 - 1)
    assert step_of(encode_step(step)) == step
    assert item_of(line_of(encode_step(step))) == encode_step(step)


@pytest.mark.parametrize(
    "item",
    [
        b"",
        CALL,
        b"step",
        b"step call",
        b"step call 1",
        b"step call 1 2 ",
        b"step call -1 2",
        b"step nothing 1 2",
        b"step call 1 12345678901",
    ],
)
def test_whatever_else_there_is_is_a_message(item: bytes) -> None:
    assert step_of(item) is None
    assert not has_steps([item])
    assert item_of(line_of(item)) == item


def test_numbers_of_a_line_may_be_left_out() -> None:
    assert item_of("close") == encode_step(Move("close"))
    assert item_of("connect  7") == encode_step(Move("connect", 7))
    assert item_of("message") == b""


@pytest.mark.parametrize("line", ["", "nothing 1 2", "message 0", "message xy", "call one", "step"])
def test_a_line_that_is_nothing_is_refused_with_all_that_there_is(line: str) -> None:
    with pytest.raises(BadInput, match=f"`{line}` is no step to a server.* connect, switch"):
        item_of(line)


def test_messages_have_fresh_xids_and_steps_stay() -> None:
    step = encode_step(Move("withdraw"))
    items = [CALL, step, CALL, good_call(8)]
    made = renamed(items, count(0x50))
    assert made[1] == step
    assert [made[0][:4], made[2][:4], made[3][:4]] == [b"\0\0\0\x50", b"\0\0\0\x50", b"\0\0\0\x51"]
    assert made[0][4:28] == CALL[4:28]
