"""The suite asks about the server that the guest has started, and has it started again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.lab.kept import KEPT, KeptServer, keeping, kept_server
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from pathlib import Path


class Fake:
    """A server that is asked."""

    def __init__(self) -> None:
        self.end = ""
        self.starts = 1

    def alive(self) -> str:
        return self.end

    def usage(self) -> Usage:
        return Usage(((Resource.MACHINE, 1), (Resource.PINNED, 2 * self.starts)))

    def restart(self) -> None:
        if self.starts == 2:
            raise LabError("starting it", "no memory", "give it more")
        self.starts += 1
        self.end = ""


def test_a_server_is_asked_for_and_started_again(tmp_path: Path) -> None:
    fake = Fake()
    with keeping(fake, tmp_path / "socket", 5.0):  # type: ignore[arg-type]
        kept = kept_server()
        assert kept is not None
        assert kept.alive() == ""
        assert kept.usage() == Usage(((Resource.PINNED, 2),))
        fake.end = "the server was ended by SIGKILL; it said last: oh"
        assert kept.alive() == fake.end
        kept.restart()
        assert (kept.alive(), fake.starts) == ("", 2)
        with pytest.raises(LabError, match="starting it: no memory; give it more"):
            kept.restart()
    assert kept_server() is None


def test_where_no_server_was_started_there_is_none_to_ask(tmp_path: Path) -> None:
    with keeping(None, tmp_path / "socket", 5.0):
        assert KEPT not in os.environ
        assert kept_server() is None


def test_a_guest_that_does_not_answer_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"asking for the server in the guest: .*No such file"):
        KeptServer(str(tmp_path / "socket"), 5.0).alive()
    assert KeptServer(str(tmp_path / "socket"), 5.0).usage() is None
