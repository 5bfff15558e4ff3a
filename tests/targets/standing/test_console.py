"""Deaths on a console that is written meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from targets.lab.console import Severity
from targets.standing.console import ConsoleLog

if TYPE_CHECKING:
    from pathlib import Path

WARNING = "[    7.1] WARNING: CPU: 0 PID: 7 at net/sunrpc/clnt.c:1\n"
OOPS = "[    8.2] BUG: kernel NULL pointer dereference, address: 0000000000000008\n"


def test_a_console_that_is_not_there_yet_tells_nothing(tmp_path: Path) -> None:
    assert ConsoleLog(tmp_path / "console.log").death() is None


def test_a_death_is_told_when_its_line_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "console.log"
    console = ConsoleLog(file)
    file.write_text(WARNING + OOPS[:20])
    assert console.death() is None
    file.write_text(WARNING + OOPS)
    assert console.death() == (
        "oops in the kernel: BUG: kernel NULL pointer dereference, address: 0000000000000008"
    )
    assert [(fault.severity, fault.line) for fault in console.faults()] == [
        (Severity.WARNING, 1),
        (Severity.OOPS, 2),
    ]
    console.close()


def test_what_was_printed_can_be_had_when_the_file_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "console.log"
    file.write_text(WARNING)
    console = ConsoleLog(file)
    assert console.text() == WARNING
    with file.open("a") as stream:
        stream.write(OOPS)
    file.unlink()
    assert console.text() == WARNING + OOPS
    console.close()
    console.close()
    assert console.text() == WARNING + OOPS
