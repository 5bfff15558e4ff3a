"""Which setup a profile's device has."""

from __future__ import annotations

import msgspec
import pytest

from targets.lab.errors import LabError
from targets.lab.resources import Resources
from targets.lab.setup import NFS_RDMA_PORT, ServerKind
from targets.registry import find_profile
from targets.standing.setup_of import setup_of


def test_the_kernels_server_is_set_up_for_its_profile() -> None:
    setup = setup_of(find_profile("linux-server"))
    assert (setup.server.kind, setup.server.port) == (ServerKind.NFSD, NFS_RDMA_PORT)
    assert setup.environment["RPCRDMA_LAB"] == "1"
    assert not setup.stays


def test_each_tester_has_a_network_of_its_own() -> None:
    """And a device in it."""
    setup = setup_of(find_profile("linux-server"), 2)
    networks = [(one.address, one.prefix, one.device) for one in setup.networks]
    assert networks == [("10.9.0.1", 24, "rxe0"), ("10.9.1.1", 24, "rxe1")]


@pytest.mark.parametrize("testers", [0, 17])
def test_more_testers_than_links_are_refused(testers: int) -> None:
    with pytest.raises(LabError, match=f"1 to 16 links, and {testers} are wanted"):
        setup_of(find_profile("linux-server"), testers)


def test_a_client_has_no_server() -> None:
    assert setup_of(find_profile("linux-client")).server.kind is ServerKind.NONE


def test_a_device_that_the_lab_does_not_bring_up_is_refused() -> None:
    with pytest.raises(LabError, match="reference has no place in the lab"):
        setup_of(find_profile("reference"))


def test_the_guest_is_given_what_the_profile_says() -> None:
    profile = find_profile("linux-server")
    assert profile.lab is not None
    lab = msgspec.structs.replace(profile.lab, memory="1G", processors=2, boot=7.0)
    setup = setup_of(msgspec.structs.replace(profile, lab=lab))
    assert setup.resources == Resources(1024, 2, boot_s=7.0)


def test_what_this_machine_cannot_give_is_refused() -> None:
    profile = find_profile("linux-server")
    assert profile.lab is not None
    lab = msgspec.structs.replace(profile.lab, memory="99999G")
    with pytest.raises(LabError, match="`memory` is 102398976M, and this machine has"):
        setup_of(msgspec.structs.replace(profile, lab=lab))
