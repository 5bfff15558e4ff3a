"""Which version a QEMU says that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from targets.lab.qemu import LEAST_VERSION, qemu_version

if TYPE_CHECKING:
    from pathlib import Path

DEBIAN = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)"


@pytest.mark.parametrize(
    ("said", "version", "is_enough"),
    [
        (DEBIAN, (7, 2, 22), True),
        ("QEMU emulator version 7.2", (7, 2), True),
        ("QEMU emulator version 5.2.0", (5, 2, 0), False),
        ("QEMU emulator version 10.0.2", (10, 0, 2), True),
    ],
)
def test_version_is_in_the_commands_own_words(
    tmp_path: Path, said: str, version: tuple[int, ...], is_enough: bool
) -> None:
    command = tmp_path / "qemu"
    command.write_text(f"#!/bin/sh\necho '{said}'\necho 'Copyright (c) 2003-2022'\n")
    command.chmod(0o755)
    told = qemu_version(command)

    assert told == version
    assert (told >= LEAST_VERSION) is is_enough


def test_what_is_no_qemu_has_no_version(tmp_path: Path) -> None:
    command = tmp_path / "qemu"
    assert qemu_version(command) is None
    command.write_text("#!/bin/sh\necho something\n")
    command.chmod(0o755)
    assert qemu_version(command) is None
