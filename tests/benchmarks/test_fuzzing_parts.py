from __future__ import annotations

from typing import TYPE_CHECKING

import fuzzing_parts
import pytest

from fuzz.registry import find_harness
from fuzz.responder_executor import good_call
from fuzz.sequence import join
from rpcrdma.endpoint.core.connection import Endpoint

if TYPE_CHECKING:
    from pathlib import Path


def test_an_input_that_was_cut_short_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "inputs"
    path.write_bytes(b"\0\0\0\2ab" + bytes(4) + b"\0\0\0\3cde" + b"\0\0\0\4f")

    assert fuzzing_parts.read(path) == [b"ab", b"", b"cde"]


@pytest.mark.parametrize("harness", ["v1-responder", "v1-requester"])
def test_the_parts_are_those_of_the_inputs_after_the_first(harness: str) -> None:
    inputs = [join([good_call(number) for number in range(1, many)]) for many in (9, 3, 2)]
    handle = Endpoint.handle

    parts = fuzzing_parts.measure(find_harness(harness), inputs, 1)

    assert (parts.inputs, parts.messages) == (2, 3)
    assert parts.judged > 0
    assert parts.alone > 0
    assert Endpoint.handle is handle
