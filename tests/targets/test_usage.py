"""What a device holds, from the kernel's files as they were recorded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from targets.usage import (
    HasUsage,
    Resource,
    Usage,
    usage_in_meminfo,
    usage_in_resources,
    usage_in_status,
    usage_of_process,
)

if TYPE_CHECKING:
    from pathlib import Path

STATUS = """\
Name:\tganesha.nfsd
State:\tS (sleeping)
VmPeak:\t 2201152 kB
VmLck:\t      64 kB
VmPin:\t   65536 kB
VmRSS:\t  143360 kB
Threads:\t27
SigQ:\t0/7824
Cpus_allowed_list:\t0-1
"""

MEMINFO = """\
MemTotal:        2015000 kB
MemFree:         1700000 kB
MemAvailable:    1815000 kB
Active(anon):       1024 kB
SUnreclaim:        30000 kB
KernelStack:        1500 kB
PageTables:          500 kB
Percpu:             1000 kB
HugePages_Total:       0
"""

RESOURCES = """\
0: rxe0: pd 3 cq 5 qp 3 cm_id 4 mr 18 ctx 0 srq 0
1: rxe1: pd 1 cq 1 qp 1 cm_id 0 mr 2
"""


def test_status_tells_of_memory_and_threads() -> None:
    usage = usage_in_status(STATUS)

    assert dict(usage.amounts) == {
        Resource.RESIDENT: 143360 * 1024,
        Resource.PINNED: 65536 * 1024,
        Resource.LOCKED: 64 * 1024,
        Resource.THREADS: 27,
    }


def test_status_of_a_kernel_thread_tells_no_memory() -> None:
    assert usage_in_status("Name:\tnfsd\nThreads:\t1\n").amounts == ((Resource.THREADS, 1),)


def test_meminfo_tells_what_is_taken_and_what_is_the_kernels() -> None:
    usage = usage_in_meminfo(MEMINFO)

    assert usage.of(Resource.MACHINE) == 200000 * 1024
    assert usage.of(Resource.KERNEL) == 33000 * 1024


def test_meminfo_of_another_kind_tells_nothing() -> None:
    assert usage_in_meminfo("MemTotal: 5 kB\n") == Usage()


def test_resources_of_all_links_are_added_up() -> None:
    usage = usage_in_resources(RESOURCES)

    assert dict(usage.amounts) == {
        Resource.DOMAINS: 4,
        Resource.COMPLETION_QUEUES: 6,
        Resource.QUEUE_PAIRS: 4,
        Resource.IDENTIFIERS: 4,
        Resource.REGIONS: 20,
    }


def test_what_is_no_list_of_resources_tells_nothing() -> None:
    assert usage_in_resources("") == Usage()
    assert usage_in_resources("rdma: command not found\n0: rxe0: qp many\n") == Usage()


def test_process_of_ours_is_looked_at() -> None:
    usage = usage_of_process(os.getpid())

    assert usage is not None
    held = dict(usage.amounts)
    assert held[Resource.RESIDENT] > 1 << 20
    assert held[Resource.THREADS] >= 1
    assert held[Resource.DESCRIPTORS] >= 1


def test_descriptors_are_counted(tmp_path: Path) -> None:
    (tmp_path / "7" / "fd").mkdir(parents=True)
    (tmp_path / "7" / "status").write_text(STATUS)
    for number in range(3):
        (tmp_path / "7" / "fd" / str(number)).touch()

    usage = usage_of_process(7, tmp_path)

    assert usage is not None
    assert (usage.of(Resource.DESCRIPTORS), usage.of(Resource.THREADS)) == (3, 27)


def test_process_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    assert usage_of_process(7, tmp_path) is None


def test_of_two_usages_the_later_counts() -> None:
    first = Usage(((Resource.THREADS, 1), (Resource.LOCKED, 2)))
    both = first.with_more(Usage(((Resource.THREADS, 3),)))

    assert dict(both.amounts) == {Resource.THREADS: 3, Resource.LOCKED: 2}
    assert both.of(Resource.PINNED) is None


def test_a_session_may_be_unable_to_tell() -> None:
    assert not isinstance(object(), HasUsage)
