"""Devices in a standing guest, with a guest that is none."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from rpcrdma.ulp.rpc import accepted
from rpcrdma.wire import _generated_mount3 as wire
from targets.base import TargetError
from targets.guest_device import GuestClientTarget, GuestServerTarget, guest_target, neighbour_of
from targets.lab.errors import LabError
from targets.registry import find_profile
from targets.standing.machine import MachineFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

    def meanwhile(self, act: Callable[[], None]) -> None:
        act()

    def restart(self) -> None:
        self.asked.append("restart")

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


@pytest.fixture
def guest() -> Iterator[FakeGuest]:
    """Its sockets have short paths, as those of a real one."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = wire.MountDone(HANDLE, (1,))
        yield FakeGuest(Path(folder), FakeAgent(mounted))


def server(guest: FakeGuest, name: str = "linux-server") -> GuestServerTarget:
    return GuestServerTarget(find_profile(name), guest)  # type: ignore[arg-type]  # all it uses


def test_tester_is_the_guests_neighbour() -> None:
    """At the next address."""
    assert neighbour_of("10.9.0.1") == "10.9.0.2"


def test_server_is_reached_by_frames_and_started_again_by_the_agent(guest: FakeGuest) -> None:
    """At the profile's address; a guest that has died is told."""
    session = server(guest).start()
    session.restart()
    guest.death = "panic in the kernel"

    assert str(session.address) == "10.9.0.1:20049"
    assert session.fabric.name == "roce qemu"
    assert guest.agent.asked == ["restart"]
    assert session.alive() == "panic in the kernel"
    session.close()
    session.close()


def test_agent_asks_for_the_file_handle_of_an_nfs3_export(guest: FakeGuest) -> None:
    """The tester has no TCP to the guest; the profile has the handle afterwards."""
    target = server(guest, "linux-server-nfs3")
    target.start().close()

    assert target.profile.extra.root_handle == HANDLE.hex()
    assert guest.agent.asked == ["10.9.0.1:20048"]


def test_export_that_is_not_mounted_is_told(guest: FakeGuest) -> None:
    """With the server's own word for it."""
    guest.agent.mounted = wire.MountFailed(wire.Status.MNT3ERR_ACCES)

    with pytest.raises(TargetError, match=r"does not mount /srv/export: status MNT3ERR_ACCES"):
        server(guest, "linux-server-nfs3").start()


def test_guest_that_does_not_come_up_is_told(guest: FakeGuest) -> None:
    """One sentence, with the step."""
    guest.failure = "no output"

    with pytest.raises(TargetError, match="no output"):
        server(guest).start()


def test_client_in_a_guest_that_does_not_come_up_is_told(guest: FakeGuest) -> None:
    """By the same sentence as a server."""
    guest.agent.client.failure = "no output"

    with pytest.raises(TargetError, match="no output"):
        GuestClientTarget(find_profile("linux-client"), guest).start_client()  # type: ignore[arg-type]


def test_client_finds_the_tester_beside_it(guest: FakeGuest) -> None:
    """The profile's address is the guest's own; the tester listens at its neighbour's."""
    target = guest_target(find_profile("linux-client"), guest)  # type: ignore[arg-type]

    assert isinstance(target, GuestClientTarget)
    assert target.profile.extra.address == "10.9.0.2"


def test_client_without_acts_is_refused(guest: FakeGuest) -> None:
    """Nothing says how it is brought to act."""
    profile = msgspec.structs.replace(find_profile("linux-client"), acts=None)

    with pytest.raises(TargetError, match=r"has no table \[acts\]"):
        GuestClientTarget(profile, guest)  # type: ignore[arg-type]
