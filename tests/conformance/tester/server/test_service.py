"""The tester as a server: whom it answers, what it withholds, how long it waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from conformance.tester.case import CaseLog, Deviation, Inconclusive
from conformance.tester.server import Welcome
from rpcrdma.fabric.trace import EventKind
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire import ErrChunk
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Line, ReceivedCall

    Facing = Any


@pytest.mark.parametrize(
    "kind",
    [one for one in ActKind if one is not ActKind.DISCONNECT],
    ids=str,
)
def test_serves_every_act(facing: Facing, kind: ActKind) -> None:
    assert facing.do(kind, 5000, 3).done
    assert facing.service.violations == ()


def test_places_what_is_read(facing: Facing) -> None:
    assert facing.do(ActKind.READ, 70001).data == pattern(70001)


def test_next_call_leaves_one_call_alone_and_serves_the_others(facing: Facing) -> None:
    service = facing.service
    facing.do(ActKind.SMALL)
    act = facing.begin(ActKind.MANY, count=3)

    def third(call: ReceivedCall) -> bool:
        return call.order == 3

    call = service.next_call(third)

    assert [one.answered for one in service.received] == [True, True, True, False]
    assert act.poll() is None
    service.reply(call)
    assert service.serve_until(act).done


def test_a_call_that_nobody_makes_is_not_waited_for_without_end(facing: Facing) -> None:
    with pytest.raises(Inconclusive, match=r"made no such call within 0\.5 s"):
        facing.service.next_call(timeout=0.5)


def test_waiting_answers_nothing_and_claims_nothing(facing: Facing) -> None:
    act = facing.begin(ActKind.SMALL)

    (held,) = facing.service.waiting()

    assert not held.answered
    assert facing.service.in_flight() == (held,)
    assert facing.service.next_call() is held
    facing.service.reply(held)
    assert facing.service.serve_until(act).done


def test_waiting_begins_when_a_slow_client_does(facing: Facing) -> None:
    service, clock = facing.service, facing.session.fabric.clock
    extra = msgspec.structs.replace(service.profile.extra, start=3.0, grace=0.5)
    service.profile = msgspec.structs.replace(service.profile, extra=extra)

    began = clock.now()
    assert service.waiting() == ()
    in_vain = clock.now() - began
    facing.begin(ActKind.SMALL)
    began = clock.now()
    assert len(service.waiting()) == 1

    assert in_vain >= 3.5
    assert clock.now() - began < 3.0


def test_waiting_does_not_wait_for_a_client_that_does_nothing(facing: Facing) -> None:
    service, clock = facing.service, facing.session.fabric.clock
    extra = msgspec.structs.replace(service.profile.extra, start=3.0, grace=0.5)
    service.profile = msgspec.structs.replace(service.profile, extra=extra)
    act = facing.begin(ActKind.SMALL)
    service.starting = lambda: act.poll() is None
    assert service.serve_until(act).done

    began = clock.now()
    assert service.waiting() == ()

    assert 0.5 <= clock.now() - began < 3.0


def test_silence_lasts_a_grace_period_from_the_last_that_came(facing: Facing) -> None:
    service, clock = facing.service, facing.session.fabric.clock
    extra = msgspec.structs.replace(service.profile.extra, grace=0.5)
    service.profile = msgspec.structs.replace(service.profile, extra=extra)
    facing.do(ActKind.SMALL)
    arrivals: list[float] = []

    def note(_line: Line, _octets: bytes) -> bool:
        arrivals.append(clock.now())
        return False

    service.divert = note
    facing.begin(ActKind.MANY, count=3)

    assert len(service.waiting()) == 3

    assert 0.5 <= clock.now() - arrivals[-1] < 0.6


def test_an_act_that_does_not_end_is_a_deviation(facing: Facing) -> None:
    act = facing.begin(ActKind.SMALL)
    facing.service.next_call()

    with pytest.raises(Deviation, match=r"did not end what it was told to do within 1 s"):
        facing.service.serve_until(act, 1.0)


def test_a_draft_can_be_changed_before_it_is_sent(facing: Facing) -> None:
    service = facing.service
    act = facing.begin(ActKind.SMALL)
    call = service.next_call()

    service.reply(call, service.draft(call).changed(credits=3))

    assert service.serve_until(act).done
    assert service.line.granted == 3


def test_a_reply_may_invalidate_memory_of_its_call(facing: Facing) -> None:
    service = facing.service
    act = facing.begin(ActKind.READ, 5000)
    call = service.next_call()
    handle = call.writes[0].target[0].handle

    service.reply(call, service.draft(call).invalidating(handle))

    assert service.serve_until(act).data == pattern(5000)
    events = facing.session.fabric.trace.events
    assert [event.handle for event in events if event.kind is EventKind.SEND][-1] == handle


def test_what_is_sent_beside_answers_nothing(facing: Facing) -> None:
    service = facing.service
    act = facing.begin(ActKind.SMALL)
    call = service.next_call()

    service.send(bytes(8))

    assert service.in_flight() == (call,)
    service.reply(call)
    assert service.serve_until(act).done


def test_an_error_ends_a_call(facing: Facing) -> None:
    act = facing.begin(ActKind.SMALL)
    call = facing.service.next_call()

    facing.service.error(call, ErrChunk())

    assert not facing.service.serve_until(act).done
    assert call.answered


def test_a_call_repeated_after_a_loss_is_not_executed_again(facing: Facing) -> None:
    service = facing.service
    act = facing.begin(ActKind.WRITE, 4000)
    lost = service.next_call()
    service.draft(lost)
    service.drop(service.line_of(lost))

    again = service.next_call()

    assert (again.line, again.unreduced) == (lost.line + 1, lost.unreduced)
    assert service.draft(again).payload == service.draft(lost).payload
    service.reply(again)
    assert service.serve_until(act).done


def test_a_refused_client_stays_outside(facing: Facing) -> None:
    service = facing.service
    service.drop()
    service.welcome = Welcome(refuse=True)

    act = facing.begin(ActKind.SMALL)

    assert not service.serve_until(act).done
    assert not service.connected
    with pytest.raises(Inconclusive, match="did not connect"):
        service.next_connection(0.1)


def test_a_new_case_hangs_up_and_forgets(facing: Facing) -> None:
    service = facing.service
    service.grant = 3
    facing.do(ActKind.SMALL)

    service.begin(CaseLog())

    assert (service.received, service.lines, service.violations) == ([], [], ())
    assert service.grant > 3
    with pytest.raises(Inconclusive, match="has not connected"):
        assert service.line
    assert facing.do(ActKind.SMALL).done


def test_a_new_case_may_keep_the_connection(facing: Facing) -> None:
    service = facing.service
    facing.do(ActKind.SMALL)
    line = service.line

    service.begin(CaseLog(), keep_connections=True)

    assert facing.do(ActKind.SMALL).done
    assert (service.lines, line.number) == ([line], 1)


def test_recovering_answers_what_was_withheld(facing: Facing) -> None:
    service = facing.service
    service.grant = 1
    act = facing.begin(ActKind.SMALL)
    service.next_call()

    service.recover()

    assert service.serve_until(act).done
    assert service.grant > 1


def test_the_oracle_follows_each_connection(facing: Facing) -> None:
    service = facing.service
    facing.do(ActKind.SMALL)
    facing.begin(ActKind.MANY, count=3)
    service.waiting()

    assert len(service.state_of(service.line).outstanding) == 3
    assert service.violations == ()


def test_says_what_a_call_can_have(facing: Facing) -> None:
    service = facing.service
    facing.do(ActKind.WRITE, 4000)
    (call,) = service.received

    assert [item.length for item in service.arguments(call)] == [4000]
    assert service.expectation(call).maximum > 0


def test_a_connection_that_could_not_be_accepted_is_told_of(facing: Facing) -> None:
    service = facing.service
    service.drop()
    service.welcome = Welcome(private_data=bytes(500))
    facing.begin(ActKind.SMALL)

    with pytest.raises(Inconclusive, match=r"did not connect within 3 s \(500 octets of private"):
        service.next_connection(3.0)
