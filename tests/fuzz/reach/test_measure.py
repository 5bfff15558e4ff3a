"""Corpora under coverage.py: what an input reaches is told, and what judges it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from fuzz.reach.branches import modules
from fuzz.reach.measure import measure, measure_each, own_corpora
from fuzz.registry import find_harness

if TYPE_CHECKING:
    from pathlib import Path

GOOD = bytes.fromhex("00000007 00000001 00000001 00000000 00000000 00000000 00000000")
ERROR = bytes.fromhex("00000007 00000001 00000001 00000004 00000002")


def test_each_harness_with_a_corpus_of_its_own_is_measured() -> None:
    assert {"v1-header", "v2-responder"} <= set(own_corpora())
    assert not any(find_harness(name).corpus for name in own_corpora())


@pytest.mark.long
def test_branches_are_counted_of_all_modules(tmp_path: Path) -> None:
    (tmp_path / "error").write_bytes(ERROR)

    reached = {module.name: module for module in modules(measure({"v1-header": tmp_path}))}

    codec, driver = reached["wire._generated_rfc8166"], reached["endpoint.core.driver"]
    assert 0 < codec.taken < codec.branches
    # No input of this harness comes there, and it is not forgotten for that.
    assert (driver.taken, len(driver.unreached)) == (0, driver.branches)
    assert driver.branches > 0


def test_each_input_has_branches_of_its_own(tmp_path: Path) -> None:
    for name, octets in (("good", GOOD), ("error", ERROR)):
        (tmp_path / name).write_bytes(octets)

    each = measure_each({"v1-header": tmp_path})

    good, error = (each[str(tmp_path / name)] for name in ("good", "error"))
    assert good - error
    assert error - good


def test_what_does_not_end_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzz.reach.measure._LIMIT_S", 0.01)
    with pytest.raises(BadInput, match=r"^the corpora are not measured within 0.01 s"):
        measure({"v1-header": tmp_path})


def test_what_cannot_be_measured_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^the corpora cannot be measured: .*no-such"):
        measure({"v1-header": tmp_path / "no-such"})
