"""What a wrong outcome is held against."""

from __future__ import annotations

import pytest

from conformance.oracle.outcome import Silent, read_outcome
from conformance.verify.blame import blamed, ids_of
from rpcrdma.wire import RdmaDone, TransportHeader, encode_any_header

SAID = "rfc8166.3.3.1.grant-is-never-zero"


def test_what_the_verification_says_counts_where_the_outcome_shows_nothing() -> None:
    assert blamed(Silent(1.0), 1, SAID) == (SAID,)
    assert blamed(Silent(1.0), 1, ()) == ()
    assert ids_of((SAID, SAID)) == (SAID, SAID)


@pytest.mark.parametrize(
    ("version", "layout"),
    [
        (1, ("rfc8166.4.header-is-xdr", "rfc8166.4.1.2.header-layout")),
        (2, ("v2.4.2.header-layout",)),
    ],
)
def test_a_message_that_cannot_be_decoded_breaks_its_layout_whatever_was_asked(
    version: int, layout: tuple[str, ...]
) -> None:
    assert blamed(read_outcome(bytes(3)), version, SAID) == layout


def test_an_obsolete_procedure_breaks_its_own_rule() -> None:
    done = read_outcome(encode_any_header(TransportHeader(1, 1, 8, RdmaDone())))

    assert blamed(done, 1, SAID) == (
        "rfc8166.4.6.2.done-is-not-sent",
        "rfc8166.4.2.4.done-is-reserved",
    )
