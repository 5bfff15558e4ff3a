"""Traffic of all kinds with the reference endpoint, and with mutants that lose their way in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Deviation
from conformance.tester.client import build, mutate, unserved
from conformance.tester.client.harness import Harness
from conformance.verify.traffic import ENOUGH, Traffic
from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.responder.responder import Responder
from targets.base import Unsupported
from targets.reference.server import ReferenceTarget
from targets.reference.server_parts import Parts
from targets.registry import find_profile, find_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.faults import Fault
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords

GRANTED = "rfc8166.3.3.1.credit-is-one-transaction"


@pytest.fixture
def start() -> Iterator[Callable[[str], Harness]]:
    """Sets a device going."""
    running: list[Harness] = []

    def begin(name: str) -> Harness:
        running.append(Harness(find_target(name)))
        return running[-1]

    yield begin
    for one in running:
        one.close()


def sent(traffic: Traffic, *kinds: str) -> None:
    for kind in kinds:
        traffic.send_odd(unserved.ONE[kind](traffic.peer))
        traffic.settle()


def test_everything_is_answered_as_it_may_be(start: Callable[[str], Harness]) -> None:
    traffic = Traffic.on(start("reference").connect, GRANTED)

    for kind in unserved.ONE:
        traffic.send_odd(unserved.ONE[kind](traffic.peer))
        traffic.send(build.small_call(traffic.peer))
    traffic.settle()
    traffic.use_all_credits()

    assert 1 < traffic.credits <= ENOUGH
    assert traffic.peer.case.acceptances


def test_a_lost_receive_is_noticed(start: Callable[[str], Harness]) -> None:
    traffic = Traffic.on(start("mutant:loses-receives-by-err-vers").connect, GRANTED)

    with pytest.raises(Deviation) as caught:
        sent(traffic, *["unknown-version"] * (traffic.credits + 8))

    assert caught.value.breaks == (GRANTED,)
    assert caught.value.unanswered


def test_without_another_word_the_rule_about_the_message_is_broken(
    start: Callable[[str], Harness],
) -> None:
    traffic = Traffic.on(start("mutant:reports-one-fault-only").connect, ())

    with pytest.raises(Deviation) as caught:
        sent(traffic, "unknown-procedure", "unknown-procedure")

    assert "rfc8166.4.5.bad-call-header-answered" in caught.value.breaks


class ClosesACallLater(Responder):
    """Ends the connection over an error, but serves what has come meanwhile."""

    _has_erred = False

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        self._has_erred = True
        return super().send_error(words, fault)

    def _reply(self, call: IncomingCall, payload: bytes, reply: bytes) -> list[Action]:
        actions = super()._reply(call, payload, reply)
        return [*actions, Disconnect("after an error")] if self._has_erred else actions


def test_who_ends_the_connection_over_an_error_may_serve_what_came_meanwhile() -> None:
    target = ReferenceTarget(find_profile("reference"), parts=Parts(responder=ClosesACallLater))
    harness = Harness(target)
    traffic = Traffic.on(harness.connect, GRANTED)

    with pytest.raises(Unsupported, match="ends the connection over such a message"):
        sent(traffic, "unknown-procedure", "unknown-procedure")
    harness.close()


@pytest.mark.parametrize(
    ("mutant", "breaks"),
    [
        ("repeats-the-xid-of-the-first-error", "rfc8166.4.5.error-xid-echoed"),
        ("names-the-version-of-the-last-fault", "rfc8166.4.5.error-version-echoed"),
    ],
)
def test_an_answer_to_another_message_is_refused(
    start: Callable[[str], Harness], mutant: str, breaks: str
) -> None:
    traffic = Traffic.on(start(f"mutant:{mutant}").connect, ())

    with pytest.raises(Deviation) as caught:
        sent(traffic, "unknown-procedure", "unknown-version", "unknown-procedure")

    assert breaks in caught.value.breaks


def test_a_call_may_wait_beside_others(start: Callable[[str], Harness]) -> None:
    traffic = Traffic.on(start("reference").connect, GRANTED)
    peer = traffic.peer
    held = build.call(peer, peer.workload.hold(3))

    traffic.hold(held)
    traffic.send_odd(mutate.xid(unserved.ONE["err-chunk"](peer), held.xid))
    traffic.settle()

    traffic.release(build.call(peer, peer.workload.release(3)))


def test_with_one_credit_sends_wait_for_receives(start: Callable[[str], Harness]) -> None:
    traffic = Traffic.on(start("variant:grants-one-credit").connect, GRANTED)

    sent(traffic, *unserved.ONE)
    traffic.use_all_credits()

    assert traffic.credits == 1
    with pytest.raises(Unsupported):
        traffic.hold(build.null_call(traffic.peer))


def test_what_is_found_out_once_is_known_to_be_aside(start: Callable[[str], Harness]) -> None:
    harness = start("reference")
    kinds = {kind: unserved.ONE[kind] for kind in ("garbage", "no-program")}

    assert Traffic.borne(harness.connect, kinds) == tuple(kinds)
    assert Traffic.borne(harness.connect, kinds) == tuple(kinds)

    (began, ended), (again, at_once) = harness.case.asides
    assert began < ended < again == at_once
