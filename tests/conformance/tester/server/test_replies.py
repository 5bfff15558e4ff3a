"""Which replies are due."""

from __future__ import annotations

from typing import Any

import pytest

from rpcrdma.ulp import gss, rpc
from targets.base import ActKind

Facing = Any


@pytest.mark.parametrize("kind", [ActKind.EXCHANGE_INTEGRITY, ActKind.SMALL])
def test_a_reply_that_no_program_has_made_is_protected_as_its_call_is(
    facing: Facing, kind: ActKind
) -> None:
    """The call that asks for a context is not, nor is one of another flavor."""
    facing.do(kind, 300)

    for call in facing.service.received:
        error = rpc.garbage_args(call.xid)
        protected = facing.service.replies.protected(call, error)
        found = gss.decode_gss_call(call.unreduced)
        if found is None or not found.is_data:
            assert protected == error
        else:
            assert protected == gss.protect_reply(found, error) != error


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
