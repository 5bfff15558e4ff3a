"""A step names what failed and what to do."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from targets.lab import step
from targets.lab.errors import LabError
from targets.lab.step import await_step, last_words, run_step, write_step


def test_output_is_returned() -> None:
    assert run_step("copying", ["cat"], text="hello\n") == "hello\n"


def test_a_failure_names_step_program_status_last_words_and_remedy() -> None:
    with pytest.raises(LabError) as raised:
        run_step("trying", ["sh", "-c", "echo first >&2; echo no device >&2; exit 4"], "plug it in")
    assert str(raised.value) == "trying: sh ended with 4: first / no device; plug it in"


def test_only_the_last_lines_of_much_output_are_shown() -> None:
    output = "".join(f"\n  line {number} \n" for number in range(9))
    assert last_words(output) == "line 4 / line 5 / line 6 / line 7 / line 8"
    assert last_words(" \n") == ""


def test_a_missing_program_is_named() -> None:
    with pytest.raises(LabError, match="trying: there is no program no-such-program; install it"):
        run_step("trying", ["no-such-program"], "install it")


def test_a_program_that_hangs_is_named_with_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "_DEADLINE_S", 0.2)
    with pytest.raises(LabError, match="trying: sleep 100 did not end within 0 s"):
        run_step("trying", ["sleep", "100"])


def test_a_file_is_written(tmp_path: Path) -> None:
    write_step("listening", tmp_path / "portlist", "rdma 20049")
    assert (tmp_path / "portlist").read_text() == "rdma 20049"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        LabError, match=r"listening: .*/none/portlist: No such file or directory; x"
    ):
        write_step("listening", tmp_path / "none" / "portlist", "rdma 20049", "x")


def test_what_a_file_says_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "v4_end_grace"
    file.write_text("N\n")
    later = threading.Timer(0.1, file.write_text, ["Y\n"])
    later.start()
    await_step("ending", file, "Y")
    assert file.read_text() == "Y\n"
    later.join()


def test_a_file_that_does_not_say_it_in_time_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "_DEADLINE_S", 0.1)
    (tmp_path / "v4_end_grace").write_text("N\n")
    with pytest.raises(LabError, match=r"ending: .*/v4_end_grace says 'N', not 'Y', for 0\.1 s"):
        await_step("ending", tmp_path / "v4_end_grace", "Y")
    with pytest.raises(LabError, match=r"ending: .*/none: No such file or directory; x"):
        await_step("ending", tmp_path / "none", "Y", "x")


def test_a_kernel_that_is_busy_is_an_error_unless_what_follows_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: Path, _text: str, **_options: str) -> int:
        raise OSError(refusal, os.strerror(refusal))

    monkeypatch.setattr(Path, "write_text", refuse)
    refusal = errno.EBUSY
    write_step("ending grace", tmp_path / "file", "Y", may_be_busy=True)
    with pytest.raises(LabError, match=r"ending grace: .*: Device or resource busy"):
        write_step("ending grace", tmp_path / "file", "Y")
    refusal = errno.EPERM
    with pytest.raises(LabError, match="Operation not permitted"):
        write_step("ending grace", tmp_path / "file", "Y", may_be_busy=True)
