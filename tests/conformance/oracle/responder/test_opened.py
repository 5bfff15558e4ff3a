"""The RPC message that a response gives."""

from __future__ import annotations

import msgspec

from conformance.oracle.responder.opened import opened
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire.send_placement import BulkItem
from tests.conformance.oracle.group_fakes import LAYER, XID, answer, reply_to, response, state

FETCH = testprog_calls.fetch(XID, 3000)
REPLY = reply_to(FETCH)
(RESULT,) = (one for one in LAYER.results(FETCH, REPLY) if one)
PLACED = answer(
    REPLY, (BulkItem(RESULT.position, REPLY[RESULT.position : RESULT.position + 3000]),)
)


def test_items_are_put_back() -> None:
    found = opened(response(PLACED), state())

    assert found.octets == REPLY
    assert found.fault is None
    assert [sum(one.length for one in places) for places in found.spans] == [3000]


def test_other_items_may_be_put_back_in_their_place() -> None:
    (item,) = PLACED.items
    found = opened(
        response(PLACED), state(), (msgspec.structs.replace(item, xmdmi_disp=item.xmdmi_disp - 4),)
    )

    assert found.octets != REPLY
    assert len(found.octets) == len(REPLY)


def test_what_is_placed_where_nothing_is_cannot_be_put_back() -> None:
    group = PLACED.with_last_target(0, 99)

    found = opened(response(group), state())

    assert "there is no target 99" in str(found.fault)
    assert found.spans == ()
