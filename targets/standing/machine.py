"""The command that starts the standing guest's virtual machine.

QEMU itself, without virtme-ng: what that does for any use costs ten seconds that nobody needs here.
The guest has the host's files (read-only, over 9p), a port for the agent, and for each tester a
network interface whose frames go as datagrams from one Unix socket to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from targets.lab.accelerator import QEMU, Accelerator
from targets.lab.resources import USUAL, Resources
from targets.standing.setup import AGENT_PORT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from targets.lab.setup import Network

__all__ = ["MachineFiles", "machine_command"]

_PROCESSOR: Final = {
    Accelerator.KVM: "host",
    # Linux copies by `rep movsb` where the processor says that this is fast; under TCG it is slow:
    # 0.6 GB/s, 3.5 without.  Each level of page tables less is less to walk.
    Accelerator.TCG: "max,-erms,-fsrm,-la57",
}

_STATION: Final = "52:54:00:00:00:"
"""The beginning of the guest's stations; the link's number follows."""

_CONSOLE_LEVEL: Final = 5
"""Warnings and worse: what `targets.lab.console` looks for."""

_KERNEL: Final = (
    "console=ttyS0",
    f"loglevel={_CONSOLE_LEVEL}",
    "mitigations=off",
    "cryptomgr.notests",  # half a second of self-tests of ciphers
    "panic=-1",  # reboots at once, which -no-reboot makes an end
)


@dataclass(frozen=True, slots=True)
class MachineFiles:
    """Files of one guest, all in its folder.

    Attributes:
        folder: of this guest alone; its path is short enough for a socket's.
    """

    folder: Path

    def guest_socket(self, link: int = 1) -> Path:
        """Where QEMU receives frames for the guest on one of its links, which count from 1."""
        return self.folder / f"guest-{link}"

    def tester_socket(self, link: int = 1) -> Path:
        """Where QEMU sends the guest's frames of a link; that link's tester makes it."""
        return self.folder / f"tester-{link}"

    def tester_sockets(self) -> tuple[Path, ...]:
        """Those that there are: testers that were killed leave theirs."""
        return tuple(self.folder.glob("tester-*"))

    @property
    def agent_socket(self) -> Path:
        """Where QEMU takes one connection at a time for the agent."""
        return self.folder / "agent"

    @property
    def initramfs(self) -> Path:
        """The guest's first file system."""
        return self.folder / "initramfs"

    @property
    def process(self) -> Path:
        """The number of QEMU's process."""
        return self.folder / "pid"

    @property
    def console(self) -> Path:
        """What the guest's kernel prints."""
        return self.folder / "console.log"

    @property
    def complaints(self) -> Path:
        """What QEMU itself complains of."""
        return self.folder / "qemu.log"


def machine_command(
    files: MachineFiles,
    image: Path,
    accelerator: Accelerator,
    processors: int,
    networks: Sequence[Network],
    resources: Resources = USUAL,
) -> list[str]:
    """QEMU and its arguments.

    Args:
        files: of the guest.
        image: kernel to boot.
        accelerator: what executes it.
        processors: how many the guest has.
        networks: one for each link; its interface may have their MTU.
        resources: what it is given beside processors.
    """
    links = [
        word
        for link, network in enumerate(networks, 1)
        for word in _link_words(files, link, network.mtu)
    ]
    return [
        QEMU,
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-pidfile", str(files.process)),
        *("-machine", f"q35,accel={accelerator.value}", "-cpu", _PROCESSOR[accelerator]),
        *("-m", resources.memory, "-smp", str(processors)),
        *("-kernel", str(image), "-initrd", str(files.initramfs)),
        *("-append", " ".join((*_KERNEL, *resources.parameters))),
        *("-chardev", f"file,id=console,path={files.console}", "-serial", "chardev:console"),
        "-fsdev",
        "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
        *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
        *_share_words(resources.shares),
        *links,
        *("-device", "virtio-serial-pci"),
        *("-chardev", f"socket,id=agent,path={files.agent_socket},server=on,wait=off"),
        *("-device", f"virtserialport,chardev=agent,name={AGENT_PORT}"),
    ]


def _link_words(files: MachineFiles, link: int, mtu: int) -> tuple[str, ...]:
    """The arguments that give the guest an interface: their stations are in the links' order."""
    frames = f"local.type=unix,local.path={files.guest_socket(link)}"
    frames += f",remote.type=unix,remote.path={files.tester_socket(link)}"
    name = f"frames{link}"
    # The tester's frames are as long as the interface's MTU says, and it checks them itself.
    device = f"virtio-net-pci,netdev={name},mac={_STATION}{link:02x},host_mtu={mtu},romfile="
    return "-netdev", f"dgram,id={name},{frames}", "-device", device


def _share_words(shares: Sequence[str]) -> Iterator[str]:
    """The arguments by which the guest may write to folders of the host's."""
    for number, folder in enumerate(shares):
        name = f"share{number}"
        yield from ("-fsdev", f"local,id={name},path={folder},security_model=none")
        yield from ("-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}")
