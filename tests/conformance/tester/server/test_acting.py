"""A client as a scenario sees it: with the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import Inconclusive
from conformance.tester.server.harness import ClientHarness
from rpcrdma.endpoint.requester.call_planning import RequesterOptions
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import REQUESTER, RequesterParts
from targets.base import Act, ActKind, ActResult, ActState
from targets.profile import SHIPPED, load_profile
from targets.reference.client import ReferenceClientTarget
from targets.reference.client_parts import ClientParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from targets.base import RunningAct


def made(requester: type[Requester] = Requester) -> ClientHarness:
    profile = load_profile(SHIPPED / "reference-client.toml")
    made = ClientHarness(ReferenceClientTarget(profile, parts=ClientParts(requester=requester)))
    made.begin()
    return made


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    running = made()
    yield running
    running.close()


def test_it_is_known_whether_the_client_is_about_to_call(harness: ClientHarness) -> None:
    service = harness.ready()
    assert not service.starting()

    act = harness.client.begin(ActKind.SMALL)
    assert service.starting()

    call = service.next_call()
    assert not service.starting()
    service.reply(call)
    assert service.serve_until(act).done
    assert not service.starting()


def test_a_client_that_lost_its_connection_is_about_to_call(harness: ClientHarness) -> None:
    service = harness.ready()
    harness.client.begin(ActKind.SMALL)
    service.next_call()

    service.drop()

    assert service.starting()


class Narrow(Requester):
    """Has room for small segments alone, so that not many octets fit one call."""

    def __init__(
        self, options: RequesterOptions | None = None, parts: RequesterParts = REQUESTER
    ) -> None:
        super().__init__(replace(options or RequesterOptions(), segment=64), parts)


@pytest.mark.parametrize("kind", [ActKind.READ, ActKind.WRITE])
def test_what_is_more_than_a_client_can_move_says_nothing(kind: ActKind) -> None:
    harness = made(requester=Narrow)
    harness.ready()

    with pytest.raises(Inconclusive, match="gave up without making a call: failed"):
        harness.client.do(kind, 100_000)
    assert harness.client.do(kind, 1000).done
    harness.close()


def test_two_things_are_done_at_once(harness: ClientHarness) -> None:
    harness.ready()
    before = len(harness.service.received)

    harness.client.two_at_once()

    first, second = harness.service.received[before:]
    assert second.in_flight == (first.xid,)
    assert all(one.done for one in harness.service.served)
    assert harness.service.in_flight() == ()


def test_it_is_known_what_became_of_the_acts_of_a_case(harness: ClientHarness) -> None:
    """Those that showed that the client lives are none of them."""
    harness.ready()
    assert harness.client.results == ()

    harness.client.do(ActKind.READ, 1000)
    harness.client.begin(ActKind.SMALL)

    read, small = harness.client.results
    assert read is not None
    assert len(read.data or b"") == 1000
    assert small is None

    harness.client.forget_ended()
    assert harness.client.results == (None,)


class LostCall:
    """An act of which the call went into a connection that was no more."""

    def poll(self) -> ActResult:
        return ActResult(ActState.FAILED, "the connection was lost")

    def abandon(self) -> None:
        """Nothing is left of it."""


def losing(harness: ClientHarness, monkeypatch: pytest.MonkeyPatch, losses: int) -> list[Act]:
    """Have the next acts be lost; gives what the client is told."""
    told: list[Act] = []
    begin = harness.session.begin

    def begin_late(act: Act) -> RunningAct:
        told.append(act)
        return LostCall() if len(told) <= losses else begin(act)

    monkeypatch.setattr(harness.session, "begin", begin_late)
    return told


def test_an_act_into_a_connection_that_the_tester_has_ended_is_begun_again(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ready().drop()
    told = losing(harness, monkeypatch, 1)

    assert harness.client.do(ActKind.SMALL).done
    assert told == [Act(ActKind.SMALL)] * 2


def test_it_is_begun_again_once(harness: ClientHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    harness.ready().drop()
    told = losing(harness, monkeypatch, 2)

    assert not harness.client.do(ActKind.SMALL).done
    assert len(told) == 2


def test_an_act_on_a_connection_that_stands_is_not_begun_again(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.ready()
    told = losing(harness, monkeypatch, 1)

    assert not harness.client.do(ActKind.SMALL).done
    assert len(told) == 1
