"""A difference between a case and the oracle finds the reason that the case gives for it."""

from __future__ import annotations

import pytest

from conformance.proof.difference import Difference, DifferenceKind


@pytest.mark.parametrize(
    ("side", "reason"),
    [
        (DifferenceKind.WIDER, "more"),
        (DifferenceKind.MILDER, "more"),
        (DifferenceKind.NARROWER, "less"),
        (DifferenceKind.STRICTER, "less"),
    ],
)
def test_a_reason_is_about_one_side(side: DifferenceKind, reason: str) -> None:
    found = Difference("rfc8166/1/a", "a message", side, ("silence",), "silence", "ERR_CHUNK")

    assert found.reason("more", "less") == reason
    assert found.reason("", "") == ""
