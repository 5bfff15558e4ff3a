"""What of a Call is more than a device claims to bear."""

from __future__ import annotations

import pytest

from conformance.oracle.limits import UNLIMITED, Limits
from rpcrdma.wire import Body, RdmaDone, RdmaMsg, RdmaNomsg
from tests.conformance.oracle.oracle_fakes import chunk, reading

LIMITS = Limits(segments=2, read_chunks=1, write_chunks=1)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (RdmaMsg((reading(4, 1, 1), reading(4, 1, 1)), (chunk(1, 1),), chunk(1, 1)), ""),
        (RdmaNomsg((reading(0, 1, 1), reading(4, 1, 1)), (), None), ""),
        (RdmaMsg((), (chunk(1, 1, 1),), None), "3 segments, and it claims 2"),
        (RdmaMsg((), (), chunk(1, 1, 1)), "3 segments, and it claims 2"),
        (RdmaMsg((reading(4, 1, 1), reading(8, 1, 1)), (), None), "2 Read chunks, and it claims 1"),
        (RdmaMsg((), (chunk(1), chunk(1)), None), "2 Write chunks, and it claims 1"),
        (RdmaDone(), ""),
    ],
)
def test_more_than_is_claimed_is_said_in_words(body: Body, words: str) -> None:
    assert LIMITS.exceeded(body) == words
    assert UNLIMITED.exceeded(body) == ""
