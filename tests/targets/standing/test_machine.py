"""QEMU's command line, as far as the guest and the tester rely on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from targets.lab.accelerator import Accelerator
from targets.lab.resources import Resources
from targets.lab.setup import Network
from targets.standing.machine import MachineFiles, machine_command
from targets.standing.setup import AGENT_PORT

FILES = MachineFiles(Path("/run/guest"))


def command(accelerator: Accelerator = Accelerator.TCG, processors: int = 1, links: int = 1) -> str:
    image, networks = Path("/boot/vmlinuz"), [Network()] * links
    return " ".join(machine_command(FILES, image, accelerator, processors, networks))


def test_frames_go_from_one_socket_to_the_other() -> None:
    assert (
        "-netdev dgram,id=frames1,local.type=unix,local.path=/run/guest/guest-1"
        ",remote.type=unix,remote.path=/run/guest/tester-1 " in command()
    )


def test_the_interface_takes_the_mtu_that_roce_needs() -> None:
    assert "virtio-net-pci,netdev=frames1,mac=52:54:00:00:00:01,host_mtu=4200," in command()


def test_each_tester_has_sockets_and_an_interface_of_its_own() -> None:
    words = command(links=2)
    assert words.count("-netdev") == 2
    assert (
        "local.path=/run/guest/guest-2,remote.type=unix,remote.path=/run/guest/tester-2 " in words
    )
    assert "virtio-net-pci,netdev=frames2,mac=52:54:00:00:00:02,host_mtu=4200," in words


def test_the_agents_port_is_a_socket_that_nobody_waits_for() -> None:
    assert "socket,id=agent,path=/run/guest/agent,server=on,wait=off" in command()
    assert f"virtserialport,chardev=agent,name={AGENT_PORT}" in command()


def test_a_panic_ends_the_machine() -> None:
    words = command().split()
    assert "-no-reboot" in words
    assert "panic=-1" in words


@pytest.mark.parametrize(
    ("accelerator", "processor"),
    [(Accelerator.KVM, "host"), (Accelerator.TCG, "max,-erms,-fsrm,-la57")],
)
def test_the_processor_is_what_the_accelerator_is_quick_with(
    accelerator: Accelerator, processor: str
) -> None:
    words = command(accelerator).split()
    assert words[words.index("-cpu") + 1] == processor
    assert f"q35,accel={accelerator.value}" in words


def test_the_number_of_processors_is_one_setting() -> None:
    assert "-smp 2" in command(processors=2)


def test_the_guest_has_what_the_profile_gives_it() -> None:
    given = Resources(8192, 0, ("slub_debug=FZ",), ("/srv/data", "/srv/more"))
    words = machine_command(FILES, Path("/vmlinuz"), Accelerator.TCG, 1, [Network()], given)
    assert words[words.index("-m") + 1] == "8192M"
    assert words[words.index("-append") + 1].endswith(" slub_debug=FZ")
    assert "local,id=share1,path=/srv/more,security_model=none" in words
    assert "virtio-9p-pci,fsdev=share1,mount_tag=share1" in words
