"""Two devices on one wire, by the programs called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.pair import ENDS, delay_pair, make_pair

if TYPE_CHECKING:
    from pathlib import Path

    from tests.targets.lab.conftest import Calls, FakeProgram


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    """The kernel's folder of settings for each interface."""
    folder = tmp_path / "conf"
    for end in ENDS:
        (folder / end.interface).mkdir(parents=True)
    return folder


def test_each_end_has_its_address_its_device_and_a_way_to_the_other(
    programs: tuple[FakeProgram, Calls], tmp_path: Path, settings: Path
) -> None:
    fake, calls = programs
    for name in ("modprobe", "ip", "rdma"):
        fake(name)
    make_pair(tmp_path / "none", settings)
    one, other = "address 02:00:0a:09:01:01 mtu 4200", "address 02:00:0a:09:01:02 mtu 4200"
    assert calls.lines == [
        "modprobe --all veth sch_netem",
        "ip -batch -",
        f"  link add veth0 {one} type veth peer name veth1 {other}",
        "  rule add preference 100 lookup local",
        "  rule del preference 0",
        "  address add 10.9.1.1/32 dev veth0",
        "  link set veth0 up",
        "  neighbour add 10.9.1.2 lladdr 02:00:0a:09:01:02 dev veth0 nud permanent",
        "  route add 10.9.1.2 dev veth0 src 10.9.1.1 table 1",
        "  rule add preference 1 to 10.9.1.2 iif lo lookup 1",
        "  rule add preference 1 from 10.9.1.1 to 10.9.1.2 oif veth0 lookup 1",
        "  address add 10.9.1.2/32 dev veth1",
        "  link set veth1 up",
        "  neighbour add 10.9.1.1 lladdr 02:00:0a:09:01:01 dev veth1 nud permanent",
        "  route add 10.9.1.1 dev veth1 src 10.9.1.2 table 2",
        "  rule add preference 2 to 10.9.1.1 iif lo lookup 2",
        "  rule add preference 2 from 10.9.1.2 to 10.9.1.1 oif veth1 lookup 2",
        "rdma link add rxea type rxe netdev veth0",
        "rdma link add rxeb type rxe netdev veth1",
    ]


def test_each_end_takes_packets_from_an_address_of_this_machine(
    programs: tuple[FakeProgram, Calls], tmp_path: Path, settings: Path
) -> None:
    fake, _ = programs
    for name in ("modprobe", "ip", "rdma"):
        fake(name)
    make_pair(tmp_path / "none", settings)
    for end in ENDS:
        assert (settings / end.interface / "accept_local").read_text() == "1"
        assert (settings / end.interface / "rp_filter").read_text() == "0"


def test_a_pair_that_is_there_is_left_alone(
    programs: tuple[FakeProgram, Calls], tmp_path: Path, settings: Path
) -> None:
    _, calls = programs
    (tmp_path / ENDS[0].interface).mkdir()
    make_pair(tmp_path, settings)
    assert calls.lines == []


def test_packets_are_delayed_at_both_ends(programs: tuple[FakeProgram, Calls]) -> None:
    fake, calls = programs
    fake("tc")
    delay_pair(0.0025)
    assert calls.lines == [
        "tc -batch -",
        "  qdisc replace dev veth0 root netem delay 2500us limit 10000",
        "  qdisc replace dev veth1 root netem delay 2500us limit 10000",
    ]


def test_a_kernel_that_cannot_delay_is_told_with_the_reason(
    programs: tuple[FakeProgram, Calls],
) -> None:
    fake, _ = programs
    fake("tc", "echo 'Error: Specified qdisc kind is unknown.' >&2; exit 1")
    with pytest.raises(LabError, match="tc ended with 1: Error: Specified qdisc kind is unknown"):
        delay_pair(0.005)
