"""Clients in a standing guest, with a guest that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.fabric.base import Address
from rpcrdma.ulp.gss_mechanism import MOCK
from targets import guest_client
from targets.base import Act, ActKind, TargetError
from targets.guest_client import GuestClientSession, GuestClientTarget
from targets.guest_device import guest_target
from targets.lab.errors import LabError
from targets.registry import find_profile
from targets.usage import Resource, Usage
from tests.targets.fake_guests import FakeAgent, FakeGuest, FakeRunGuest, two_guests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.ulp.mount3 import MountProgram


@pytest.fixture
def run() -> Iterator[FakeRunGuest]:
    with two_guests() as made:
        yield made


@pytest.fixture
def guest(run: FakeRunGuest) -> FakeGuest:
    """The first one."""
    return run.current


class FakeClientSession:
    """A client that is let go of, or is not."""

    def __init__(self, guest: FakeGuest) -> None:
        self.guest = guest
        self.stuck = ""
        self.calls: list[str] = []
        self.fabric = f"to {guest.folder.name}"
        self.listen_address = Address("10.9.0.2", 20049)
        self.acts = frozenset({ActKind.SMALL})

    def prepare(self, address: Address) -> str:
        return f"prepared for {address}"

    def begin(self, act: Act) -> str:
        return f"begun {act}"

    def alive(self) -> str | None:
        return self.guest.death

    def usage(self) -> Usage:
        return Usage(((Resource.KERNEL, 4096),))

    def restart(self) -> None:
        self.calls.append("restart")
        if self.stuck or self.guest.death:
            raise TargetError(self.stuck or "start the machine again")

    def close(self) -> None:
        self.calls.append("close")


def client(run: FakeRunGuest) -> tuple[GuestClientSession, list[FakeClientSession]]:
    made: list[FakeClientSession] = []

    def begin() -> FakeClientSession:
        made.append(FakeClientSession(run.current))
        return made[-1]

    return GuestClientSession(run, begin), made  # type: ignore[arg-type]  # all that it uses


def test_client_in_a_guest_that_lives_is_let_go_of(run: FakeRunGuest, guest: FakeGuest) -> None:
    """It is what the session is, in all else."""
    session, (inner,) = client(run)

    session.restart()

    assert (inner.calls, run.replaced) == (["restart"], [])
    assert session.fabric == inner.fabric  # type: ignore[comparison-overlap]
    assert (session.listen_address, session.acts) == (inner.listen_address, inner.acts)
    assert str(session.prepare(session.listen_address)) == "prepared for 10.9.0.2:20049"
    assert str(session.begin(Act(ActKind.SMALL))) == "begun small"
    assert session.alive() is None
    assert session.console() == f"console of {guest.folder.name}"
    assert session.usage() == Usage(((Resource.KERNEL, 4096),))
    session.close()
    assert inner.calls[-1] == "close"


@pytest.mark.parametrize(
    ("death", "stuck", "told"),
    [
        ("panic in the kernel", "", "panic in the kernel"),
        (None, "the client's commands do not end", "the client's commands do not end"),
    ],
)
def test_client_whose_guest_is_of_no_use_goes_on_in_a_new_one(
    run: FakeRunGuest, guest: FakeGuest, death: str | None, stuck: str, told: str
) -> None:
    """Dead, or with a command that nothing ends."""
    session, made = client(run)
    guest.death, made[0].stuck = death, stuck

    session.restart()

    assert run.replaced == [told]
    assert made[0].calls == ["restart", "close"]
    assert session.fabric == made[1].fabric != made[0].fabric  # type: ignore[comparison-overlap]
    assert session.alive() is None


def test_client_whose_new_guest_does_not_come_up_is_told(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """By the step that failed."""
    run.others.clear()
    session, _ = client(run)
    guest.death = "panic in the kernel"

    with pytest.raises(TargetError, match="booting the lab: the guest did not start"):
        session.restart()


def test_client_in_a_guest_that_does_not_come_up_is_told(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """By the same sentence as a server."""
    guest.agent.client.failure = "no output"

    with pytest.raises(TargetError, match="no output"):
        GuestClientTarget(find_profile("linux-client"), run).start_client()  # type: ignore[arg-type]


def test_client_finds_the_tester_beside_it(run: FakeRunGuest) -> None:
    """The profile's address is the guest's own; the tester listens at its neighbour's."""
    target = guest_target(find_profile("linux-client"), run)  # type: ignore[arg-type]

    assert isinstance(target, GuestClientTarget)
    assert target.profile.extra.address == "10.9.0.2"


class FakeRealm:
    """A realm that fails where a guest does."""

    mechanism = MOCK

    def __init__(self) -> None:
        self.calls: list[str] = []

    def set_up(self, agent: FakeAgent, server: str, client: str) -> None:
        self.calls.append(f"{server} for {client}")
        if agent.stuck:
            raise LabError("setting up Kerberos in the guest", agent.stuck)

    def by_tcp(self, number: int, version: int, mounts: MountProgram) -> MountProgram:
        self.calls.append(f"{number} version {version}")
        return mounts

    def close(self) -> None:
        self.calls.append("close")


@pytest.fixture
def realm(monkeypatch: pytest.MonkeyPatch) -> FakeRealm:
    made = FakeRealm()
    monkeypatch.setattr(guest_client, "ClientRealm", lambda: made)
    return made


def test_client_under_kerberos_has_its_contexts_from_the_tester(
    run: FakeRunGuest, guest: FakeGuest, realm: FakeRealm
) -> None:
    """By TCP at the port where NFS is, whatever address that was meant for."""
    target = GuestClientTarget(find_profile("linux-client-krb5"), run)  # type: ignore[arg-type]

    session = target.start_client()

    assert guest.agent.asked == ["serve 0.0.0.0:2049 routed"]
    assert session.mechanism is MOCK
    session.close()
    assert realm.calls == ["100003 version 3", "10.9.0.2 for 10.9.0.1", "close"]


def test_client_without_kerberos_has_no_contexts(run: FakeRunGuest) -> None:
    session, _ = client(run)

    assert session.mechanism is None


def test_client_whose_guest_knows_no_kerberos_is_told(
    run: FakeRunGuest, guest: FakeGuest, realm: FakeRealm
) -> None:
    """By the step that failed; the realm is left by then."""
    guest.agent.stuck = "rpc.gssd not found"
    target = GuestClientTarget(find_profile("linux-client-krb5"), run)  # type: ignore[arg-type]

    with pytest.raises(TargetError, match=r"Kerberos in the guest: rpc\.gssd not found"):
        target.start_client()
    assert realm.calls[-1] == "close"


def test_client_without_acts_is_refused(run: FakeRunGuest) -> None:
    """Nothing says how it is brought to act."""
    profile = msgspec.structs.replace(find_profile("linux-client"), acts=None)

    with pytest.raises(TargetError, match=r"has no table \[acts\]"):
        GuestClientTarget(profile, run)  # type: ignore[arg-type]
