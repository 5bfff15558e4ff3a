"""A server at an address: what it can be asked for, and what it says to the rest."""

from __future__ import annotations

import msgspec
import pytest

from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from targets import network
from targets.base import TargetError
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.network import NetworkSession, NetworkTarget, start_again
from targets.registry import find_profile


def session() -> NetworkSession:
    return NetworkSession(LoopbackNetwork().fabric("tester"), Address("192.0.2.7", 20049))


def test_whether_it_lives_cannot_be_told() -> None:
    assert session().alive() is None


def test_it_cannot_be_started_again() -> None:
    with pytest.raises(TargetError, match=r"192\.0\.2\.7:20049 cannot be started from here"):
        session().restart()


def test_the_labs_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    ports: list[int] = []
    monkeypatch.setenv(INSIDE, "1")
    monkeypatch.setattr(network, "restart_nfsd", ports.append)
    fabric = LoopbackNetwork().fabric("tester")
    again = start_again(find_profile("linux-server"))

    NetworkSession(fabric, Address("10.9.0.1", 20049), again).restart()

    assert ports == [20049]


def test_the_labs_that_does_not_come_up_is_told() -> None:
    def fail() -> None:
        raise LabError("stopping nfsd", "busy")

    fabric = LoopbackNetwork().fabric("tester")
    with pytest.raises(TargetError, match="cannot be started again: stopping nfsd: busy"):
        NetworkSession(fabric, Address("10.9.0.1", 20049), fail).restart()


def test_only_the_kernels_server_in_the_lab_can_be_started_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    profile = find_profile("linux-server")
    assert profile.lab is not None
    monkeypatch.setenv(INSIDE, "1")
    assert start_again(msgspec.structs.replace(profile, lab=None)) is None
    program = msgspec.structs.replace(profile.lab, nfsd=False, start=("server",))
    assert start_again(msgspec.structs.replace(profile, lab=program)) is None
    monkeypatch.delenv(INSIDE)
    assert start_again(profile) is None


def test_closing_twice_is_allowed() -> None:
    running = session()
    running.close()
    running.close()


def test_it_goes_by_the_name_of_its_profile() -> None:
    target = NetworkTarget(find_profile("linux-server"), "verbs")

    assert (target.name, target.profile.name) == ("linux-server", "linux-server")


def test_a_server_under_kerberos_is_in_a_guest() -> None:
    with pytest.raises(TargetError, match="outside of the lab's guest; drop --fabric"):
        NetworkTarget(find_profile("linux-server-krb5")).start()


def test_it_is_not_on_loopback() -> None:
    with pytest.raises(TargetError, match="is reached over roce or verbs, not over loopback"):
        NetworkTarget(find_profile("linux-server"), "loopback")
