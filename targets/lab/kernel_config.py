"""How a kernel must be configured for the lab: one table, as a fragment to merge and as a check.

`SETTINGS` says what is needed and what for.  A value of `m` is for what may be built in as well; of
a choice between the two, modules are what the lab is tested with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from targets.lab.build_tree import is_build_tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

__all__ = ["SETTINGS", "DebugKind", "Setting", "config_file", "fragment", "unmet"]


class DebugKind(Enum):
    """A debugging aid of the kernel that is worth its price in the lab."""

    KASAN = "kasan"
    """Finds uses of memory that is not, or no longer, owned."""
    KCOV = "kcov"
    """Counts the blocks that are executed, for fuzzers in the kernel's own sense."""
    LOCKDEP = "lockdep"
    """Finds orders of locks that can end in a deadlock."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One option.

    Attributes:
        name: without `CONFIG_`.
        value: `y`, or `m` where either will do.
        purpose: what it is for.
        debug: the aid that it belongs to; None for what the lab needs at all times.
    """

    name: str
    value: str
    purpose: str
    debug: DebugKind | None = None


def _all(purpose: str, value: str, names: str, debug: DebugKind | None = None) -> Iterator[Setting]:
    for name in names.split():
        yield Setting(name, value, purpose, debug)


SETTINGS: Final = (
    *_all(
        "a guest of QEMU starts",
        "y",
        "64BIT SMP PCI ACPI NET BLOCK MODULES BLK_DEV_INITRD BINFMT_ELF BINFMT_SCRIPT TTY PRINTK"
        " SERIAL_8250 SERIAL_8250_CONSOLE DEVTMPFS TMPFS PROC_FS SYSFS FUTEX EPOLL FILE_LOCKING"
        " UNIX INET NETDEVICES NET_CORE NETWORK_FILESYSTEMS",
    ),
    *_all("it starts without unpacking its image", "y", "HYPERVISOR_GUEST PVH"),
    *_all(
        "the host's file system is its root",
        "m",
        "NET_9P NET_9P_VIRTIO 9P_FS OVERLAY_FS VIRTIO_PCI VIRTIO_CONSOLE",
    ),
    *_all("the menus of what follows", "y", "VIRTIO_MENU BLK_DEV NET_SCHED"),
    *_all("Python comes into it as a disk", "m", "VIRTIO_BLK EXT4_FS"),
    *_all("the tester outside reaches its device", "m", "VIRTIO_NET"),
    *_all("Soft-RoCE, and verbs for programs", "m", "INFINIBAND INFINIBAND_USER_ACCESS RDMA_RXE"),
    *_all("connections are made by address", "y", "INFINIBAND_ADDR_TRANS"),
    *_all("Soft-RoCE has a link of its own", "m", "DUMMY"),
    *_all("NFS/RDMA, server and client", "m", "SUNRPC_XPRT_RDMA NFSD NFS_FS NFS_V3 NFS_V4"),
    *_all("its versions", "y", "NFSD_V4 NFS_V4_1 NFS_V4_2"),
    *_all("access control lists, as long calls", "y", "NFS_V3_ACL NFSD_V3_ACL"),
    *_all("Kerberos: linux-server-krb5, linux-client-krb5", "m", "RPCSEC_GSS_KRB5"),
    *_all("packets with real delay", "m", "NET_SCH_NETEM"),
    *_all("`lab run --trace`", "y", "FTRACE EVENT_TRACING"),
    *_all("KASAN", "y", "KASAN KASAN_GENERIC KASAN_INLINE KASAN_VMALLOC", DebugKind.KASAN),
    *_all("KCOV", "y", "DEBUG_FS KCOV KCOV_INSTRUMENT_ALL KCOV_ENABLE_COMPARISONS", DebugKind.KCOV),
    *_all(
        "lockdep",
        "y",
        "DEBUG_KERNEL PROVE_LOCKING DEBUG_ATOMIC_SLEEP",
        DebugKind.LOCKDEP,
    ),
)
"""What the lab needs of a kernel, in the order of the fragment."""


def fragment(debug: Collection[DebugKind] = ()) -> str:
    """Lines for the kernel's `scripts/kconfig/merge_config.sh`.

    Args:
        debug: aids that are wanted, too.
    """
    lines: list[str] = []
    purpose = ""
    for setting in _wanted(debug):
        if setting.purpose != purpose:
            purpose = setting.purpose
            lines.append(f"# {purpose}")
        lines.append(f"CONFIG_{setting.name}={setting.value}")
    return "\n".join(lines)


def unmet(config: str, debug: Collection[DebugKind] = ()) -> tuple[Setting, ...]:
    """The settings that a configuration does not have.

    Args:
        config: text of a `.config`.
        debug: aids that are wanted, too.
    """
    found = dict(re.findall(r"^CONFIG_(\w+)=(\S+)$", config, re.MULTILINE))
    return tuple(
        setting
        for setting in _wanted(debug)
        if found.get(setting.name, "n") not in (setting.value, "y")
    )


def config_file(wanted: Path) -> Path | None:
    """The configuration of a kernel that is named by its image or build tree, if it is there.

    A distribution puts that of `vmlinuz-RELEASE` beside it, as `config-RELEASE`.
    """
    if is_build_tree(wanted):
        return wanted / ".config"
    file = wanted.parent / wanted.name.replace("vmlinuz-", "config-")
    return file if file != wanted and file.is_file() else None


def _wanted(debug: Collection[DebugKind]) -> Iterator[Setting]:
    return (setting for setting in SETTINGS if setting.debug is None or setting.debug in debug)
