"""Pages that one case alone reads."""

from __future__ import annotations

from itertools import pairwise

from conformance.tester.workload import pages
from rpcrdma.ulp.file_tree import file_of_size

SIZE = file_of_size(1 << 20).size


def test_each_case_has_a_page_of_its_own() -> None:
    """None is taken twice, and none reaches into another or beyond the file."""
    taken = (pages.EMPTY_SEGMENT, *pages.TOO_SMALL, *pages.BEYOND_ROOM.values())
    starts = sorted(pages.start_of(page, SIZE) for page in taken)

    assert len(set(taken)) == len(taken)
    assert starts[-1] + 4096 == SIZE
    assert all(after - start == 4096 for start, after in pairwise(starts))
