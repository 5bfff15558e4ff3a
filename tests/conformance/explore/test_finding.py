"""One file format for whatever was found, and bare octets beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.explore.finding import FORMAT_VERSION, Finding, keep, load
from conformance.explore.recipes import Shot, Step

if TYPE_CHECKING:
    from pathlib import Path

OF_OCTETS = Finding("v1-header", broken=("round-trip",), detail="differs", octets=b"\xff\x00{")
OF_SHOTS = Finding("calls", "reference", 5, ("a.b",), "seen", shots=(Shot("fetch", 7),))
OF_STEPS = Finding("exchanges", "reference", 5, ("a.b",), "seen", steps=(Step("wait"),))


@pytest.mark.parametrize("finding", [OF_OCTETS, OF_SHOTS, OF_STEPS], ids=lambda item: item.way)
def test_kept_finding_is_loaded_again_whoever_found_it(tmp_path: Path, finding: Finding) -> None:
    path = keep(tmp_path, finding)

    assert load(path) == finding
    assert path.name.startswith(f"{finding.way}-")


def test_what_a_device_said_is_text_and_the_sequence_stays(tmp_path: Path) -> None:
    said = "\x1b[2Jnothing wrong\u202e"
    shot = Shot("fetch\x1b", 7)
    path = keep(tmp_path, Finding("calls", broken=("a.b",), detail=said, shots=(shot,)))
    loaded = load(path)

    assert loaded.detail == "\\x1b[2Jnothing wrong\\u202e"
    assert loaded.shots == (shot,)


def test_same_sequence_is_kept_in_the_same_file(tmp_path: Path) -> None:
    twice = [Finding("v1-header", broken=("a",), detail=str(n), octets=b"\1") for n in (1, 2)]
    other = Finding("v1-header", broken=("a",), octets=b"\2")

    assert len({keep(tmp_path, finding) for finding in twice}) == 1
    assert keep(tmp_path, other) != keep(tmp_path, twice[0])


@pytest.mark.parametrize("octets", [b"", b"\xff", b"{", b"{}", b"[1]", b'{"no": 1}'])
def test_bare_octets_are_an_input_of_which_nobody_knows(tmp_path: Path, octets: bytes) -> None:
    (tmp_path / "crash").write_bytes(octets)

    assert load(tmp_path / "crash") == Finding("", octets=octets)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'{{"format": {FORMAT_VERSION}}}', "is no kept finding"),
        ('{"format": 1, "way": "calls"}', "has format 1, not 2"),
    ],
)
def test_record_of_another_kind_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "file").write_text(text)

    with pytest.raises(BadInput, match=words):
        load(tmp_path / "file")


def test_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        load(tmp_path)
