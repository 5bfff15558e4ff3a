"""The reference client as a device under test, in the tester's process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.proof.matrix import cases_citing
from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from rpcrdma.endpoint.backward.duplex import ClientDuplex
from rpcrdma.endpoint.ends.serving import Server
from rpcrdma.endpoint.properties.rules import PropertyRules
from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.memory import HandleAllocator
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Act, ActKind, ActResult, ActState, TargetError
from targets.profile import SHIPPED, load_profile
from targets.reference.client import InProcessClientSession, ReferenceClientTarget
from targets.reference.client_parts import ClientParts, make_client
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.events import CallRequested, MessageReceived
    from rpcrdma.endpoint.properties.values import PropertyValues
    from rpcrdma.wire.properties import KnownProperty
    from targets.base import RunningAct

PROFILE = load_profile(SHIPPED / "reference-client.toml")
ADDRESS = Address("tester", 0)


class Defective(Requester):
    """Dies of the first message."""

    def _receive(self, event: MessageReceived, _now: float) -> list[Action]:
        raise RuntimeError("no slot")


class Refusing(Requester):
    """Dies of the first call that it is to make."""

    def _request(self, event: CallRequested, _now: float) -> list[Action]:
        raise RuntimeError("no call")


class World:
    """A session, and a server where the tester stands."""

    def __init__(self, parts: ClientParts | None = None) -> None:
        self.session = InProcessClientSession(ADDRESS, parts or ClientParts())
        self.serve()

    def serve(self) -> None:
        fabric = self.session.fabric
        self.server = Server(fabric, ADDRESS, lambda: Responder(TestProgram()))
        fabric.attach(self.server.step)

    def run(self, act: RunningAct) -> ActResult | None:
        for _ in range(50):
            self.session.network.schedule.wait(lambda: False, 0.1)
            if (result := act.poll()) is not None:
                return result
        return None

    def prepared(self) -> World:
        result = self.run(self.session.prepare(self.server.address))
        assert result == ActResult(ActState.DONE)
        return self


def test_connects_and_acts_in_the_turns_that_polling_gives() -> None:
    world = World().prepared()

    result = world.run(world.session.begin(Act(ActKind.READ, 3000)))

    assert result is not None
    assert result.done
    assert world.session.alive() is None


def test_an_act_before_anything_was_prepared_is_the_tester_s_fault() -> None:
    with pytest.raises(TargetError, match="prepare it first"):
        World().session.begin(Act(ActKind.NULL))


def test_a_client_that_fails_is_dead_and_nothing_else_is() -> None:
    world = World(ClientParts(requester=Defective)).prepared()

    result = world.run(world.session.begin(Act(ActKind.NULL)))

    assert result is None
    assert world.session.alive() == "RuntimeError: no slot"


def test_a_client_that_dies_of_what_it_is_told_fails_the_act() -> None:
    """It is the device's defect, and no error of whoever told it."""
    world = World(ClientParts(requester=Refusing)).prepared()

    result = world.run(world.session.begin(Act(ActKind.NULL)))

    assert result == ActResult(ActState.FAILED, "RuntimeError: no call")
    assert world.session.alive() == "RuntimeError: no call"


def test_a_restarted_client_has_forgotten_everything() -> None:
    world = World(ClientParts(requester=Defective)).prepared()
    world.run(world.session.begin(Act(ActKind.NULL)))

    world.session.restart()
    world.serve()

    assert world.session.alive() is None
    world.prepared()


def test_preparing_again_starts_from_nothing() -> None:
    world = World().prepared()

    world.prepared()

    assert world.server.connections == 1


def test_what_the_client_has_registered_is_told() -> None:
    world = World().prepared()
    before = world.session.usage()
    act = world.session.begin(Act(ActKind.READ, 3000))
    during = world.session.usage()
    world.run(act)

    assert (
        before == world.session.usage() == Usage(((Resource.REGIONS, 0), (Resource.REGISTERED, 0)))
    )
    assert during is not None
    assert (during.of(Resource.REGISTERED) or 0) >= 3000


def test_closing_twice_is_allowed() -> None:
    session = World().prepared().session
    session.close()
    session.close()


def test_a_target_runs_on_loopback_unless_told_otherwise() -> None:
    session = ReferenceClientTarget(PROFILE).start_client()

    assert isinstance(session, InProcessClientSession)
    assert session.acts == frozenset(ActKind)
    session.close()


def test_a_target_refuses_fabrics_that_it_does_not_have() -> None:
    with pytest.raises(TargetError, match="there is no fabric `string`"):
        ReferenceClientTarget(PROFILE, "string")


def test_a_mutant_is_named_after_itself() -> None:
    target = ReferenceClientTarget(PROFILE, replaced="mutant:odd")

    assert (target.name, target.profile) == ("mutant:odd", PROFILE)


def test_a_client_is_made_of_its_parts() -> None:
    session = World().session
    client, _ = make_client(session.fabric, ADDRESS, ClientParts(requester=Defective))

    role = client._make_role()
    assert isinstance(role, ClientDuplex)
    assert type(role.forward) is Defective


def test_a_client_that_claims_no_backward_direction_has_none() -> None:
    claims = msgspec.structs.replace(PROFILE.claims, backward=False)
    target = ReferenceClientTarget(msgspec.structs.replace(PROFILE, claims=claims))
    session = target.start_client()
    client, _ = make_client(session.fabric, ADDRESS, target._parts)

    role = client._make_role()
    assert isinstance(role, ClientDuplex)
    assert not role.backward.armed
    session.close()


def test_the_handles_of_a_client_may_come_from_elsewhere() -> None:
    class Elsewhere(HandleAllocator):
        """As any other."""

    world = World(ClientParts(allocator=Elsewhere))

    assert type(world.session.network.allocator) is Elsewhere


class Discreet(PropertyRules):
    """Does not announce that its memory may be invalidated."""

    def announced(self, own: PropertyValues) -> tuple[KnownProperty, ...]:
        return super().announced(replace(own, remote_invalidation=False))


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [(ClientParts(), Verdict.PASS), (ClientParts(properties=Discreet), Verdict.NA)],
    ids=["announced", "not announced"],
)
def test_only_a_client_that_announces_it_is_judged_by_what_it_bears(
    parts: ClientParts, verdict: Verdict
) -> None:
    """xcharext 3.2: no other gets a Reply that invalidates its memory."""
    cases = cases_citing("xcharext.3.2.announcer-bears-invalidation")
    target = ReferenceClientTarget(PROFILE, parts=parts)

    records = tuple(judge(target, Selection(cases=cases)))

    assert {record.verdict for record in records} == {verdict}
    assert len(records) == len(cases) > 0
    why = {record.reason for record in records}
    told = "the client does not announce that it bears remote invalidation"
    assert why == ({""} if verdict is Verdict.PASS else {told})
