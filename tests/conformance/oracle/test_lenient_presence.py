"""Headers as a lenient decoder sees them (D-33)."""

from __future__ import annotations

from conformance.oracle.lenient_presence import with_lenient_presence
from rpcrdma.wire import decode_header
from tests.conformance.oracle.oracle_fakes import chunk, msg, nomsg

GOOD = msg(writes=(chunk(8),))


def test_good_header_stays_as_it_is() -> None:
    assert with_lenient_presence(GOOD) == GOOD


def test_every_word_but_zero_is_taken_for_present() -> None:
    spoilt = GOOD[:20] + (7).to_bytes(4) + GOOD[24:]

    assert with_lenient_presence(spoilt) == GOOD
    assert decode_header(GOOD)[0] == decode_header(with_lenient_presence(spoilt) or b"")[0]


def test_header_that_is_wrong_otherwise_is_not_mended() -> None:
    assert with_lenient_presence(GOOD[:30]) is None
    assert with_lenient_presence(nomsg()[:20] + (2).to_bytes(4)) is None
