"""A server at an address: what it can be asked for, and what it says to the rest."""

from __future__ import annotations

import msgspec
import pytest

from rpcrdma.errors import ConnectionRejected
from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from targets import host_server, network
from targets.base import TargetError
from targets.lab.errors import LabError
from targets.lab.guest import INSIDE
from targets.network import NetworkSession, NetworkTarget, await_server, start_again
from targets.registry import find_profile
from targets.usage import Resource, Usage


def session() -> NetworkSession:
    return NetworkSession(LoopbackNetwork().fabric("tester"), Address("192.0.2.7", 20049))


def test_whether_it_lives_cannot_be_told() -> None:
    assert session().alive() is None


def test_it_cannot_be_started_again() -> None:
    with pytest.raises(TargetError, match=r"192\.0\.2\.7:20049 cannot be started from here"):
        session().restart()


def test_one_that_the_guest_has_started_is_asked_for_and_started_again() -> None:
    told = ["", "the server was ended by SIGKILL"]
    starts: list[int] = []
    fabric, address = LoopbackNetwork().fabric("tester"), Address("10.9.0.1", 20049)
    session = NetworkSession(fabric, address, lambda: starts.append(1), lambda: told.pop(0))

    assert session.alive() is None
    assert session.alive() == "the server was ended by SIGKILL"
    session.restart()
    session.renew()
    assert starts == [1, 1]


def test_what_it_holds_is_told_if_that_can_be_seen() -> None:
    fabric, address = LoopbackNetwork().fabric("tester"), Address("10.9.0.1", 20049)
    usage = Usage(((Resource.PINNED, 4096),))

    assert session().usage() is None
    assert NetworkSession(fabric, address, usage=lambda: usage).usage() is usage


def test_one_that_cannot_be_asked_for_is_as_good_as_dead() -> None:
    def fail() -> str:
        raise LabError("asking", "no answer")

    fabric, address = LoopbackNetwork().fabric("tester"), Address("10.9.0.1", 20049)
    assert NetworkSession(fabric, address, lambda: None, fail).alive() == "asking: no answer"


def test_one_that_somebody_else_starts_is_awaited_and_not_renewed() -> None:
    waits: list[int] = []
    fabric, address = LoopbackNetwork().fabric("tester"), Address("10.9.0.1", 20049)
    session = NetworkSession(fabric, address, awaited=lambda: waits.append(1))

    session.restart()
    with pytest.raises(TargetError, match="cannot be started from here"):
        session.renew()
    assert waits == [1]


def test_a_server_is_awaited_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    fabric = LoopbackNetwork().fabric("tester")
    answers: list[Exception | None] = [ConnectionRejected("nobody listens"), None]

    def ping(*_given: object) -> None:
        if error := answers.pop(0):
            raise error

    monkeypatch.setattr(host_server, "ping", ping)
    trace = fabric.trace
    await_server(find_profile("linux-server"), fabric)
    assert answers == []
    assert fabric.trace is trace


def test_a_server_that_does_not_come_back_is_told_with_the_seconds() -> None:
    profile = find_profile("linux-server")
    extra = msgspec.structs.replace(profile.extra, comes_back=0.01)
    fabric = LoopbackNetwork().fabric("tester")
    with pytest.raises(LabError, match=r"did not come back within 0\.01 s .*comes_back"):
        await_server(msgspec.structs.replace(profile, extra=extra), fabric)


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
