"""The kernel's decoders of headers agree with ours, on a part of the fuzzer's corpus."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from fuzz.cli_kernel_decoder import compare_in_lab
from fuzz.differential.by_client import BothSayOfReply
from fuzz.differential.by_kernel import BothSay
from fuzz.differential.inputs import mutated
from fuzz.differential.kernel_sides import SIDES
from fuzz.registry import corpus_of

if TYPE_CHECKING:
    from enum import Enum


@pytest.mark.parametrize(
    ("role", "least"),
    [
        ("server", {BothSay.ALIKE: 15, BothSay.REFUSED: 5}),
        (
            "client",
            {BothSayOfReply.ALIKE: 15, BothSayOfReply.REFUSED: 5, BothSayOfReply.UNASKED: 5},
        ),
    ],
    ids=("server", "client"),
)
def test_the_kernel_takes_and_refuses_the_headers_that_we_do(
    role: str, least: dict[Enum, int]
) -> None:
    headers = [path.read_bytes() for path in sorted(corpus_of("v1-header").iterdir())[::12]]
    side = SIDES[role]

    found = compare_in_lab(side.inputs(dict.fromkeys(mutated(headers, 1, 1))), side)

    assert [one for one in found if one.disagreement] == []
    counts = Counter(one.kind for one in found)
    assert {kind for kind, count in least.items() if counts[kind] <= count} == set()
