"""Messages that are too short, and what every error message looks like.

rfc8166 section 4.5  Error Handling
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers
from conformance.oracle.sizes import ERR_CHUNK_MESSAGE, ERR_VERS_MESSAGE, SHORTEST_MESSAGE
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

LENGTHS: Final = (0, 1, 4, 8, 12, 15, 16, 20, 24, 27)
UNKNOWN_VERSION: Final = 0xFFFF
UNKNOWN_PROCEDURE: Final = 0xFFFF
GRANTS: Final = "rfc8166.3.3.1.every-reply-grants-credits"
KIND: Final = "rfc8166.4.5.error-code-tells-the-kind"
NO_PAYLOAD: Final = "rfc8166.4.2.4.error-carries-no-payload"
FAULTS: Final[dict[str, tuple[Callable[[Call], Call], type[ErrVers | ErrChunk], int]]] = {
    "err-vers": (lambda call: mutate.version(call, UNKNOWN_VERSION), ErrVers, ERR_VERS_MESSAGE),
    "err-chunk": (
        lambda call: mutate.procedure(call, UNKNOWN_PROCEDURE),
        ErrChunk,
        ERR_CHUNK_MESSAGE,
    ),
}
"""Name -> what to do to a Call, the error that it gets, and the octets of that error."""


@requirement("rfc8166.4.5.short-message-discarded", interpretations=("D-10",))
@pytest.mark.parametrize("length", LENGTHS, ids="{}-octets".format)
def test_responder_discards_a_message_shorter_than_a_header(peer: Peer, length: int) -> None:
    """The beginning of a good Call, shorter than 28 octets, is dropped without an answer."""
    call = mutate.truncate(build.null_call(peer), length)

    peer.send(call)

    verify.discarded(peer, call)


@requirement("rfc8166.4.5.short-message-discarded", interpretations=("D-10",))
def test_responder_discards_short_messages_of_every_length_in_a_row(peer: Peer) -> None:
    """Messages of 0 to 27 octets, one after the other, are dropped, and cost no Receive."""
    calls = [mutate.truncate(build.null_call(peer), length) for length in range(SHORTEST_MESSAGE)]
    peer.post_receives(len(calls))  # for a device that answers every one: none gets stuck

    for call in calls:
        peer.send(call)

    verify.discarded(peer, calls[-1])


@requirement("rfc8166.4.5.short-message-discarded", interpretations=("D-10",))
@pytest.mark.parametrize("octet", [0x00, 0xFF], ids="all-{:#04x}".format)
def test_responder_does_not_look_into_a_short_message(peer: Peer, octet: int) -> None:
    """27 octets that make no sense are dropped like any others: no field of them is used."""
    call = mutate.octets(build.null_call(peer), 0, bytes((octet,)) * 27)
    call = mutate.truncate(call, 27)

    peer.send(call)

    verify.discarded(peer, call)


@requirement(
    "rfc8166.4.5.error-xid-echoed",
    "rfc8166.4.5.error-version-echoed",
    "rfc8166.4.5.error-procedure",
    KIND,
    interpretations=("D-11",),
    means={"rfc8166.4.6.2.done-is-not-sent": "rfc8166.4.5.error-procedure"},
)
@pytest.mark.parametrize("xid", [0, 0x01020304, 0xFFFFFFFF], ids="xid-{:#010x}".format)
@pytest.mark.parametrize("name", FAULTS)
def test_responder_echoes_xid_and_version_in_errors(peer: Peer, name: str, xid: int) -> None:
    """An RDMA_ERROR carries XID and version of the message at fault, and the code of the fault."""
    spoil, kind, _ = FAULTS[name]
    call = spoil(mutate.xid(build.null_call(peer), xid))

    peer.send(call)

    verify.expect(peer, call, kind, breaks=KIND)


@requirement(
    "rfc8166.4.2.4.error-carries-error-information",
    NO_PAYLOAD,
    means={"rfc8166.4.1.2.header-layout": "rfc8166.4.2.4.error-carries-error-information"},
)
@pytest.mark.parametrize("name", FAULTS)
def test_responder_sends_nothing_behind_the_error(peer: Peer, name: str) -> None:
    """An RDMA_ERROR ends with its error union: 28 octets for ERR_VERS, 20 for ERR_CHUNK."""
    spoil, kind, length = FAULTS[name]
    call = spoil(build.small_call(peer))

    peer.send(call)

    error = verify.expect(peer, call, kind)
    verify.equal(error.length, length, "the error's length in octets", breaks=NO_PAYLOAD)


@requirement(GRANTS, interpretations=("D-16",))
@pytest.mark.parametrize("name", FAULTS)
def test_responder_grants_credits_in_errors(peer: Peer, name: str) -> None:
    """An RDMA_ERROR grants credits like any message of a Responder; none at all is a warning."""
    spoil, kind, _ = FAULTS[name]
    call = spoil(build.null_call(peer))

    peer.send(call)

    granted = verify.expect(peer, call, kind).header.rdma_credit
    verify.recommended(
        peer, granted > 0, "an error grants credits", actual="rdma_credit is 0", breaks=GRANTS
    )


@requirement("rfc8166.4.5.error-xid-echoed", "rfc8166.2.2.2.reply-xid-is-the-calls")
@pytest.mark.parametrize("name", FAULTS)
def test_responder_answers_a_bad_call_among_good_ones_once(peer: Peer, name: str) -> None:
    """A bad Call between two good ones gets its error, each good one its Reply, nobody more."""
    spoil, kind, _ = FAULTS[name]
    first, bad, last = (build.null_call(peer) for _ in range(3))
    bad = spoil(bad)
    verify.granted.require(peer, 3)

    for call in (first, bad, last):
        peer.send(call)

    verify.each(peer, (first, Answered), (bad, kind), (last, Answered))
    verify.silent(peer)
