"""Files that are surely no message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.cli.main import main
from fuzz.bare_octets import refuse_other_files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        (b"", "is empty"),
        (b"\x0a\x0d\x0d\x0a" + bytes(24), "is a capture"),
        (b"\xd4\xc3\xb2\xa1" + bytes(20), "is a capture"),
        (b'{"time": 1.5, "data": "00"}\n', "is text"),
        ("# Prüfung\n\nof a device\n".encode(), "is text"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, octets: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        refuse_other_files(tmp_path / "file", octets)


@pytest.mark.parametrize(
    "octets",
    [bytes(4), b"abcd", b"abcdefghijkl" + bytes(8), b"\xff" * 40, b"abcdefghijklmnopqrstuvwxyz\0"],
)
def test_what_may_be_a_message_is_not(tmp_path: Path, octets: bytes) -> None:
    refuse_other_files(tmp_path / "file", octets)


def test_replay_says_what_a_file_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("What somebody wrote about it.\n", encoding="utf-8")
    assert main(["replay", str(readme)]) == 2
    assert "README.md is text" in capsys.readouterr().err
    assert main(["replay", str(readme), "--harness", "v1-header"]) == 0
