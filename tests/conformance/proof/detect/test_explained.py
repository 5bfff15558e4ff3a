"""The explanations: what an entry needs, and which are of code that is no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.bad_input import BadInput
from conformance.proof.detect.explained import Explanation, WhyMissed, read_explained, stale

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = """
[0123456789ab]
fault = "m:1:0:compare:0 `a < b` becomes `a <= b`"
kind = "equivalent"
why = "They are never the same."
"""


def test_an_entry_is_read(tmp_path: Path) -> None:
    path = tmp_path / "explained.toml"
    path.write_text(ENTRY)

    found = read_explained(path)["0123456789ab"]

    assert found.kind is WhyMissed.EQUIVALENT
    assert found.why == "They are never the same."


def test_there_may_be_no_file(tmp_path: Path) -> None:
    assert read_explained(tmp_path / "none.toml") == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kind = "equivalent"', 'kind = "harmless"'),
        ('kind = "equivalent"', ""),
        ('why = "They are never the same."', ""),
        ("[0123456789ab]", "[0123456789ab"),
    ],
)
def test_an_entry_that_says_too_little_is_refused(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "explained.toml"
    path.write_text(ENTRY.replace(old, new))

    with pytest.raises(BadInput, match=r"explained\.toml"):
        read_explained(path)


def test_an_explanation_of_what_is_no_more_is_stale() -> None:
    one, other = (Explanation(name, name, WhyMissed.LAWFUL, "so") for name in ("one", "other"))

    assert stale({"one": one, "other": other}, ["other", "third"]) == (one,)


def test_the_explanations_that_are_kept_are_in_form() -> None:
    assert all(one.why.endswith(".") for one in read_explained().values())
