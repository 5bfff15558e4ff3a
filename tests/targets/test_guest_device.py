"""Servers in a standing guest, with a guest that is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rpcrdma.errors import DeadlineExceeded
from rpcrdma.ulp.gss_mechanism import MockInitiator
from rpcrdma.wire import _generated_mount3 as wire
from targets import guest_device
from targets.base import HasInitiator, TargetError
from targets.guest_device import GuestServerTarget
from targets.lab.errors import LabError
from targets.registry import find_profile
from targets.shared import SharedTarget
from targets.usage import Resource, Usage
from tests.targets.fake_guests import HANDLE, FakeAgent, FakeGuest, FakeRunGuest, two_guests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rpcrdma.errors import FabricError

EXAMPLE = Path(__file__).parents[2] / "targets/examples/server_in_lab/profile.toml"
"""A server that the lab starts in its guest."""


@pytest.fixture
def run() -> Iterator[FakeRunGuest]:
    with two_guests() as made:
        yield made


@pytest.fixture
def guest(run: FakeRunGuest) -> FakeGuest:
    """The first one."""
    return run.current


@pytest.fixture
def pings(monkeypatch: pytest.MonkeyPatch) -> list[FabricError]:
    """What becomes of the pings to come; a server answers all others."""
    failures: list[FabricError] = []

    def ping(*_: object) -> None:
        if failures:
            raise failures.pop(0)

    monkeypatch.setattr("targets.host_server.ping", ping)
    return failures


def server(run: FakeRunGuest, name: str = "linux-server") -> GuestServerTarget:
    return GuestServerTarget(find_profile(name), run)  # type: ignore[arg-type]  # all it uses


@pytest.mark.usefixtures("pings")
def test_a_program_that_has_ended_in_its_guest_is_dead_until_it_is_started_again(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    profile = find_profile(str(EXAMPLE))
    session = GuestServerTarget(profile, run).start()  # type: ignore[arg-type]  # all it uses
    assert session.alive() is None
    guest.agent.end = "the server was ended by SIGSEGV"
    assert session.alive() == "the server was ended by SIGSEGV"
    session.restart()
    assert guest.agent.asked == ["restart"]
    guest.agent.stuck = "no answer"
    assert session.alive() == "the guest does not answer: asking the guest: no answer"
    session.close()


@pytest.mark.usefixtures("pings")
def test_server_is_reached_by_frames_and_started_again_by_the_agent(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """At the profile's address; a guest that has died is told."""
    session = server(run).start()
    session.restart()
    guest.death = "panic in the kernel"

    assert str(session.address) == "10.9.0.1:20049"
    assert session.fabric.name == "roce qemu"
    assert guest.agent.asked == ["restart"]
    assert run.replaced == []
    assert session.alive() == "panic in the kernel"
    session.close()
    session.close()


@pytest.mark.usefixtures("pings")
def test_server_gets_its_first_files_again_from_the_agent(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    session = server(run, "linux-server-nfs3").start()
    guest.agent.asked.clear()
    session.renew()
    assert guest.agent.asked[0] == "renew"
    assert run.replaced == []

    guest.agent.stuck = "busy"
    session.renew()
    assert run.replaced == ["the server cannot be started again: emptying the export: busy"]
    session.close()


@pytest.mark.usefixtures("pings")
def test_server_whose_new_files_have_another_handle_is_told(
    run: FakeRunGuest, guest: FakeGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = server(run, "linux-server-nfs3").start()
    monkeypatch.setattr("targets.guest_device._handle", lambda *_: "beef")
    with pytest.raises(TargetError, match="that was started again has another file handle for"):
        session.renew()
    session.close()


def test_server_whose_guest_died_goes_on_in_a_new_one(run: FakeRunGuest, guest: FakeGuest) -> None:
    """Nothing is asked of the dead one; the tester stands before the new one."""
    session = server(run).start()
    before = session.fabric
    guest.death = "panic in the kernel"
    assert session.console() == f"console of {guest.folder.name}"

    session.restart()

    assert run.replaced == ["panic in the kernel"]
    assert guest.agent.asked == []
    assert run.current is not guest
    assert session.fabric is not before
    assert not guest.files.tester_socket().exists()
    assert run.current.files.tester_socket().exists()
    assert session.alive() is None
    session.close()


def test_server_that_its_guest_cannot_start_goes_on_in_a_new_one(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """A kernel that has lost a thread does not end the others."""
    guest.agent.stuck = "rpc.nfsd ended with -9"
    session = server(run).start()

    session.restart()

    assert run.replaced == [
        "the server cannot be started again: stopping nfsd: rpc.nfsd ended with -9"
    ]
    session.close()


def test_server_that_was_started_and_does_not_serve_goes_on_in_a_new_guest(
    run: FakeRunGuest, pings: list[FabricError]
) -> None:
    """The guest lives, and is of no use."""
    pings.append(DeadlineExceeded("no answer within 5 s"))
    session = server(run).start()

    session.restart()

    assert run.replaced == ["the server cannot be started again: no answer within 5 s"]
    session.close()


def test_one_new_guest_is_all_that_a_restart_tries(run: FakeRunGuest, guest: FakeGuest) -> None:
    """If that does not come up, it is told with the step."""
    run.others.clear()
    session = server(run).start()
    guest.death = "panic in the kernel"

    with pytest.raises(TargetError, match="booting the lab: the guest did not start"):
        session.restart()

    assert len(run.replaced) == 1
    session.close()


def test_server_in_a_guest_tells_what_is_held_there(run: FakeRunGuest) -> None:
    assert server(run).start().usage() == Usage(((Resource.PINNED, 4096),))


def test_guest_that_cannot_be_asked_tells_nothing(run: FakeRunGuest, guest: FakeGuest) -> None:
    guest.agent.stuck = "it is busy"

    assert server(run).start().usage() is None


class FakeRealm:
    """A realm that is left."""

    def __init__(self, agent: FakeAgent, export: str) -> None:
        if agent.stuck:
            raise LabError("setting up Kerberos in the guest", agent.stuck)
        agent.asked.append(f"realm for {export}")
        self.initiator = MockInitiator(b"token")
        self.open = True

    def close(self) -> None:
        self.open = False


@pytest.fixture
def realms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_device, "ServerRealm", FakeRealm)


@pytest.mark.usefixtures("realms")
def test_server_under_kerberos_has_a_realm_as_long_as_it_is_used(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    target = server(run, "linux-server-krb5")
    assert target.initiator is None

    session = target.start()

    assert guest.agent.asked == ["realm for /srv/export", "10.9.0.1:20048"]
    assert isinstance(session, HasInitiator)
    assert session.initiator == MockInitiator(b"token")
    session.close()
    assert target.initiator is None

    again = target.start()
    assert again.initiator == MockInitiator(b"token")
    again.close()


@pytest.mark.usefixtures("realms")
def test_server_under_kerberos_has_another_realm_in_another_guest(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    session = server(run, "linux-server-krb5").start()
    first = session.initiator
    guest.death = "panic in the kernel"

    session.restart()

    assert session.initiator is not first
    assert run.current.agent.asked[0] == "realm for /srv/export"
    session.close()


@pytest.mark.usefixtures("realms")
def test_server_that_knows_no_kerberos_is_told(run: FakeRunGuest, guest: FakeGuest) -> None:
    """By the step that failed."""
    guest.agent.stuck = "kinit: not found"

    with pytest.raises(TargetError, match="Kerberos in the guest: kinit: not found"):
        server(run, "linux-server-krb5").start()


def test_server_under_kerberos_has_one_tester(run: FakeRunGuest) -> None:
    with pytest.raises(TargetError, match="for one tester alone; drop -n"):
        server(run, "linux-server-krb5").beside(1)


def test_server_without_kerberos_makes_no_contexts(run: FakeRunGuest) -> None:
    session = server(run).start()

    assert session.initiator is None
    session.close()


def test_one_of_several_testers_finds_the_guest_set_up(run: FakeRunGuest, guest: FakeGuest) -> None:
    """With the file handle, which is asked for once."""
    target = server(run, "linux-server-nfs3")

    shares = [target.beside(tester) for tester in (1, 2)]

    assert [share.profile.extra.address for share in shares] == ["10.9.0.1", "10.9.1.1"]
    assert {share.profile.extra.root_handle for share in shares} == {HANDLE.hex()}
    assert guest.agent.asked == ["10.9.0.1:20048"]
    assert isinstance(target, SharedTarget)


def test_guest_that_died_of_several_testers_is_replaced_for_the_one_that_goes_on(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """With the file handle that the new one has."""
    target = server(run, "linux-server-nfs3")
    target.beside(1)
    run.others[0].agent.mounted = wire.MountDone(b"other", (1,))
    guest.death = "panic in the kernel"

    session = target.start()

    assert run.replaced == ["panic in the kernel"]
    assert target.profile.extra.root_handle == b"other".hex()
    assert session.alive() is None
    session.close()


def test_agent_asks_for_the_file_handle_of_an_nfs3_export(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """The tester has no TCP to the guest; the profile has the handle afterwards."""
    target = server(run, "linux-server-nfs3")
    target.start().close()

    assert target.profile.extra.root_handle == HANDLE.hex()
    assert guest.agent.asked == ["10.9.0.1:20048"]


def test_file_handle_is_asked_for_in_the_new_guest_and_must_be_the_same(
    run: FakeRunGuest, guest: FakeGuest
) -> None:
    """What the cases know begins with it."""
    session = server(run, "linux-server-nfs3").start()
    second = run.others[0]
    run.others.append(guest)
    guest.death = "panic in the kernel"
    session.restart()
    assert second.agent.asked == ["10.9.0.1:20048"]
    guest.agent.mounted = wire.MountDone(b"another", (1,))
    second.death, guest.death = "panic in the kernel", None

    with pytest.raises(
        TargetError, match="that was started again has another file handle for /srv/exp"
    ):
        session.restart()

    session.close()


def test_export_that_is_not_mounted_is_told(run: FakeRunGuest, guest: FakeGuest) -> None:
    """With the server's own word for it; whoever starts it again asks again."""
    guest.agent.mounted = wire.MountFailed(wire.Status.MNT3ERR_ACCES)
    target = server(run, "linux-server-nfs3")

    with pytest.raises(TargetError, match=r"does not mount /srv/export: status MNT3ERR_ACCES"):
        target.start()

    guest.agent.mounted = wire.MountDone(HANDLE, (1,))
    assert target.beside(1).profile.extra.root_handle == HANDLE.hex()


def test_guest_that_does_not_come_up_is_told(run: FakeRunGuest, guest: FakeGuest) -> None:
    """One sentence, with the step."""
    guest.failure = "no output"

    with pytest.raises(TargetError, match="no output"):
        server(run).start()
