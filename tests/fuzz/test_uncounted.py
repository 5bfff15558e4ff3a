from __future__ import annotations

import pytest

from fuzz.uncounted import COUNTERS, uncounted


def test_what_is_uncounted_leaves_no_trace() -> None:
    first, later = bytearray(3), bytearray(2)
    COUNTERS.append(first)
    try:
        first[0] = 4

        def count(step: int, *, fails: bool) -> str:
            first[0] += step
            COUNTERS.append(later)  # blocks that nothing has reached before
            later[1] = 1
            if fails:
                raise KeyError("no")
            return "done"

        assert uncounted(count, 2, fails=False) == "done"
        assert (first, later) == (b"\4\0\0", b"\0\0")
        with pytest.raises(KeyError):
            uncounted(count, 2, fails=True)
        assert (first, later) == (b"\4\0\0", b"\0\0")
    finally:
        COUNTERS.clear()
