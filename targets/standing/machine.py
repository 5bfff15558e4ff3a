"""The command that starts the standing guest's virtual machine.

QEMU itself, without virtme-ng: what that does for any use costs ten seconds that nobody needs here.
The guest has the host's files (read-only, over 9p), a port for the agent, and one network interface
whose frames go as datagrams from one Unix socket to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from targets.lab.accelerator import QEMU, Accelerator
from targets.standing.setup import AGENT_PORT

if TYPE_CHECKING:
    from pathlib import Path

    from targets.lab.setup import Network

__all__ = ["MachineFiles", "machine_command"]

_MEMORY: Final = "2G"

_PROCESSOR: Final = {
    Accelerator.KVM: "host",
    # Linux copies by `rep movsb` where the processor says that this is fast; under TCG it is slow:
    # 0.6 GB/s, 3.5 without.  Each level of page tables less is less to walk.
    Accelerator.TCG: "max,-erms,-fsrm,-la57",
}

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

    @property
    def guest_socket(self) -> Path:
        """Where QEMU receives frames for the guest."""
        return self.folder / "guest"

    @property
    def tester_socket(self) -> Path:
        """Where QEMU sends the guest's frames; the tester makes it."""
        return self.folder / "tester"

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
    network: Network,
) -> list[str]:
    """QEMU and its arguments.

    Args:
        files: of the guest.
        image: kernel to boot.
        accelerator: what executes it.
        processors: how many the guest has.
        network: whose MTU the interface may have.
    """
    frames = f"local.type=unix,local.path={files.guest_socket}"
    frames += f",remote.type=unix,remote.path={files.tester_socket}"
    return [
        QEMU,
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-pidfile", str(files.process)),
        *("-machine", f"q35,accel={accelerator.value}", "-cpu", _PROCESSOR[accelerator]),
        *("-m", _MEMORY, "-smp", str(processors)),
        *("-kernel", str(image), "-initrd", str(files.initramfs)),
        *("-append", " ".join(_KERNEL)),
        *("-chardev", f"file,id=console,path={files.console}", "-serial", "chardev:console"),
        "-fsdev",
        "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
        *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
        *("-netdev", f"dgram,id=frames,{frames}"),
        # The tester's frames are as long as the interface's MTU says, and it checks them itself.
        *("-device", f"virtio-net-pci,netdev=frames,host_mtu={network.mtu},romfile="),
        *("-device", "virtio-serial-pci"),
        *("-chardev", f"socket,id=agent,path={files.agent_socket},server=on,wait=off"),
        *("-device", f"virtserialport,chardev=agent,name={AGENT_PORT}"),
    ]
