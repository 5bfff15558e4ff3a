"""The results of variants as they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.proof.kept_results import write_kept
from conformance.proof.variants.results import (
    Judged,
    OfCode,
    Other,
    VariantResults,
    read_results,
)
from reports.record import Verdict

if TYPE_CHECKING:
    from pathlib import Path

CODE = OfCode("digest", "0123456789ab", 24, 1)
ONE = Judged("one", "roce", 3, 3)
LEFT_OPEN = Other("rfc8166/3/x", Verdict.PASS, Verdict.NA, "it grants one credit")
HELD = Other("rfc8166/3/y", Verdict.PASS, Verdict.WARN, "it is late")


def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "variants.jsonl"
    VariantResults(path, CODE).add(ONE)
    with path.open("ab") as file:
        file.write(b'{"type":"judged","vari')  # the run was ended here

    again = VariantResults(path, OfCode("digest", "another", 24, 1))
    again.add(Judged("one", "verbs", 2, 2))

    assert again.done["roce", "one"] == ONE
    assert again.head == CODE
    assert [one.fabric for one in read_results(path)[1]] == ["roce", "verbs"]


@pytest.mark.parametrize("code", [OfCode("other", "", 24, 1), OfCode("digest", "", 25, 1)])
def test_results_of_something_else_are_left_alone(tmp_path: Path, code: OfCode) -> None:
    path = tmp_path / "variants.jsonl"
    write_kept(path, CODE, [ONE])

    with pytest.raises(BadInput, match="of other code or of another sample"):
        VariantResults(path, code)


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "variants.jsonl"
    path.write_text("nothing")

    with pytest.raises(BadInput, match="is no file of variants"):
        read_results(path)


def test_what_is_left_open_is_clean_and_what_is_held_is_not() -> None:
    assert Judged("one", "roce", 3, 2, unlike_reference=(LEFT_OPEN,)).is_clean
    held = Judged("one", "roce", 3, 2, unlike_reference=(LEFT_OPEN, HELD))
    assert held.held == (HELD,)
    assert not held.is_clean
    assert not Judged("one", "roce", 3, 2, unlike_loopback=(LEFT_OPEN,)).is_clean
    assert not Judged("one", "roce", 3, 3, problem="the guest died").is_clean
