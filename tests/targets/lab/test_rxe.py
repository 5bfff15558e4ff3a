"""Network and device of the guest, by the programs called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.rxe import add_device, load_modules, set_up_interface
from targets.lab.setup import Network

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram


def test_modules_are_loaded_by_one_call(programs: tuple[FakeProgram, Calls]) -> None:
    fake, calls = programs
    fake("modprobe")
    load_modules(("rdma_rxe", "nfsd"))
    assert calls.lines == ["modprobe --all rdma_rxe nfsd"]


def test_the_interface_gets_address_and_room_for_4096_octets(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    fake, calls = programs
    fake("ip")
    set_up_interface(Network(), tmp_path / "none")
    assert calls.lines[1:5] == [
        "  link set lo up",
        "  link add dummy0 mtu 4200 type dummy",
        "  address add 10.9.0.1/24 dev dummy0",
        "  link set dummy0 up",
    ]


def test_an_interface_that_the_driver_has_made_is_taken(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    fake, calls = programs
    fake("ip")
    (tmp_path / "dummy0").mkdir()
    set_up_interface(Network(), tmp_path)
    assert calls.lines[1:5] == [
        "  link set lo up",
        "  link set dummy0 mtu 4200",
        "  address add 10.9.0.1/24 dev dummy0",
        "  link set dummy0 up",
    ]


def test_a_network_that_fails_is_told_with_the_reason(
    programs: tuple[FakeProgram, Calls], tmp_path: Path
) -> None:
    fake, _ = programs
    fake("ip", "echo 'RTNETLINK answers: File exists\nCommand failed -:2' >&2; exit 1")
    with pytest.raises(LabError, match="ip ended with 1: RTNETLINK answers: File exists / Command"):
        set_up_interface(Network(), tmp_path)


def test_the_device_sits_on_the_interface(programs: tuple[FakeProgram, Calls]) -> None:
    fake, calls = programs
    fake("rdma")
    add_device(Network(interface="veth1", device="rxeb"))
    assert calls.lines == ["rdma link add rxeb type rxe netdev veth1"]


def test_a_kernel_without_the_module_is_told_with_a_remedy(
    programs: tuple[FakeProgram, Calls],
) -> None:
    fake, _ = programs
    fake("modprobe", "echo 'modprobe: FATAL: Module rdma_rxe not found' >&2; exit 1")
    with pytest.raises(LabError, match="Module rdma_rxe not found; boot a kernel that has it"):
        load_modules(("rdma_rxe",))
