"""What a device holds, from the kernel's files as they were recorded."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from targets.usage import (
    HasUsage,
    Resource,
    Usage,
    group_of,
    stat_fields,
    usage_in_meminfo,
    usage_in_objects,
    usage_in_status,
    usage_of,
    usage_of_process,
    usage_of_processes,
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

OBJECTS = """\
link rxe0/1 lqpn 1 type GSI state RTS sq-psn 0 comm [ib_core]
link rxe0/1 lqpn 17 rqpn 18 type RC state RTS rq-psn 5 sq-psn 6 pdn 2 pid 99 comm ganesha.nfsd
link rxe1/1 lqpn 17 rqpn 19 type RC state RTS rq-psn 5 sq-psn 6 pdn 2 pid 99 comm ganesha.nfsd
link rxe0/1 lqpn 18 rqpn 17 type RC state RTS rq-psn 5 sq-psn 6 pdn 3 pid 990 comm python3
dev rxe0 mrn 3 mrlen 4096 pdn 2 pid 99 comm ganesha.nfsd
dev rxe0 cqn 0 cqe 1023 users 2 poll-ctx UNBOUND_WORKQUEUE adaptive-moderation on comm [ib_core]
dev rxe0 cqn 1 cqe 128 users 2 adaptive-moderation off ctxn 0 pid 99 comm ganesha.nfsd
dev rxe0 pdn 0 local_dma_lkey 0x0 users 1 comm [ib_core]
link rxe0/1 cm-idn 0 state LISTEN ps TCP pid 99 comm ganesha.nfsd src-addr 10.9.0.1:20049
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


def test_objects_of_a_process_are_counted_on_all_links() -> None:
    assert dict(usage_in_objects(OBJECTS, (99,)).amounts) == {
        Resource.DOMAINS: 0,
        Resource.COMPLETION_QUEUES: 1,
        Resource.QUEUE_PAIRS: 2,
        Resource.IDENTIFIERS: 1,
        Resource.REGIONS: 1,
    }


def test_objects_of_several_processes_are_counted_together() -> None:
    assert usage_in_objects(OBJECTS, (99, 990)).of(Resource.QUEUE_PAIRS) == 3


def test_objects_without_a_process_are_the_kernels() -> None:
    assert dict(usage_in_objects(OBJECTS).amounts) == {
        Resource.DOMAINS: 1,
        Resource.COMPLETION_QUEUES: 1,
        Resource.QUEUE_PAIRS: 1,
        Resource.IDENTIFIERS: 0,
        Resource.REGIONS: 0,
    }


def test_what_is_no_list_of_objects_counts_none() -> None:
    found = usage_in_objects("\nrdma: command not found\n0: rxe0: qp 3\n")

    assert set(dict(found.amounts).values()) == {0}


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


def test_what_processes_hold_is_added_up_and_one_that_is_gone_is_passed_over(
    tmp_path: Path,
) -> None:
    for number in (7, 9):
        (tmp_path / str(number) / "fd").mkdir(parents=True)
        (tmp_path / str(number) / "status").write_text(STATUS)

    usage = usage_of_processes((7, 8, 9), tmp_path)

    assert usage is not None
    assert (usage.of(Resource.THREADS), usage.of(Resource.LOCKED)) == (54, 2 * 65536)
    assert usage_of_processes((8,), tmp_path) is None


def test_a_group_is_told_by_each_of_its_processes(tmp_path: Path) -> None:
    groups = {5: "5", 6: "5", 7: "7"}
    for number, group in groups.items():
        (tmp_path / str(number)).mkdir()
        text = f"{number} (a ) odd name) S 1 {group} {group} 0 -1"
        (tmp_path / str(number) / "stat").write_text(text)
    (tmp_path / "8").mkdir()  # it has ended meanwhile
    (tmp_path / "self").mkdir()

    assert sorted(group_of(6, tmp_path)) == sorted(group_of(5, tmp_path)) == [5, 6]
    assert group_of(7, tmp_path) == (7,)
    assert group_of(8, tmp_path) == group_of(9, tmp_path) == ()


def test_program_of_a_session_of_its_own_is_a_group_of_its_own() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as program:
        group = group_of(program.pid)
        program.kill()

    assert group == (program.pid,)


def test_process_that_is_gone_tells_nothing(tmp_path: Path) -> None:
    assert usage_of_process(7, tmp_path) is None


def test_of_two_usages_the_later_counts() -> None:
    first = Usage(((Resource.THREADS, 1), (Resource.LOCKED, 2)))
    both = first.with_more(Usage(((Resource.THREADS, 3),)))

    assert dict(both.amounts) == {Resource.THREADS: 3, Resource.LOCKED: 2}
    assert both.of(Resource.PINNED) is None


def test_a_record_of_usage_is_the_same_again() -> None:
    usage = Usage(((Resource.THREADS, 1), (Resource.MACHINE, 2)))

    assert usage.record() == {"threads": 1, "memory of the machine": 2}
    assert Usage.of_record(usage.record()) == usage
    with pytest.raises(ValueError, match="good will"):
        Usage.of_record({"good will": 3})


def test_a_resource_is_left_out() -> None:
    usage = Usage(((Resource.THREADS, 1), (Resource.MACHINE, 2)))

    assert usage.without(Resource.MACHINE).amounts == ((Resource.THREADS, 1),)


def test_a_session_may_be_unable_to_tell() -> None:
    assert not isinstance(object(), HasUsage)


def test_a_name_with_brackets_and_spaces_does_not_shift_the_fields(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("99 (a) Z (b) S 1 77 77 0 -1 4\n")
    assert stat_fields(tmp_path)[:3] == ["S", "1", "77"]
    assert stat_fields(tmp_path / "gone") == []


def test_a_session_that_cannot_tell_what_its_device_holds_tells_nothing() -> None:
    assert usage_of(object()) is None
