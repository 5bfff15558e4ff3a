"""A Linux server's decoder of headers agrees with ours, on a part of the fuzzer's corpus."""

from __future__ import annotations

from collections import Counter

from fuzz.cli_kernel_decoder import compare_in_lab
from fuzz.differential.by_kernel import BothSay
from fuzz.differential.inputs import mutated
from fuzz.registry import corpus_of


def test_the_kernel_takes_and_refuses_the_headers_that_we_do() -> None:
    headers = [path.read_bytes() for path in sorted(corpus_of("v1-header").iterdir())[::8]]

    found = compare_in_lab(list(dict.fromkeys(mutated(headers, 1, 1))))

    assert [one for one in found if one.disagreement] == []
    counts = Counter(one.kind for one in found)
    assert counts[BothSay.ALIKE] > 30
    assert counts[BothSay.REFUSED] > 10
