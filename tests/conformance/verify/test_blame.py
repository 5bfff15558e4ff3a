"""What a wrong outcome is held against."""

from __future__ import annotations

import pytest

from conformance.oracle.outcome import Answered, Silent, read_outcome
from conformance.verify.blame import blamed, ids_of, unreadable
from rpcrdma.errors import DecodeError, Reason
from rpcrdma.wire import RdmaDone, RdmaMsg, TransportHeader, encode_any_header, rpc

LAYOUT = "rfc8166.4.rpc-layout-is-unchanged"
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


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ((7, 1, 8, 0, 0, 0, 0, 7, 1), ()),
        # The lists end one word later than they should: that is no Reply chunk.
        ((7, 1, 8, 0, 0, 0, 0, 0, 7, 1), ("rfc8166.4.7.no-chunks-three-zero-words",)),
    ],
)
def test_lists_that_make_another_sense_are_blamed_first_for_a_payload_without_any(
    words: tuple[int, ...], found: tuple[str, ...]
) -> None:
    answer = read_outcome(b"".join(word.to_bytes(4) for word in words))
    assert isinstance(answer, Answered)
    error = DecodeError(0, "xid", Reason.TRUNCATED)

    assert unreadable(answer, error, 1, ()) == (*found, LAYOUT)
    assert unreadable(answer, error, 1, SAID) == (*found, LAYOUT)


def test_what_the_verification_says_counts_for_results_behind_a_good_rpc_header() -> None:
    header = encode_any_header(TransportHeader(7, 1, 8, RdmaMsg((), (), None)))
    answer = read_outcome(header + rpc.encode_message(rpc.accepted(7)))
    assert isinstance(answer, Answered)
    error = DecodeError(24, "results", Reason.TRUNCATED)

    assert unreadable(answer, error, 1, SAID) == (SAID,)
    assert unreadable(answer, error, 1, ()) == (LAYOUT,)
