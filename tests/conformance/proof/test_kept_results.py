"""Results are kept line by line, under a head."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from conformance.bad_input import BadInput
from conformance.proof.kept_results import line_of, read_kept, write_kept

if TYPE_CHECKING:
    from pathlib import Path


class Head(msgspec.Struct, tag="head"):
    seed: int


class Found(msgspec.Struct, tag="found"):
    name: str


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    write_kept(path, Head(7), [Found("a"), Found("b")])

    assert read_kept(path, "things", Head, Found) == (Head(7), (Found("a"), Found("b")))


def test_half_a_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_bytes(line_of(Head(7)) + line_of(Found("a")) + line_of(Found("b"))[:-3])

    assert read_kept(path, "things", Head, Found) == (Head(7), (Found("a"),))


@pytest.mark.parametrize("octets", [b"", b"{}\n", line_of(Found("a")), line_of(Head(7)) * 2])
def test_another_file_is_refused(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_bytes(octets)

    with pytest.raises(BadInput, match=r"kept\.jsonl is no file of things: "):
        read_kept(path, "things", Head, Found)
