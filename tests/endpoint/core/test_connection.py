"""The life of a connection: every pair of state and event."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.endpoint.core import events
from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.core.connection import DROPPED, TRANSITIONS, Endpoint, State
from rpcrdma.endpoint.core.credits import Allowance, grant
from rpcrdma.endpoint.core.reductions import NO_REDUCTIONS, Reductions
from rpcrdma.endpoint.core.thresholds import InlineThresholds
from rpcrdma.endpoint.requester.outgoing import PHASES, CallStep, Phase
from rpcrdma.errors import LocalProtocolError
from rpcrdma.wire import v2
from rpcrdma.wire._generated_rtrext import BadContinuation, BadHeaderType, TransmissionId
from rpcrdma.wire.operations import ROPT_XMTCONT, ROPT_XMTREQ, ReptErr, XmtCont, XmtReq
from rpcrdma.wire.optional import encode_option
from rpcrdma.wire.rpc import MessageType

KINDS = get_args(events.Event)
REPORT = ReptErr(TransmissionId(7, MessageType.CALL, 0), None, BadContinuation())
SAMPLES = {
    events.Connected: events.Connected(),
    events.MessageReceived: events.MessageReceived(b""),
    events.GroupBroken: events.GroupBroken(REPORT, 1),
    events.ReadCompleted: events.ReadCompleted(1, b""),
    events.WorkFailed: events.WorkFailed(1, ""),
    events.Registered: events.Registered(1, 1, 1),
    events.RegistrationFailed: events.RegistrationFailed(1, ""),
    events.Invalidated: events.Invalidated(1, b""),
    events.Disconnected: events.Disconnected(),
    events.CallRequested: events.CallRequested(1, None, b""),
    events.CallCancelled: events.CallCancelled(1),
    events.CallsWaiting: events.CallsWaiting(),
}


class Recording:
    """A role that notes what it is told, and may want to disconnect."""

    initial_receives = ()
    reductions = NO_REDUCTIONS

    def __init__(self) -> None:
        self.told: list[type] = []
        self.events: list[events.Event] = []
        self.answer: list[Disconnect] = []
        self.handlers = dict.fromkeys(KINDS, self.note)

    def note(self, event: events.Event, _now: float) -> list[Disconnect]:
        self.told.append(type(event))
        self.events.append(event)
        return self.answer


def test_a_role_hears_of_a_message_with_its_last_send() -> None:
    """Once, with the Payload stream of all its Sends, and with how many Receives they took."""
    first, second = group(b"to ", b"gether")
    role = Recording()
    role.reductions = Reductions(frozenset({ROPT_XMTREQ, ROPT_XMTCONT}))
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)

    endpoint.handle(events.MessageReceived(first), 0.0)
    assert role.events[1:] == []
    endpoint.handle(events.MessageReceived(second, invalidated=5), 0.0)

    (heard,) = role.events[1:]
    assert (heard.data, heard.invalidated, heard.sends) == (first + b"gether", 5, 2)
    assert heard.group is not None
    assert heard.group.parts == (first, second)


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_role_hears_of_a_group_that_is_broken_and_of_what_broke_it(*, hangs_up: bool) -> None:
    """And of the latter no more if the former made it hang up."""
    first, _ = group(b"to ", b"gether")
    alone = events.MessageReceived(bytes(28))
    role = Recording()
    role.reductions = Reductions(frozenset({ROPT_XMTREQ, ROPT_XMTCONT}))
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)
    endpoint.handle(events.MessageReceived(first), 0.0)
    role.answer = [Disconnect("enough")] if hangs_up else []

    endpoint.handle(alone, 0.0)

    broken, *rest = role.events[1:]
    assert isinstance(broken, events.GroupBroken)
    assert (broken.sends, broken.report.optre_info) == (1, BadHeaderType(5, 0))
    assert rest == ([] if hangs_up else [alone])
    assert endpoint.state is (State.CLOSING if hangs_up else State.OPEN)


def group(*pieces: bytes) -> tuple[bytes, ...]:
    """The Sends of a request."""
    first = XmtReq((), (), len(pieces), 1, len(pieces[0]))
    rest = [XmtCont(n, ROPT_XMTREQ, len(piece)) for n, piece in enumerate(pieces[1:], 1)]
    sends = []
    for contents, piece in zip((first, *rest), pieces, strict=True):
        body = encode_option(MessageType.CALL, contents)
        sends.append(v2.encode_header(v2.Rdma2Header(7, v2.VERSION, 32, body)) + piece)
    return tuple(sends)


def test_a_message_of_one_send_is_told_as_it_came() -> None:
    role = Recording()
    endpoint = Endpoint(role)
    endpoint.handle(events.Connected(), 0.0)
    came = events.MessageReceived(b"whatever")
    endpoint.handle(came, 0.0)

    assert role.events[1] is came


@given(st.lists(st.sampled_from(KINDS), max_size=12))
def test_every_event_moves_by_the_table_or_is_refused(script: list[type]) -> None:
    """After any script of events the state is what the table says, and refusals change nothing."""
    role = Recording()
    endpoint = Endpoint(role)
    for kind in script:
        before, told = endpoint.state, len(role.told)
        target = TRANSITIONS.get((before, kind))
        if target is None:
            with pytest.raises(LocalProtocolError, match=kind.__name__):
                endpoint.handle(SAMPLES[kind], 0.0)
            assert endpoint.state is before
        else:
            endpoint.handle(SAMPLES[kind], 0.0)
            assert endpoint.state is target
            assert len(role.told) == told + ((before, kind) not in DROPPED)


def test_a_role_that_disconnects_hears_of_no_further_message() -> None:
    """OPEN becomes CLOSING, in which messages are dropped and the end is still reported."""
    role = Recording()
    endpoint = Endpoint(role)
    endpoint.handle(SAMPLES[events.Connected], 0.0)
    role.answer = [Disconnect("why")]
    endpoint.handle(SAMPLES[events.MessageReceived], 0.0)
    assert endpoint.state is State.CLOSING
    assert endpoint.handle(SAMPLES[events.MessageReceived], 0.0) == []
    endpoint.handle(SAMPLES[events.Disconnected], 0.0)
    assert role.told[1:] == [events.MessageReceived, events.Disconnected]
    assert endpoint.state is State.CLOSED


def test_every_phase_of_a_call_leads_to_its_end() -> None:
    """From every phase but DONE there is a way on, and ENDED is possible wherever it can happen."""
    assert {phase for phase, _ in PHASES} == set(Phase) - {Phase.DONE}
    assert {phase for phase, step in PHASES if step is CallStep.ENDED} == {
        Phase.REGISTERING,
        Phase.QUEUED,
        Phase.SENT,
    }


@given(st.integers(1, 99), st.lists(st.sampled_from(("take", "back", 0, 1, 5, 200)), max_size=30))
def test_calls_in_flight_never_exceed_the_lower_value(requested: int, script: list[object]) -> None:
    """Whatever is granted when: one call before the first reply, then min(requested, granted)."""
    allowance = Allowance(requested)
    assert allowance.limit == 1
    for step in script:
        if isinstance(step, int):
            allowance.granted_by_reply(step)
            assert 1 <= allowance.limit <= requested
        elif step == "take":
            before = allowance.outstanding
            assert allowance.try_take(1) is (before < allowance.limit)
            assert allowance.outstanding <= max(before, allowance.limit)
        elif allowance.outstanding:
            allowance.give_back(1)
        else:
            with pytest.raises(LocalProtocolError, match="no call is in flight"):
                allowance.give_back(1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 300))
def test_a_grant_is_at_least_one_and_at_most_what_is_posted(requested: int, posted: int) -> None:
    """And no more than requested, where zero counts as one."""
    assert grant(requested, posted) == max(1, min(requested, posted))


def test_thresholds_below_the_minimum_are_refused() -> None:
    """1024 octets is the least that anybody supports."""
    with pytest.raises(LocalProtocolError, match="1024"):
        InlineThresholds(call=1023)
