"""A client under test from the first connection to the last: with the reference, and with fakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.oracle.verdict import BrokenRule
from conformance.tester.case import Deviation, Inconclusive
from conformance.tester.server import Service
from conformance.tester.server import harness as harness_module
from conformance.tester.server.harness import ClientHarness
from conformance.tester.server.programs import program_factory
from reports.record import Verdict
from rpcrdma.endpoint.requester.request_rules import RequestRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.requester.requester_parts import RequesterParts
from rpcrdma.ulp.gss_mechanism import MOCK
from rpcrdma.wire import ErrChunk
from targets.base import ActKind, TargetError, Unsupported
from targets.profile import SHIPPED, load_profile
from targets.reference.client import InProcessClientSession, ReferenceClientTarget
from targets.reference.client_parts import ClientParts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import MessageReceived
    from targets.base import Act, ClientSession, RunningAct
    from targets.profile import Profile

PROFILE = load_profile(SHIPPED / "reference-client.toml")
CLAIMS = msgspec.structs.replace(PROFILE.claims, versions=(1,))
ONE_ALONE = msgspec.structs.replace(PROFILE, claims=CLAIMS)
"""A client that would rather speak Version Two is refused first, whatever is wrong with it."""


def made(parts: ClientParts | None = None, profile: Profile = PROFILE) -> ClientHarness:
    """A harness in which a case has begun."""
    target = ReferenceClientTarget(profile, parts=parts or ClientParts())
    harness = ClientHarness(target)
    harness.begin()
    return harness


@pytest.fixture
def harness() -> Iterator[ClientHarness]:
    running = made()
    yield running
    running.close()


class Defective(Requester):
    """Dies of the first reply."""

    def _receive(self, event: MessageReceived, _now: float) -> list[Action]:
        raise RuntimeError("no slot")


class Deaf(Requester):
    """Hears no reply."""

    def _receive(self, event: MessageReceived, _now: float) -> list[Action]:
        return []


class VersionThree(RequestRules):
    def version(self) -> int:
        return 3


class Modest(InProcessClientSession):
    """Can be brought to make small calls alone."""

    acts = frozenset({ActKind.SMALL})

    def begin(self, act: Act) -> RunningAct:
        if act.kind not in self.acts:
            raise Unsupported("it knows no such word")
        return super().begin(act)


class Idle(InProcessClientSession):
    """Can be brought to do nothing, nor be started again."""

    acts = frozenset()

    def restart(self) -> None:
        raise TargetError("it has no switch")


class ModestTarget(ReferenceClientTarget):
    session: type[InProcessClientSession] = Modest

    def start_client(self) -> ClientSession:
        from rpcrdma.fabric.base import Address

        return self.session(Address("tester", 0))


class IdleTarget(ModestTarget):
    session = Idle


def test_a_client_is_ready_when_it_has_made_a_good_call(harness: ClientHarness) -> None:
    service = harness.ready()

    assert [call.answered for call in service.received] == [True]
    assert harness.address == service.address


def test_each_case_begins_on_a_new_connection(harness: ClientHarness) -> None:
    harness.ready()
    harness.end()
    harness.begin()

    harness.ready()

    assert len(harness.service.lines) == 1
    assert len(harness.service.received) == 1
    assert harness.trace.events


@pytest.mark.parametrize("broken", [Defective, Deaf])
def test_a_client_that_never_calls_well_makes_cases_inconclusive(broken: type[Requester]) -> None:
    harness = made(ClientParts(requester=broken))

    for _ in range(2):  # the second time it is known beforehand
        with pytest.raises(Inconclusive, match="does not make a good call before the case"):
            harness.ready()
    with pytest.raises(Inconclusive):
        harness.preflight()


def test_faulty_calls_do_not_keep_a_run_from_beginning() -> None:
    class Scrambled(RequestRules):
        def plain_message(self, payload: bytes, behind_xid: bytes) -> bytes:
            return payload[3::-1] + behind_xid + payload

    harness = made(ClientParts(inside=RequesterParts(rules=Scrambled)), ONE_ALONE)

    harness.preflight()

    assert harness.service.violations


def test_what_messages_break_ends_a_case_that_found_nothing() -> None:
    harness = made(ClientParts(inside=RequesterParts(rules=VersionThree)), ONE_ALONE)
    harness.ready()

    found = harness.judged(None, ())

    assert isinstance(found, Deviation)
    assert found.breaks == ("rfc8166.4.2.2.version-is-one",)
    assert "D-11" in harness.case.interpretations


def test_what_messages_break_is_told_beside_what_the_case_found() -> None:
    harness = made(ClientParts(inside=RequesterParts(rules=VersionThree)), ONE_ALONE)
    harness.ready()

    found = harness.judged(Deviation("It failed.", actual="so"), ())

    assert isinstance(found, Deviation)
    assert found.reason == "It failed. In the client's messages: rdma_vers is 3."
    assert (found.actual, found.breaks) == ("so", ("rfc8166.4.2.2.version-is-one",))


def test_what_many_messages_have_in_common_is_warned_of_once(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    detail = "a Reply chunk without need"
    wasteful = BrokenRule(("rfc8166.4.3.3.x",), detail, severity=Verdict.WARN)
    monkeypatch.setattr(Service, "violations", (wasteful, wasteful))

    assert harness.judged(None, ("rfc8166.4.3.3.x",)) is None

    assert [warned.detail for warned in harness.case.warnings] == ["a Reply chunk without need."]


def test_a_warning_counts_in_the_cases_that_are_about_it(
    harness: ClientHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    detail = "a Reply chunk without need"
    wasteful = BrokenRule(("rfc8166.4.3.3.x",), detail, ("D-18",), Verdict.WARN)
    monkeypatch.setattr(Service, "violations", (wasteful,))

    assert harness.judged(None, ("rfc8166.4.3.2.y",)) is None

    assert harness.case.warnings == []
    assert harness.case.interpretations == []


def test_our_own_fault_stays_ours() -> None:
    harness = made(ClientParts(inside=RequesterParts(rules=VersionThree)), ONE_ALONE)
    harness.ready()
    fault = ZeroDivisionError()

    assert harness.judged(fault, ()) is fault


def test_good_messages_leave_the_finding_alone(harness: ClientHarness) -> None:
    harness.ready()
    finding = Inconclusive("so it is")

    assert harness.judged(finding, ()) is finding
    assert harness.judged(None, ()) is None


def test_after_a_case_the_client_still_calls(harness: ClientHarness) -> None:
    harness.ready()
    harness.service.grant = 1
    harness.client.begin(ActKind.MANY, count=5)
    harness.service.waiting()

    harness.check_after()

    assert harness.service.in_flight() == ()


def test_after_a_case_without_connection_the_client_makes_a_new_one(harness: ClientHarness) -> None:
    harness.ready()
    harness.service.drop()

    harness.check_after()

    assert len(harness.service.lines) == 2


def test_an_act_that_the_client_does_not_have_is_inconclusive() -> None:
    harness = ClientHarness(ModestTarget(PROFILE))
    harness.begin()
    harness.ready()

    assert harness.client.acts == {ActKind.SMALL}
    with pytest.raises(Inconclusive, match=r"cannot be brought to act \(read 10 octets\): it kno"):
        harness.client.begin(ActKind.READ, 10)
    with pytest.raises(Unsupported, match="it knows no such word"):
        harness.client.begin(ActKind.READ_AT, 10, offset=3)


class Protected(InProcessClientSession):
    """Has a mechanism, and is told of none by its profile."""

    mechanism = MOCK


def test_programs_are_under_the_mechanism_of_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def factory(profile: Profile, mechanism: object) -> object:
        asked.append(mechanism)
        return program_factory(profile)

    monkeypatch.setattr(harness_module, "program_factory", factory)
    for session in (Protected, Modest):
        target = ModestTarget(PROFILE)
        target.session = session
        ClientHarness(target)

    assert asked == [MOCK, None]


def test_a_client_that_does_nothing_at_all_is_said_to() -> None:
    harness = ClientHarness(IdleTarget(PROFILE))
    harness.begin()

    with pytest.raises(Inconclusive, match="cannot be brought to do anything; it has no switch"):
        harness.ready()


def test_what_is_left_of_a_case_is_abandoned(harness: ClientHarness) -> None:
    harness.ready()
    act = harness.client.begin(ActKind.SMALL)
    call = harness.service.next_call()

    harness.end()
    harness.service.error(call, ErrChunk())
    harness.service.waiting()

    result = act.poll()
    assert result is not None
    assert "cancelled" in result.detail


def versions(harness: ClientHarness) -> list[int]:
    return [call.version for call in harness.service.received]


def test_makes_a_client_ready_in_version_two(harness: ClientHarness) -> None:
    service = harness.ready_two()

    assert versions(harness)[-1] == 2
    assert not service.violations


def test_makes_a_client_forget_that_a_server_refused_version_two(harness: ClientHarness) -> None:
    harness.ready()
    harness.begin()

    harness.ready_two()

    assert versions(harness) == [1, 2]


def test_a_client_that_does_not_offer_version_two_breaks_what_its_profile_claims() -> None:
    harness = made(profile=ONE_ALONE)

    with pytest.raises(Deviation, match="does not offer Version Two") as found:
        harness.ready_two()

    assert found.value.breaks == ("v2.5.first-message-has-version-two",)
    harness.close()


@pytest.mark.parametrize(("profile", "version"), [(PROFILE, 2), (ONE_ALONE, 1)])
def test_leaves_a_client_without_a_connection(profile: Profile, version: int) -> None:
    harness = made(profile=profile)

    service = harness.fresh()

    assert not service.connected
    before = len(service.received)
    assert harness.client.serve_good_act().done
    assert {call.version for call in service.received[before:]} == {version}
    harness.close()


def test_a_client_of_version_two_alone_is_served_in_it_unless_a_case_says_otherwise() -> None:
    claims = msgspec.structs.replace(PROFILE.claims, versions=(2,))
    harness = made(profile=msgspec.structs.replace(PROFILE, claims=claims))

    harness.ready()

    assert versions(harness) == [2]
    harness.close()


def test_it_is_known_when_a_case_could_begin() -> None:
    harness = made()
    harness.ready()
    clock = harness.session.fabric.clock

    assert 0 < harness.case.opened == clock.now()
    harness.close()


def test_good_calls_are_timed_of_a_client_that_makes_them(harness: ClientHarness) -> None:
    assert harness.time_calls(3) == ()  # it has not been told to connect
    harness.begin()
    harness.ready()
    seconds = harness.time_calls(3)
    assert len(seconds) == 3
    assert min(seconds) > 0
    harness.session.close()
    assert harness.time_calls(3) == ()
