"""What a release has no case for any more has one here, and a mutant."""

from __future__ import annotations

from conformance.catalogue.entries import load_catalogue
from conformance.proof.coverage import coverage, lacking, listed

CATALOGUE = load_catalogue()


def test_what_lacks_a_case_or_a_mutant_is_listed_as_open() -> None:
    """If this fails, a requirement has lost one: `rpcrdma dev coverage` tells which."""
    found, known = lacking(CATALOGUE, coverage()), listed()

    lost = [
        f"{role}: {one}: {lack}"
        for role, lacks in found.items()
        for one, lack in lacks.items()
        if known[role].get(one) not in (lack, "no case and no mutant")
    ]
    assert lost == []


def test_nothing_of_rfc8166_is_open_for_a_responder() -> None:
    entries = CATALOGUE.select(document="rfc8166")

    assert lacking(entries, coverage())["responder"] == {}
