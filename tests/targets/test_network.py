"""A server at an address: what it can be asked for, and what it says to the rest."""

from __future__ import annotations

import pytest

from rpcrdma.fabric.base import Address
from rpcrdma.fabric.loopback import LoopbackNetwork
from targets.base import Stimulus, TargetError, Unsupported
from targets.network import NetworkSession, NetworkTarget
from targets.registry import find_profile


def session() -> NetworkSession:
    return NetworkSession(LoopbackNetwork().fabric("tester"), Address("192.0.2.7", 20049))


def test_whether_it_lives_cannot_be_told() -> None:
    assert session().alive() is None


def test_it_cannot_be_started_again() -> None:
    with pytest.raises(TargetError, match=r"192\.0\.2\.7:20049 does not serve.*start it again"):
        session().restart()


def test_it_acts_on_calls_only() -> None:
    with pytest.raises(Unsupported, match="cannot be made to `mount`"):
        session().stimulate(Stimulus("mount"))


def test_closing_twice_is_allowed() -> None:
    running = session()
    running.close()
    running.close()


def test_it_goes_by_the_name_of_its_profile() -> None:
    target = NetworkTarget(find_profile("linux-server"), "verbs")

    assert (target.name, target.profile.name) == ("linux-server", "linux-server")


def test_it_is_not_on_loopback() -> None:
    with pytest.raises(TargetError, match="is reached over verbs, not over loopback"):
        NetworkTarget(find_profile("linux-server"), "loopback")
