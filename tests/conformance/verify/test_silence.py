"""What must be dropped or reported, against devices that do it and that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from conformance import verify
from conformance.oracle.outcome import ErrChunk, Silent
from conformance.oracle.responder.expectation import Answer
from conformance.tester.case import Deviation
from conformance.tester.client import build, mutate
from tests.conformance.verify.test_answers import (
    BAD_PROCEDURE,
    connect,
    dropping,
    error,
    good,
    is_bad,
    refusing,
)

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from tests.conformance.verify.test_answers import Behaviour


def sent(peer: Peer) -> Call:
    """A call that the devices here take for a bad one, sent."""
    call = mutate.procedure(build.null_call(peer), BAD_PROCEDURE)
    peer.send(call)
    return call


def claiming(peer: Peer, *, backward: bool) -> Peer:
    """The same, of a device that claims the backward direction, or does not."""
    claims = replace(peer.profile.claims, backward=backward)
    peer.profile = replace(peer.profile, claims=claims)
    return peer


def lying(message: bytes) -> list[bytes]:
    """Answers in another version."""
    return [error(message, version=2)] if is_bad(message) else good(message)


def test_a_reported_message_is_answered_by_an_error() -> None:
    peer = connect(refusing)

    verify.reported(peer, sent(peer))


def test_silence_is_no_report() -> None:
    peer = connect(dropping)

    with pytest.raises(Deviation, match="answers the message"):
        verify.reported(peer, sent(peer))


def test_silence_may_only_warn() -> None:
    peer = connect(dropping)

    verify.reported(peer, sent(peer), silence_warns=True, breaks="a.1.b")

    (warned,) = peer.case.warnings
    assert warned.ids == ("a.1.b",)


def test_a_cut_header_must_be_answered_by_who_is_never_called() -> None:
    peer = claiming(connect(dropping), backward=False)

    with pytest.raises(Deviation, match="answered wrongly"):
        verify.cut(peer, sent(peer))


@pytest.mark.parametrize("behave", [refusing, dropping])
def test_a_cut_header_may_be_dropped_by_who_is_called_back(behave: Behaviour) -> None:
    peer = claiming(connect(behave), backward=True)

    verify.cut(peer, sent(peer))


def test_the_error_about_a_cut_header_must_be_right() -> None:
    peer = claiming(connect(lying), backward=True)

    with pytest.raises(Deviation, match="rdma_vers of the error is 2"):
        verify.cut(peer, sent(peer))


def test_notes_what_is_accepted() -> None:
    peer = connect(dropping)

    verify.discarded(peer, sent(peer), ErrChunk, breaks="a.1.b")

    (noted,) = peer.case.acceptances
    assert noted.allowed == (Answer(Silent), Answer(ErrChunk))
    assert noted.breaks == ("a.1.b",)
