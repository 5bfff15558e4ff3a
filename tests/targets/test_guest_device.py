"""Devices in a standing guest, with a guest that is none."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.errors import DeadlineExceeded
from rpcrdma.fabric.base import Address
from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import _generated_mount3 as wire
from targets import guest_device
from targets.base import Act, ActKind, TargetError
from targets.guest_device import (
    GuestClientSession,
    GuestClientTarget,
    GuestServerTarget,
    guest_target,
)
from targets.lab.errors import LabError
from targets.registry import find_profile
from targets.shared import SharedTarget
from targets.standing.machine import MachineFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rpcrdma.errors import FabricError

HANDLE = b"the root"


@dataclass
class FakeClient:
    """Lets nothing begin."""

    failure: str = ""
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def begin(self, _verb: str, **_parts: object) -> None:
        if self.failure:
            raise LabError("talking to the guest", self.failure)


@dataclass
class FakeAgent:
    """Notes what it is asked for."""

    mounted: wire.MountResult
    client: FakeClient = field(default_factory=FakeClient)
    asked: list[str] = field(default_factory=list)
    stuck: str = ""

    def meanwhile(self, act: Callable[[], None]) -> None:
        act()

    def restart(self) -> None:
        self.asked.append("restart")
        if self.stuck:
            raise LabError("stopping nfsd", self.stuck)

    def exchange(self, address: str, port: int, call: bytes, seconds: float) -> bytes:
        self.asked.append(f"{address}:{port}")
        assert seconds > 0
        return accepted(int.from_bytes(call[:4], "big"), wire.encode_mount_result(self.mounted))


@dataclass
class FakeGuest:
    """Is ready at once, or never."""

    folder: Path
    agent: FakeAgent
    failure: str = ""
    death: str | None = None

    @property
    def files(self) -> MachineFiles:
        return MachineFiles(self.folder)

    def await_ready(self) -> None:
        if self.failure:
            raise LabError("booting the lab", self.failure)

    def alive(self) -> str | None:
        return self.death

    def log(self) -> str:
        return f"console of {self.folder.name}"


@dataclass
class FakeRunGuest:
    """Has further guests for those that die."""

    current: FakeGuest
    others: list[FakeGuest]
    replaced: list[str] = field(default_factory=list)

    def replace(self, how: str) -> FakeGuest:
        self.replaced.append(how)
        if not self.others:
            raise LabError("booting the lab", "the guest did not start")
        self.current = self.others.pop(0)
        return self.current


@pytest.fixture
def run() -> Iterator[FakeRunGuest]:
    """Two guests, whose sockets have short paths, as those of real ones."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        guests = [
            FakeGuest(Path(folder), FakeAgent(wire.MountDone(HANDLE, (1,))))
            for folder in (first, second)
        ]
        yield FakeRunGuest(guests[0], guests[1:])


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

    monkeypatch.setattr(guest_device, "ping", ping)
    return failures


def server(run: FakeRunGuest, name: str = "linux-server") -> GuestServerTarget:
    return GuestServerTarget(find_profile(name), run)  # type: ignore[arg-type]  # all it uses


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

    with pytest.raises(TargetError, match="in the new guest has another file handle for /srv/exp"):
        session.restart()

    session.close()


def test_export_that_is_not_mounted_is_told(run: FakeRunGuest, guest: FakeGuest) -> None:
    """With the server's own word for it."""
    guest.agent.mounted = wire.MountFailed(wire.Status.MNT3ERR_ACCES)

    with pytest.raises(TargetError, match=r"does not mount /srv/export: status MNT3ERR_ACCES"):
        server(run, "linux-server-nfs3").start()


def test_guest_that_does_not_come_up_is_told(run: FakeRunGuest, guest: FakeGuest) -> None:
    """One sentence, with the step."""
    guest.failure = "no output"

    with pytest.raises(TargetError, match="no output"):
        server(run).start()


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


def test_client_without_acts_is_refused(run: FakeRunGuest) -> None:
    """Nothing says how it is brought to act."""
    profile = msgspec.structs.replace(find_profile("linux-client"), acts=None)

    with pytest.raises(TargetError, match=r"has no table \[acts\]"):
        GuestClientTarget(profile, run)  # type: ignore[arg-type]
