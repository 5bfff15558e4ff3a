from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.finding import FORMAT_VERSION, Finding, keep, load, undeclared

if TYPE_CHECKING:
    from pathlib import Path


def test_kept_finding_loads_with_its_octets_and_manifest(tmp_path: Path) -> None:
    place = keep(tmp_path, "v1-header", b"\x01\x02", Finding("round-trip", "differs"))
    octets, manifest = load(place)
    assert octets == b"\x01\x02"
    assert manifest is not None
    assert (manifest.harness, manifest.invariant, manifest.size) == ("v1-header", "round-trip", 2)
    assert manifest.replay == f"rpcrdma replay {place}"


def test_same_input_is_kept_in_the_same_place(tmp_path: Path) -> None:
    places = {keep(tmp_path, "v1-header", b"\x01", Finding("a", str(n))) for n in range(3)}
    assert len(places) == 1


def test_bare_file_loads_without_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "crash").write_bytes(b"\xff")
    assert load(tmp_path / "crash") == (b"\xff", None)


def test_manifest_of_another_format_is_refused(tmp_path: Path) -> None:
    place = keep(tmp_path, "v1-header", b"", Finding("a", "b"))
    manifest = place / "manifest.json"
    text = manifest.read_text().replace(f'"format": {FORMAT_VERSION}', '"format": 99')
    manifest.write_text(text)
    with pytest.raises(BadInput, match="format 99, not 1"):
        load(place)


def test_garbled_manifest_is_refused_with_its_path(tmp_path: Path) -> None:
    place = keep(tmp_path, "v1-header", b"", Finding("a", "b"))
    (place / "manifest.json").write_text("{")
    with pytest.raises(BadInput, match=r"manifest\.json"):
        load(place)


def test_undeclared_exception_is_a_finding_that_names_it() -> None:
    finding = undeclared(IndexError("list index"))
    assert str(finding) == "undeclared-exception: IndexError: list index"
