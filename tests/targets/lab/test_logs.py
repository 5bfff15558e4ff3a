"""Logs outlive the folder that they were written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from targets.lab.logs import SERVER_LOG, keep_logs

if TYPE_CHECKING:
    from pathlib import Path


def test_logs_of_one_guest_after_the_other_are_in_one_file(tmp_path: Path) -> None:
    log = tmp_path / SERVER_LOG
    for words in ("one\n", "two\n"):
        log.write_text(words)
        keep_logs((log,), tmp_path / "out" / "lab")
    assert (tmp_path / "out" / "lab" / SERVER_LOG).read_text() == "one\ntwo\n"


def test_where_nothing_was_said_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    keep_logs((tmp_path / "empty.log", tmp_path / "missing.log"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
