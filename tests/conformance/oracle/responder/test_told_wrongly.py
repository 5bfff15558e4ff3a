"""What a response tells wrongly of its items."""

from __future__ import annotations

import pytest

from conformance.oracle.responder.opened import opened
from conformance.oracle.responder.told_wrongly import told_wrongly
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire._generated_rtrext import DirectToSends
from rpcrdma.wire.send_placement import BulkItem
from tests.conformance.oracle.group_fakes import (
    LAYER,
    XID,
    answer,
    asked,
    directed,
    reply_to,
    response,
    state,
)

FETCH = testprog_calls.fetch(XID, 3001)
REPLY = reply_to(FETCH)
(RESULT,) = (one for one in LAYER.results(FETCH, REPLY) if one)
PLACED = answer(
    REPLY, (BulkItem(RESULT.position, REPLY[RESULT.position : RESULT.position + 3001]),)
)


def wrong(**words: int) -> tuple[str, ...]:
    """The rules that other words of the item break."""
    group = PLACED.with_item(0, **words) if words else PLACED
    found = opened(response(group), state())
    rule = told_wrongly(response(group), asked(FETCH, directed(DirectToSends())), state(), found)
    return () if rule is None else rule.ids


def test_nothing_is_wrong_with_what_can_be_read() -> None:
    assert wrong() == ()


@pytest.mark.parametrize("octets", [-8, -4])
def test_a_displacement_that_is_a_word_off_is_found(octets: int) -> None:
    assert wrong(xmdmi_disp=RESULT.position + octets) == ("rtrext.7.3.displacement-of-an-item",)


def test_a_length_with_padding_is_found() -> None:
    assert wrong(xmdmi_length=3004) == ("rtrext.7.3.length-of-an-item",)


def test_what_is_wrong_otherwise_is_not_called_a_displacement() -> None:
    assert wrong(xmdmi_disp=RESULT.position + 100) == ()
    assert wrong(xmdmi_length=2000) == ()
