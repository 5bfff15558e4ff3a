"""Several testers of one server in a guest that is none."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from targets.base import HasConsole
from targets.guest_share import GuestServerShare
from targets.registry import find_profile
from targets.shared import DeviceLost
from targets.standing.machine import MachineFiles


@dataclass
class FakeGuest:
    """Lives, or has died."""

    files: MachineFiles
    death: str | None = None

    def alive(self) -> str | None:
        return self.death

    def log(self) -> str:
        return "BUG: in the kernel"


def test_each_tester_has_a_link_an_address_and_room_to_write() -> None:
    """Both links are open at one time."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as open_ones:
        guest = FakeGuest(MachineFiles(Path(folder)))
        profile = find_profile("linux-server")
        for tester, address in ((1, "10.9.0.1"), (2, "10.9.1.1")):
            share = GuestServerShare(profile, guest, tester)  # type: ignore[arg-type]  # all it uses
            session = share.start()
            open_ones.callback(session.close)
            assert str(session.address) == f"{address}:20049"
            assert share.profile.extra.write_offset == (tester - 1) << 20
        assert sorted(path.name for path in guest.files.tester_sockets()) == [
            "tester-1",
            "tester-2",
        ]


def test_a_server_that_others_use_is_not_started_again() -> None:
    """But its death is told, and with which words."""
    with tempfile.TemporaryDirectory() as folder:
        guest = FakeGuest(MachineFiles(Path(folder)))
        share = GuestServerShare(find_profile("linux-server"), guest, 1)  # type: ignore[arg-type]
        session = share.start()
        with pytest.raises(DeviceLost):
            session.restart()
        guest.death = "panic in the kernel"
        assert session.alive() == "panic in the kernel"
        assert isinstance(session, HasConsole)
        assert session.console() == "BUG: in the kernel"
        session.close()
