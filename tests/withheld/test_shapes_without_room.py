"""A Call of a shape whose room is too small, against a server that cuts what does not fit."""

from __future__ import annotations

import pytest

from conformance import verify
from conformance.tester.case import Deviation
from conformance.tester.client.shape_rows import SHAPES
from tests.conformance.verify.test_shapes import connected


def test_who_cuts_results_is_found_out() -> None:
    short = next(one for one in SHAPES if one.writes == "short")
    with connected("mutant:cuts-results-to-fit") as peer, pytest.raises(Deviation) as caught:
        verify.shapes.shaped(peer, short)

    assert caught.value.breaks == (verify.shapes.ROOM,)
