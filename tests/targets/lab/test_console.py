"""What is found in a console's log."""

from __future__ import annotations

import pytest

from targets.lab.console import ConsoleFault, Severity, find_faults


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("[   12.345678] Kernel panic - not syncing: Fatal exception", Severity.PANIC),
        ("[   12.3] BUG: kernel NULL pointer dereference, address: 08", Severity.OOPS),
        ("[   12.3] BUG: KASAN: use-after-free in svc_rdma_sendto+0x1/0x2", Severity.OOPS),
        ("[   12.3] kernel BUG at net/sunrpc/svc_rdma_rw.c:123!", Severity.OOPS),
        ("[   12.3] Oops: 0002 [#1] PREEMPT SMP NOPTI", Severity.OOPS),
        ("[   1.3] general protection fault, for address 0xdead: 0000 [#1]", Severity.OOPS),
        ("[  242.1][   T12] INFO: task nfsd:4 blocked for more than 120 s", Severity.STALL),
        ("[   40.0] watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [nfsd:412]", Severity.STALL),
        ("<4>[    9.1] WARNING: CPU: 0 PID: 88 at drivers/rxe_comp.c:1", Severity.WARNING),
    ],
)  # fmt: skip
def test_a_complaint_of_the_kernel_is_found(line: str, severity: Severity) -> None:
    faults = find_faults(["[    0.0] Linux version 6.1.0", line])
    assert [(fault.severity, fault.line) for fault in faults] == [(severity, 2)]


def test_the_text_comes_without_the_time_stamp() -> None:
    faults = find_faults(["[    1.5] Kernel panic - not syncing: VFS: Unable to mount"])
    text = "Kernel panic - not syncing: VFS: Unable to mount"
    assert faults == (ConsoleFault(Severity.PANIC, 1, text),)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[   14.15] dummy0 speed is unknown, defaulting to 1000",
        "[    2.09] Unstable clock detected, switching default tracing clock",
        "qemu-system-x86_64: terminating on signal 15",
        "the user printed: Kernel panic - not syncing: not really",
    ],
)
def test_other_lines_are_not_complaints(line: str) -> None:
    assert find_faults([line]) == ()
