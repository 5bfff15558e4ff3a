"""What a response must be, whatever was asked."""

from __future__ import annotations

import pytest

from conformance.groups.draft import GroupDraft, Piece
from conformance.oracle.announced import Announced
from conformance.oracle.responder.responses import broken_response_rules
from reports.record import Verdict
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire._generated_rtrext import DirectToSends
from rpcrdma.wire.buffers import BufferLayout
from rpcrdma.wire.rpc import MessageType
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

LONG = testprog_calls.long_reply(XID, 9000)
FETCH = testprog_calls.fetch(XID, 3000)
REPLY = reply_to(FETCH)
(RESULT,) = (one for one in LAYER.results(FETCH, REPLY) if one)
BULK = BulkItem(RESULT.position, REPLY[RESULT.position : RESULT.position + 3000])
CREDITS = "v2.5.answer-reports-the-credit-limit"
DIRECTIONS = directed(DirectToSends())
PLACED = answer(REPLY, (BULK,))
CONTINUED = answer(reply_to(LONG))


def broken(group: GroupDraft, reserve: int = 4, **changes: object) -> list[tuple[str, Verdict]]:
    is_placed = bool(group.items)
    request = asked(FETCH if is_placed else LONG, DIRECTIONS if is_placed else (), reserve)
    rules = broken_response_rules(response(group), request, state(**changes))
    return [(rule.ids[0], rule.severity) for rule in rules]


def fails(*ids: str) -> list[tuple[str, Verdict]]:
    return [(one, Verdict.FAIL) for one in ids]


def test_a_good_response_breaks_nothing() -> None:
    assert broken(PLACED) == []
    assert broken(CONTINUED) == []


def test_nothing_but_a_request_is_answered_so() -> None:
    rules = broken_response_rules(response(CONTINUED), None, state())
    assert [rule.ids[0] for rule in rules] == ["rtrext.5.2.groups-answer-xmtreq"]


def test_it_says_that_it_answers_and_grants() -> None:
    odd = CONTINUED
    for number in range(len(odd.sends)):
        odd = odd.with_send(number, direction=MessageType.CALL, credits=0)
    assert [one for one, _ in broken(odd)] == ["v2.4.2.2.optional-direction-with-payload", CREDITS]


def test_it_has_the_xid_of_its_request() -> None:
    odd = CONTINUED
    for number in range(len(odd.sends)):
        odd = odd.with_send(number, xid=9)
    assert len(broken(odd)) == 2  # of the header, and of the message in it


def test_it_keeps_to_reserve_and_limit() -> None:
    sends = len(CONTINUED.sends)
    rule = "rtrext.5.2.response-stays-within-the-reserve"
    assert broken(CONTINUED, sends) == []
    assert broken(CONTINUED, sends - 1) == [(rule, Verdict.WARN)]
    assert broken(CONTINUED, sends - 2) == fails(rule)
    tight = Announced(7, None, 4096, 4, sends - 1)
    assert broken(CONTINUED, own=tight) == fails("rtrext.8.5.no-response-beyond-the-limit")


def test_its_count_is_told() -> None:
    single = answer(reply_to(testprog_calls.null(XID))).with_contents(0, optxrs_count=0)
    assert broken(single) == fails("rtrext.9.3.count-of-a-response")


def test_its_sends_fit_the_receives() -> None:
    small = Announced(7, None, 2048)
    longer = answer(reply_to(LONG), layout=BufferLayout.of(None, 6000))
    assert broken(CONTINUED, requester=small) == []  # D-142
    assert {one for one, _ in broken(longer, requester=small)} == {
        "xcharext.3.1.no-send-beyond-the-announced-size"
    }


def test_continuations_tell_what_they_continue() -> None:
    odd = CONTINUED.with_contents(1, optxc_itype=5)
    assert broken(odd) == [("rtrext.9.4.itype-is-the-first-operation", Verdict.WARN)]


def test_the_first_transmission_has_payload() -> None:
    length = len(reply_to(LONG)[:3000])
    empty = answer(reply_to(LONG), sizes=(0, length, length, len(reply_to(LONG)) - 2 * length))
    assert broken(empty) == [("rtrext.9.1.first-transmission-has-payload", Verdict.WARN)]


def test_bulk_data_are_in_targets_of_the_requester() -> None:
    odd = PLACED.with_targets(0, numbers=(99,))
    assert broken(odd) == fails("rtrext.7.3.tbsn-names-the-segments")


def test_padding_is_zero() -> None:
    send = PLACED.sends[0]
    first, *later = send.bulk
    front = len(send.header + send.payload)
    odd = PLACED.with_send(0, bulk=(Piece(front, b"\5"), first, *later))

    assert front < first.start
    assert broken(odd) == [("rtrext.11.padding-tells-nothing", Verdict.WARN)]


@pytest.mark.parametrize(
    ("number", "rule"),
    [
        (0, "rtrext.9.1.pslen-of-a-first-transmission"),
        (1, "rtrext.9.4.pslen-of-a-continuation"),
    ],
)
def test_octets_after_the_payload_belong_to_something(number: int, rule: str) -> None:
    part = CONTINUED.sends[number].payload
    name = "optxc_pslen" if number else "optxrs_pslen"
    odd = CONTINUED.with_contents(number, **{name: len(part) - 8})
    assert broken(odd)[0] == (rule, Verdict.FAIL)


def test_the_payload_begins_after_the_header() -> None:
    payload = CONTINUED.sends[0].payload
    odd = CONTINUED.with_send(0, payload=bytes(4) + payload[:-4])
    assert broken(odd) == fails("rtrext.9.3.payload-begins-after-xmtresp")


def test_the_parts_are_an_rpc_message() -> None:
    odd = CONTINUED.with_send(0, payload=b"\xff" * len(CONTINUED.sends[0].payload))
    assert broken(odd) == fails("rtrext.9.4.parts-are-the-payload-stream")
