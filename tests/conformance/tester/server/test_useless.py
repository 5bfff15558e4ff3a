"""What completes no call: by the oracle no message of these is a good Reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.reaction import expected_reaction
from conformance.tester.server import useless
from targets.base import ActKind

if TYPE_CHECKING:
    from tests.conformance.tester.server.conftest import Facing


@pytest.mark.parametrize("kind", useless.ONE)
def test_none_is_a_good_reply(facing: Facing, kind: str) -> None:
    act = facing.begin(ActKind.SMALL)
    call = facing.service.next_call()

    octets = useless.ONE[kind](facing.service, call)

    found = expected_reaction(octets, facing.service.state_of(facing.service.line))
    assert not found.is_valid_reply or kind == "two-xids"
    assert found.reactions & {Reaction.WAITING, Reaction.FAILED}
    facing.service.reply(call)
    assert facing.service.serve_until(act).done


def test_an_error_to_nobody_is_about_no_call(facing: Facing) -> None:
    facing.begin(ActKind.SMALL)
    call = facing.service.next_call()

    octets = useless.ONE["error-to-nobody"](facing.service, call)

    found = expected_reaction(octets, facing.service.state_of(facing.service.line))
    assert found.xid is None
