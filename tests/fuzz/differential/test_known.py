from __future__ import annotations

from pathlib import Path

import pytest

import fuzz
from fuzz.differential.known import KNOWN, KnownDifference, render
from rpcrdma.errors import DecodeError, Reason

WORDS = bytes.fromhex("00000007 00000005 61ff0001 00000009")
REPAIRED = {
    "boolean": (4, "00000007 00000001 61ff0001 00000009"),
    "enumeration": (4, "00000007 00000000 61ff0001 00000009"),
    "padding": (9, "00000007 00000005 61000000 00000009"),
}


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_octets_become_those_that_c_takes_them_for(known: KnownDifference) -> None:
    place, repaired = REPAIRED[known.name]
    assert known.repair(WORDS, place) == bytes.fromhex(repaired)
    assert known.explains(WORDS, DecodeError(place, "", known.reason))
    assert not known.explains(WORDS, DecodeError(place, "", Reason.TRUNCATED))


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_octets_that_break_no_rule_or_end_there_are_not_explained(known: KnownDifference) -> None:
    place, repaired = REPAIRED[known.name]
    assert not known.explains(bytes.fromhex(repaired), DecodeError(place, "", known.reason))
    assert not known.explains(WORDS, DecodeError(len(WORDS), "", known.reason))


def test_a_reason_has_one_explanation() -> None:
    assert len({known.reason for known in KNOWN}) == len(KNOWN) == len(REPAIRED)


def test_the_page_is_made_of_the_table() -> None:
    page = Path(fuzz.__path__[0]) / "DISAGREEMENTS.md"
    assert page.read_text("utf-8") == render(), "python -m fuzz.differential.known prints it"
