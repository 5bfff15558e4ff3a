"""Every message is judged on its arrival."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.device import Device
from conformance.oracle.requester.expectation import Reaction
from conformance.oracle.requester.groups import judge_broken
from conformance.tester.server.judging import Judging
from conformance.tester.server.placed import Placed
from conformance.tester.server.received import ReceivedCall
from rpcrdma.ulp import rpc, testprog_calls
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import ErrChunk, RdmaError, RdmaMsg, TransportHeader, encode_header
from rpcrdma.wire._generated_rtrext import BadContinuation, ReptErr, TransmissionId
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.transmission import BrokenGroup
from targets.base import ActResult, ActState


class _Line:
    """A connection: a key here, to whose client nothing was written."""

    placed = Placed()
    unfinished = 0


LINE: Any = _Line()
FIRST: Any = _Line()
SECOND: Any = _Line()


def message(xid: int, version: int = 1) -> ReceivedCall:
    payload = testprog_calls.null(xid)
    header = TransportHeader(xid, version, 4, RdmaMsg((), (), None))
    return ReceivedCall(1, 0, encode_header(header) + payload, header, payload, payload)


def opened(line: Any, judging: Judging | None = None) -> Judging:  # noqa: ANN401  # any key
    made = judging or Judging(Device())
    made.open(line, TestProgram(), (1024, 1024))
    return made


def test_a_good_call_breaks_nothing() -> None:
    judging = opened(LINE)

    judging.received(LINE, message(1))

    assert judging.violations == []
    assert judging.state_of(LINE).call(1) is not None


def test_what_a_call_breaks_is_kept() -> None:
    judging = opened(LINE)

    judging.received(LINE, message(1, version=2))

    assert [one.ids for one in judging.violations] == [("rfc8166.4.2.2.version-is-one",)]


def test_a_call_is_told_what_it_breaks() -> None:
    judging, wrong = opened(LINE), message(1, version=2)

    judging.received(LINE, wrong)

    assert [one.ids for one in wrong.broken] == [("rfc8166.4.2.2.version-is-one",)]


def test_an_act_is_told_what_was_sent_since_the_one_before() -> None:
    judging = opened(LINE)
    judging.received(LINE, message(1))
    judging.sending(LINE, encode_header(TransportHeader(1, 1, 4, RdmaError(ErrChunk()))))

    refused = judging.ended(ActResult(ActState.FAILED, "refused"))
    other = judging.ended(ActResult(ActState.DONE))

    assert [one.reactions for one in refused.sent] == [{Reaction.FAILED}]
    assert (refused.state, refused.detail, other.sent) == (ActState.FAILED, "refused", ())
    assert judging.served == [refused, other]


@pytest.mark.parametrize(("later", "went_on"), [((), False), ((1,), False), ((2,), True)])
def test_an_act_goes_on_by_another_call_after_a_refusal(
    later: tuple[int, ...], went_on: bool
) -> None:
    judging = opened(LINE)
    judging.received(LINE, message(1))
    judging.sending(LINE, encode_header(TransportHeader(1, 1, 4, RdmaError(ErrChunk()))))
    for xid in later:
        judging.received(LINE, message(xid))
    assert judging.ended(ActResult(ActState.DONE)).went_on is went_on
    judging.received(LINE, message(3))
    assert not judging.ended(ActResult(ActState.DONE)).went_on


def test_an_act_that_is_done_has_seen_the_answers_that_came_last() -> None:
    judging = opened(LINE)
    judging.received(LINE, message(1))
    judging.received(LINE, message(2))
    for xid, grant in ((1, 4), (2, 1)):
        reply = encode_header(TransportHeader(xid, 1, grant, RdmaMsg((), (), None)))
        judging.sending(LINE, reply + rpc.accepted(xid))

    views = [len(judging.state_of(LINE).views)]
    judging.done()
    views.append(len(judging.state_of(LINE).views))

    assert views[0] > views[1] == 1


def test_an_act_that_is_done_says_nothing_of_what_answers_no_call() -> None:
    judging = opened(LINE)
    judging.received(LINE, message(1))
    for xid, grant in ((1, 4), (9, 1)):
        reply = encode_header(TransportHeader(xid, 1, grant, RdmaMsg((), (), None)))
        judging.sending(LINE, reply + rpc.accepted(xid))
    before = judging.state_of(LINE).views

    judging.done()

    assert judging.state_of(LINE).views == before


def test_a_call_refused_on_one_connection_is_not_to_come_on_the_next() -> None:
    judging = opened(FIRST)
    judging.received(FIRST, message(1))
    error = encode_header(TransportHeader(1, 1, 4, RdmaError(ErrChunk())))
    judging.sending(FIRST, error)
    opened(SECOND, judging)

    judging.received(SECOND, message(1))

    assert "rfc8166.4.5.error-is-permanent" in judging.violations[0].ids


def test_a_new_case_begins_without_violations() -> None:
    judging = opened(LINE)
    judging.received(LINE, message(1, version=2))

    judging.forget(())

    assert judging.violations == []


def test_transmissions_that_make_no_message_break_a_rule() -> None:
    judging = opened(LINE)
    bad = TransmissionId(1, MessageType.CALL, 1)
    group = BrokenGroup((b"",), ReptErr(bad, None, BadContinuation()))

    judging.received_broken(group)

    assert judging.violations == [judge_broken(group)]


def test_a_group_without_its_end_is_told_when_nobody_waits_any_longer() -> None:
    judging, line = opened(LINE), _Line()
    line.unfinished = 2

    judging.gave_up((LINE, line))

    assert [one.ids for one in judging.violations] == [("rtrext.9.2.count-of-a-request",)]
