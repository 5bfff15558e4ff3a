"""What a device holds: memory, queue pairs, registrations, descriptors, threads.

    usage = session.usage()      a session that can tell (`HasUsage`)

Where an adapter has started the device as a process, the kernel's files about the process tell.
Of a guest, its kernel's files about the machine do, and what `rdma resource show` prints.  The
reference in the tester's own process counts what it has asked its fabric for.

    proc(5)                  /proc/PID/status, /proc/PID/fd, /proc/meminfo
    rdma-resource(8)         a line for each link, with the count of each object

Reading is all that this does: what follows from the figures is for `conformance.tester.wear`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "HasUsage",
    "Resource",
    "Usage",
    "usage_in_meminfo",
    "usage_in_resources",
    "usage_in_status",
    "usage_of_process",
]


class Resource(StrEnum):
    """What a device can hold and not give back."""

    RESIDENT = "resident memory"
    """Of a process, in octets."""
    PINNED = "pinned memory"
    """Of a process, in octets: what it has registered with an RDMA device."""
    LOCKED = "locked memory"
    """Of a process, in octets."""
    MACHINE = "memory of the machine"
    """What is not available any more to any program of a guest, in octets."""
    KERNEL = "kernel memory"
    """What a guest's kernel has allocated and cannot reclaim, in octets."""
    REGISTERED = "registered memory"
    """Of a device in the tester's process, in octets."""
    REGIONS = "memory regions"
    QUEUE_PAIRS = "queue pairs"
    COMPLETION_QUEUES = "completion queues"
    DOMAINS = "protection domains"
    IDENTIFIERS = "connection identifiers"
    DESCRIPTORS = "file descriptors"
    THREADS = "threads"

    @property
    def in_octets(self) -> bool:
        """Whether it is counted in octets."""
        return self in _IN_OCTETS


_IN_OCTETS: Final = frozenset(
    {
        Resource.RESIDENT,
        Resource.PINNED,
        Resource.LOCKED,
        Resource.MACHINE,
        Resource.KERNEL,
        Resource.REGISTERED,
    }
)

_KIBI: Final = 1024

_OF_STATUS: Final[Mapping[str, Resource]] = {
    "VmRSS": Resource.RESIDENT,
    "VmPin": Resource.PINNED,
    "VmLck": Resource.LOCKED,
    "Threads": Resource.THREADS,
}

_OF_LINK: Final[Mapping[str, Resource]] = {
    "mr": Resource.REGIONS,
    "qp": Resource.QUEUE_PAIRS,
    "cq": Resource.COMPLETION_QUEUES,
    "pd": Resource.DOMAINS,
    "cm_id": Resource.IDENTIFIERS,
}

_KERNEL_OWN: Final = ("SUnreclaim", "KernelStack", "PageTables", "Percpu")

_LINE: Final = re.compile(r"^(\w+(?:\(\w+\))?):\s+(\d+)(?: kB)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a device holds at one moment.

    Attributes:
        amounts: (resource, how many or how many octets) pairs; what cannot be told is absent.
    """

    amounts: tuple[tuple[Resource, int], ...] = ()

    def of(self, resource: Resource) -> int | None:
        """How much of a resource; None if that cannot be told."""
        return dict(self.amounts).get(resource)

    def with_more(self, other: Usage) -> Usage:
        """Both; where both tell of a resource, the other one counts."""
        return Usage(tuple({**dict(self.amounts), **dict(other.amounts)}.items()))


@runtime_checkable
class HasUsage(Protocol):
    """A session, of either role, that can tell what its device holds."""

    def usage(self) -> Usage | None:
        """What the device that runs now holds; None if that cannot be told now."""
        ...


def usage_of_process(pid: int, root: Path = Path("/proc")) -> Usage | None:
    """What a process of this machine holds; None if there is none, or it may not be looked at.

    Args:
        pid: its number.
        root: where the kernel shows processes.
    """
    folder = root / str(pid)
    try:
        status = (folder / "status").read_text(encoding="utf-8", errors="replace")
        descriptors = sum(1 for _ in (folder / "fd").iterdir())
    except OSError:
        return None
    counted = Usage(((Resource.DESCRIPTORS, descriptors),))
    return usage_in_status(status).with_more(counted)


def usage_in_status(text: str) -> Usage:
    """What /proc/PID/status tells: memory and threads.

    Args:
        text: of the file.
    """
    found = _figures(text)
    return Usage(
        tuple(
            (resource, found[key] * (_KIBI if resource.in_octets else 1))
            for key, resource in _OF_STATUS.items()
            if key in found
        )
    )


def usage_in_meminfo(text: str) -> Usage:
    """What /proc/meminfo tells: the memory that is not available, and the kernel's own.

    Args:
        text: of the file.
    """
    found = _figures(text)
    amounts = []
    if {"MemTotal", "MemAvailable"} <= found.keys():
        taken = found["MemTotal"] - found["MemAvailable"]
        amounts.append((Resource.MACHINE, taken * _KIBI))
    if "SUnreclaim" in found:
        own = sum(found.get(key, 0) for key in _KERNEL_OWN)
        amounts.append((Resource.KERNEL, own * _KIBI))
    return Usage(tuple(amounts))


def usage_in_resources(text: str) -> Usage:
    """What `rdma resource show` prints, of all links together.

    Args:
        text: lines such as `0: rxe0: pd 2 cq 2 qp 2 cm_id 1 mr 0 ctx 0 srq 0`.
    """
    sums: dict[Resource, int] = {}
    for line in text.splitlines():
        words = line.split()[2:]
        for name, figure in zip(words[::2], words[1::2], strict=False):
            if name in _OF_LINK and figure.isdigit():
                resource = _OF_LINK[name]
                sums[resource] = sums.get(resource, 0) + int(figure)
    return Usage(tuple(sums.items()))


def _figures(text: str) -> dict[str, int]:
    return {key: int(figure) for key, figure in _LINE.findall(text)}
