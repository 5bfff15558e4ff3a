"""What a device holds: memory, queue pairs, registrations, descriptors, threads.

    usage = session.usage()      a session that can tell (`HasUsage`)

Where an adapter has started the device as a process, the kernel's files about the process tell.
Of a guest, its kernel's files about the machine do as well, and what `rdma resource show` lists
(`targets.lab.held`).  The reference in the tester's own process counts what it has asked its fabric
for.

    proc(5)                  /proc/PID/status, /proc/PID/fd, /proc/meminfo
    rdma-resource(8)         a line for each object, with the process that it belongs to

Reading is all that this does: what follows from the figures is for `conformance.tester.wear`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "HasUsage",
    "Resource",
    "Usage",
    "group_of",
    "usage_in_meminfo",
    "usage_in_objects",
    "usage_in_status",
    "usage_of_process",
    "usage_of_processes",
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

_OF_OBJECT: Final[Mapping[str, Resource]] = {
    "mrn": Resource.REGIONS,
    "lqpn": Resource.QUEUE_PAIRS,
    "cqn": Resource.COMPLETION_QUEUES,
    "pdn": Resource.DOMAINS,
    "cm-idn": Resource.IDENTIFIERS,
}
"""How a line calls the number of its object, after its link."""

_KERNEL_OWN: Final = ("SUnreclaim", "KernelStack", "PageTables", "Percpu")

_OWNER: Final = re.compile(r" pid (\d+)\b")

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

    def without(self, resource: Resource) -> Usage:
        """All but one resource."""
        return Usage(tuple(pair for pair in self.amounts if pair[0] is not resource))

    def record(self) -> dict[str, int]:
        """As JSON has it."""
        return {str(resource): amount for resource, amount in self.amounts}

    @classmethod
    def of_record(cls, record: Mapping[str, int]) -> Usage:
        """What `record` has made of one.

        Raises:
            ValueError: it names a resource that is none.
        """
        return cls(tuple((Resource(name), amount) for name, amount in record.items()))


@runtime_checkable
class HasUsage(Protocol):
    """A session, of either role, that can tell what its device holds."""

    def usage(self) -> Usage | None:
        """What the device that runs now holds; None if that cannot be told now."""
        ...


def usage_of(session: object) -> Usage | None:
    """What the device of a session, of either role, holds; None if that cannot be told."""
    return session.usage() if isinstance(session, HasUsage) else None


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


def usage_of_processes(numbers: Collection[int], root: Path = Path("/proc")) -> Usage | None:
    """What some processes hold together; None if there is none of them any more.

    Args:
        numbers: of the processes; one that has ended counts for nothing.
        root: where the kernel shows processes.
    """
    sums: dict[Resource, int] = {}
    for number in numbers:
        found = usage_of_process(number, root)
        for resource, amount in found.amounts if found else ():
            sums[resource] = sums.get(resource, 0) + amount
    return Usage(tuple(sums.items())) if sums else None


def group_of(process: int, root: Path = Path("/proc")) -> tuple[int, ...]:
    """The processes of a process's group, with itself: what a program has started, a shell's too.

    Args:
        process: its number.
        root: where the kernel shows processes.
    """
    groups = {
        int(folder.name): _group(folder) for folder in root.iterdir() if folder.name.isdigit()
    }
    own = groups.get(process, 0)
    return tuple(number for number, group in groups.items() if group == own) if own else ()


def _group(folder: Path) -> int:
    """The fifth field of proc(5)'s stat; 0 if there is no such process."""
    fields = stat_fields(folder)
    return int(fields[2]) if fields else 0


def stat_fields(folder: Path) -> list[str]:
    """What proc(5)'s stat has of a process from its third field on; nothing if there is none.

    The second one is a name in brackets, which may hold anything.

    Args:
        folder: in which the kernel shows the process.
    """
    try:
        return (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return []


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


def usage_in_objects(text: str, processes: Collection[int] = ()) -> Usage:
    """How many objects of RDMA devices belong to processes, in what `rdma resource show` lists.

    Args:
        text: lines such as `link rxe0/1 lqpn 17 type RC state RTS pid 99 comm server`, of every
            kind; a kind of which there is none in the text counts as none.
        processes: their numbers; none for the kernel, whose objects have none.
    """
    counts = dict.fromkeys(_OF_OBJECT.values(), 0)
    for line in text.splitlines():
        words = line.split()
        owner = _OWNER.search(line)
        wanted = int(owner[1]) in processes if owner else not processes
        if len(words) > 2 and words[2] in _OF_OBJECT and wanted:
            counts[_OF_OBJECT[words[2]]] += 1
    return Usage(tuple(counts.items()))


def _figures(text: str) -> dict[str, int]:
    return {key: int(figure) for key, figure in _LINE.findall(text)}
