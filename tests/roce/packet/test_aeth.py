"""Syndromes and the codes of times."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rpcrdma.roce.packet import aeth
from rpcrdma.roce.packet.aeth import MOST_CODE, NakCode, SyndromeKind, read_syndrome

CODES = range(MOST_CODE + 1)


def test_every_octet_is_a_syndrome_of_one_kind() -> None:
    kinds = {octet: read_syndrome(octet) for octet in range(0x100)}

    assert [kinds[octet] for octet in range(32)] == [(SyndromeKind.ACK, n) for n in CODES]
    assert [kinds[32 + n] for n in CODES] == [(SyndromeKind.RNR_NAK, n) for n in CODES]
    assert [kinds[96 + n] for n in CODES] == [(SyndromeKind.NAK, n) for n in CODES]
    assert {kinds[octet][0] for octet in (*range(64, 96), *range(128, 256))} == {
        SyndromeKind.RESERVED
    }


@pytest.mark.parametrize("code", list(NakCode))
def test_a_nak_is_read_as_one(code: NakCode) -> None:
    assert read_syndrome(code) == (SyndromeKind.NAK, code & MOST_CODE)


def test_an_acknowledgement_gives_no_credits_unless_told() -> None:
    assert aeth.acknowledged() == 0x1F
    assert aeth.acknowledged(3) == 3


@pytest.mark.parametrize("code", CODES)
def test_rnr_naks_and_timers_go_there_and_back(code: int) -> None:
    assert read_syndrome(aeth.rnr_nak(code)) == (SyndromeKind.RNR_NAK, code)
    assert aeth.rnr_timer_code(aeth.rnr_timer_seconds(code)) == code


@pytest.mark.parametrize(
    ("code", "seconds"), [(0, 0.65536), (1, 1e-5), (14, 1.28e-3), (18, 5.12e-3), (31, 0.49152)]
)
def test_rnr_timers_are_those_of_the_table(code: int, seconds: float) -> None:
    assert aeth.rnr_timer_seconds(code) == pytest.approx(seconds)


def test_rnr_timers_ascend_by_a_third_to_double() -> None:
    """A slip in a table of 32 numbers shows: each is 4/3, 3/2 or twice the one before."""
    ascending = [aeth.rnr_timer_seconds(code) for code in (*range(1, 32), 0)]

    steps = {round(after / before, 3) for before, after in pairwise(ascending)}

    assert steps == {2.0, 1.5, 1.333}


@given(st.floats(0, 10_000))
def test_a_code_is_of_the_shortest_time_that_suffices(seconds: float) -> None:
    code = aeth.timeout_code(seconds)

    assert aeth.timeout_seconds(code) >= seconds or code == MOST_CODE
    assert code == 0 or aeth.timeout_seconds(code - 1) < seconds


@given(st.floats(0, 1))
def test_an_rnr_code_is_of_the_shortest_time_that_suffices(seconds: float) -> None:
    code = aeth.rnr_timer_code(seconds)
    time = aeth.rnr_timer_seconds(code)

    assert time >= seconds or code == 0
    shorter = [n for n in CODES if aeth.rnr_timer_seconds(n) < time]
    assert all(aeth.rnr_timer_seconds(n) < seconds for n in shorter)


def test_ack_timeout_zero_is_never() -> None:
    assert aeth.ack_timeout_seconds(0) == 0
    assert aeth.ack_timeout_code(0) == 0
    assert aeth.ack_timeout_code(1e-9) == 1
    assert aeth.ack_timeout_seconds(15) == pytest.approx(0.134, abs=1e-3)
    assert [aeth.ack_timeout_code(aeth.ack_timeout_seconds(n)) for n in CODES] == list(CODES)
