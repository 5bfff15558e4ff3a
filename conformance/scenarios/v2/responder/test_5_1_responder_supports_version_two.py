"""Calls in Version Two to a Responder that speaks it.

v2 section 5.1  Responder Does Support RPC-over-RDMA Version Two
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.sizes import FIRST_MESSAGE_TWO, THRESHOLD_TWO
from conformance.tester.client import build, build_sized

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

ANSWERED: Final = "v2.5.1.answer-is-no-error"
SAME_XID: Final = "v2.5.1.answer-has-the-same-xid"
OF_ITS_CALL: Final = "v2.5.3.reply-has-the-version-of-its-call"
VERSION_TWO: Final = "v2.5.1.answer-has-version-two"


@requirement(ANSWERED, SAME_XID, VERSION_TWO, OF_ITS_CALL, means={OF_ITS_CALL: VERSION_TWO})
@pytest.mark.parametrize("before", [0, 1], ids=["first-call", "second-call"])
def test_responder_answers_a_call_in_version_two(
    connect_two: Callable[..., Peer], before: int
) -> None:
    """A NULL Call in Version Two is served, under its XID and in its version."""
    peer = connect_two()
    for _ in range(before):
        call = build.null_call(peer)
        peer.send(call)
        verify.served(peer, call, breaks=ANSWERED)
    call = build.null_call(peer)

    peer.send(call)

    reply = verify.served(peer, call, breaks=ANSWERED)
    version = reply.answer.header.rdma_vers
    verify.equal(version, 2, "rdma_vers of the Reply", breaks=VERSION_TWO)


@requirement("v2.5.1.both-ends-use-4096-octets", ANSWERED, interpretations=("D-55",))
def test_responder_takes_4096_octets_behind_a_first_call_of_1024(
    connect_two: Callable[..., Peer],
) -> None:
    """A first Call of exactly 1024 octets is served, and right after it one of 4096 octets."""
    peer = connect_two()
    for length in (FIRST_MESSAGE_TWO, THRESHOLD_TWO):
        call = build_sized.call_of(peer, length)

        peer.send(call)

        verify.chunks.served(peer, call)
