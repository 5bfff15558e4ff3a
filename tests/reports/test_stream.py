from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from reports.record import FORMAT_VERSION
from reports.stream import RunFileError, RunWriter, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reports.record import RunRecord

OWN_FORMAT = f'"format":{FORMAT_VERSION}'.encode()


def written(run: RunRecord, path: Path, *, finished: bool = True) -> Path:
    with RunWriter(path, run.header) as writer:
        for case in run.cases:
            writer.add(case)
        if finished:
            writer.finish(run.footer.duration)
    return path


def test_a_run_is_read_as_it_was_written(run: RunRecord, tmp_path: Path) -> None:
    assert read_run(written(run, tmp_path / "run")) == run


def test_what_the_run_as_a_whole_tells_is_in_its_footer(run: RunRecord, tmp_path: Path) -> None:
    path = tmp_path / "run"
    with RunWriter(path, msgspec.structs.replace(run.header, planned=())) as writer:
        writer.finish(1.0, notes=("It leaks.",))

    footer = read_run(path).footer
    assert footer is not None
    assert (footer.complete, footer.notes) == (True, ("It leaks.",))


def test_what_a_device_sent_is_text_on_disk_and_when_it_is_read(
    run: RunRecord, tmp_path: Path
) -> None:
    sent = msgspec.structs.replace(run.cases[0], reason="\x1b[31m\ud800")
    path = tmp_path / "run"
    with RunWriter(path, run.header) as writer:
        writer.add(sent)

    assert b"\\\\x1b[31m\\\\ud800" in path.read_bytes()
    assert read_run(path).cases[0].reason == "\\x1b[31m\\ud800"

    path.write_bytes(path.read_bytes().replace(b"\\\\x1b", b"\\u001b"))
    assert read_run(path).cases[0].reason == "\\x1b[31m\\ud800"


def test_a_run_without_footer_was_cut_short(run: RunRecord, tmp_path: Path) -> None:
    assert read_run(written(run, tmp_path / "run", finished=False)).footer is None


def test_half_a_last_line_is_ignored_because_the_run_was_cut_short(
    run: RunRecord, tmp_path: Path
) -> None:
    path = written(run, tmp_path / "run", finished=False)
    path.write_bytes(path.read_bytes() + b'{"type":"case","id":"ha')

    assert read_run(path).cases == run.cases


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda lines: lines[1:], "line 1 is not the header"),
        (lambda lines: [lines[0].replace(OWN_FORMAT, b'"format":9'), *lines[1:]], "format 9"),
        (lambda lines: [*lines[:2], *lines[1:]], "was recorded twice"),
        (lambda lines: [*lines[:1], *lines[2:]], "the footer counts 6 cases, not 5"),
        (lambda lines: [lines[0], *lines], "stands between the cases"),
        (lambda lines: [lines[0], b"nonsense", *lines[1:]], "line 2"),
    ],
)
def test_anything_else_is_refused(
    run: RunRecord, tmp_path: Path, spoil: Callable[[list[bytes]], list[bytes]], problem: str
) -> None:
    path = written(run, tmp_path / "run")
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join(spoil(lines)) + b"\n")

    with pytest.raises(RunFileError, match=problem):
        read_run(path)


def test_a_run_of_before_there_were_notes_is_read(run: RunRecord, tmp_path: Path) -> None:
    path = written(run, tmp_path / "run")
    octets = path.read_bytes()
    assert b'"notes":[]' in octets
    path.write_bytes(octets.replace(b'"notes":[],', b""))

    assert read_run(path) == run
