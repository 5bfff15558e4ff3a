"""The tester before a server with which it exchanges groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.groups.client import NO_TARGETS, TOLD
from conformance.groups.request import grouped
from conformance.oracle.announced import NOTHING_TOLD
from conformance.tester.case import Deviation
from conformance.tester.client import build
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.wire.operations import XmtCont
from targets.base import Unsupported
from targets.reference.roles import STRUCTURE
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.groups.client import GroupClient


def test_both_ends_have_told_of_themselves(facing: Callable[..., GroupClient]) -> None:
    client = facing()

    assert client.announced.structure == STRUCTURE
    assert client.announced.support == 7
    assert client.peer.told == TOLD
    assert client.peer.state.own == client.announced
    assert client.peer.state.requester == TOLD


def test_the_tester_may_tell_nothing(facing: Callable[..., GroupClient]) -> None:
    assert facing(told=None).peer.told == NOTHING_TOLD
    assert facing(told=NO_TARGETS).peer.told == NO_TARGETS


def test_places_are_after_what_a_send_begins_with(facing: Callable[..., GroupClient]) -> None:
    client = facing()

    assert client.place(2000).xmdl_bsnum == (0, 1)
    assert client.place(2000, front=1500).xmdl_bsnum == (1, 2)
    assert client.place(1024, offset=4).xmdl_bsnum == (0, 1)
    assert client.place(4000, send=1).xmdl_bsnum == (3, 4, 5, 6)
    assert client.in_targets(2, 0).xmdl_bsnum == (2, 0)
    with pytest.raises(Unsupported, match="no target segment"):
        client.place(4, front=4000)
    with pytest.raises(Unsupported, match="end before an offset of 1024"):
        client.place(4, offset=1024)


def test_no_more_is_sent_than_is_granted(facing: Callable[..., GroupClient]) -> None:
    class GrantsOne(ReplyRules):
        def grant(self, requested: int, posted: int) -> int:
            return 1

    client = facing(Parts(replies=GrantsOne))
    call = grouped(client.peer, client.peer.workload.long_call(100), sizes=(40, None))

    with pytest.raises(Unsupported, match="grants 1 credits, and 2 are needed"):
        client.send(call)


def test_nothing_may_be_left_over(facing: Callable[..., GroupClient]) -> None:
    client = facing()
    client.nothing_more("rtrext.9.3.count-of-a-response")

    client.send_all(build.option(client.peer, XmtCont(1, 5, 0)))
    with pytest.raises(Deviation) as found:
        client.nothing_more("rtrext.9.3.count-of-a-response")
    assert found.value.breaks == ("rtrext.9.3.count-of-a-response",)
