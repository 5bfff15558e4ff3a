"""Calls in versions that the Responder does not support.

rfc8166 section 4.5.1  Header Version Mismatch
rfc8166 section 4.5.2  XDR Errors (the version is recognised before anything else is judged)
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import ErrVers
from conformance.oracle.sizes import SHORTEST_MESSAGE
from conformance.tester.client import build, mutate
from rpcrdma import wire
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

GETS_ERR_VERS: Final = "rfc8166.4.5.1.unsupported-version-gets-err-vers"
RANGE: Final = "rfc8166.4.5.1.err-vers-range"
READ_LIST: Final = 16
"""Offset of the word that says whether there is a Read list."""


def in_unknown_version(peer: Peer, version: int | None = None) -> Call:
    """A good NULL call, but for its version: by default the first above 1 that is not claimed.

    Raises:
        Unsupported: the device claims that version, so it is none that gets ERR_VERS.
    """
    claimed = peer.profile.claims.versions
    if version is None:
        version = next(number for number in count(2) if number not in claimed)
    if version in claimed:
        raise Unsupported(f"the profile claims version {version}")
    return build.null_call(peer, version=version)


def with_good_lists(call: Call, peer: Peer) -> Call:
    """The same Call, with one chunk in each list."""
    return mutate.lists(
        call,
        rdma_reads=peer.expose(bytes(64)).read_segments(40),
        rdma_writes=(peer.room((64,)).write_chunk(),),
        rdma_reply=peer.room((256,)).write_chunk(),
    )


WRONG_BESIDES: Final[dict[str, Callable[[Call, Peer], Call]]] = {
    "good-chunk-lists": with_good_lists,
    "nomsg-without-lists": lambda call, peer: mutate.procedure(call, 1),
    "procedure-msgp": lambda call, peer: mutate.procedure(call, 2),
    "procedure-done": lambda call, peer: mutate.procedure(call, 3),
    "procedure-unknown": lambda call, peer: mutate.procedure(call, 77),
    "presence-word-of-2": lambda call, peer: mutate.word(call, READ_LIST, 2, "Read list"),
    "cut-read-list": lambda call, peer: mutate.truncate(with_good_lists(call, peer), 40),
    "two-xids": lambda call, peer: mutate.xid(call, call.xid ^ 0xFFFF),
    "no-rpc-message": lambda call, peer: mutate.payload(call, b"\xff" * 40),
}
"""What else is wrong with a message in an unknown version; "good" is what is not."""


@requirement(GETS_ERR_VERS, RANGE, "rfc8166.4.2.4.error-carries-error-information")
@pytest.mark.parametrize(
    "version", [0, 2, 3, 1 << 16 | 1, 1 << 24, 2**32 - 1], ids="version-{}".format
)
def test_responder_answers_an_unsupported_version_with_its_own_range(
    peer: Peer, version: int
) -> None:
    """A Call in a version that the device does not claim is answered by ERR_VERS with its range."""
    call = in_unknown_version(peer, version)

    peer.send(call)

    error = verify.expect(peer, call, ErrVers, breaks=GETS_ERR_VERS)
    verify.equal(error.versions, peer.profile.versions, "the range in ERR_VERS", breaks=RANGE)


@requirement(GETS_ERR_VERS, "rfc8166.4.5.2.version-judged-before-the-rest")
@pytest.mark.parametrize("name", WRONG_BESIDES)
def test_responder_judges_the_version_before_the_rest(peer: Peer, name: str) -> None:
    """In an unknown version the rest of the message is not judged: it is answered by ERR_VERS."""
    call = WRONG_BESIDES[name](in_unknown_version(peer), peer)

    peer.send(call)

    verify.expect(peer, call, ErrVers)


@requirement("rfc8166.4.5.short-message-discarded")
@pytest.mark.parametrize("length", [8, 24], ids="{}-octets".format)
def test_responder_discards_a_short_message_in_an_unsupported_version(
    peer: Peer, length: int
) -> None:
    """Under 28 octets not even the version is looked at: the message is dropped."""
    call = mutate.truncate(in_unknown_version(peer), length)

    peer.send(call)

    verify.discarded(peer, call)


@requirement(GETS_ERR_VERS, "rfc8166.4.5.2.version-judged-before-the-rest")
def test_responder_answers_the_shortest_message_in_an_unsupported_version(peer: Peer) -> None:
    """Of 28 octets, a message is long enough for its version to be answered by ERR_VERS."""
    call = mutate.truncate(in_unknown_version(peer), SHORTEST_MESSAGE)

    peer.send(call)

    verify.expect(peer, call, ErrVers)


@requirement("rfc8166.4.2.4.responder-discards-error", interpretations=("D-27",))
def test_responder_drops_or_refuses_an_error_in_an_unsupported_version(
    peer: Peer,
) -> None:
    """RDMA_ERROR in an unknown version is dropped or answered by ERR_VERS, and by nothing else."""
    error = wire.RdmaError(wire.ErrVers(1, 1))
    call = mutate.payload(mutate.body(in_unknown_version(peer), error), b"")

    peer.send(call)

    verify.discarded(peer, call, ErrVers)
