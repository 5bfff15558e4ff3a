"""Which replies are due."""

from __future__ import annotations

from typing import Any

from targets.base import ActKind

Facing = Any


def test_octets_that_are_no_call_of_the_program_have_neither_arguments_nor_replies(
    facing: Facing,
) -> None:
    facing.do(ActKind.SMALL)
    (call,) = facing.service.received
    call.unreduced = b"nonsense"

    assert facing.service.arguments(call) == ()
    assert facing.service.expectation(call).maximum == 0
    call.answered = False
    facing.service.serve(call)
    assert not call.answered
