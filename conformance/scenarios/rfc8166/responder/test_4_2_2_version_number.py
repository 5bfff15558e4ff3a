"""The version in what a Responder sends.

rfc8166 section 4.2.2  Version Number
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered
from conformance.tester.client import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call

GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"

CALLS: Final[dict[str, Callable[[Peer], Call]]] = {
    "rdma-msg": build.small_call,
    "rdma-nomsg": lambda peer: build.long_reply(peer, peer.workload.long_reply(8192)),
    "rpc-error": lambda peer: build.short(peer, peer.workload.garbage()),
}


@requirement("rfc8166.4.2.2.version-is-one", "rfc8166.4.2.four-fixed-words")
@pytest.mark.parametrize("name", CALLS)
def test_responder_replies_in_version_one(peer: Peer, name: str) -> None:
    """A Call of Version One gets a Reply of Version One, short or long, good or bad."""
    call = CALLS[name](peer)

    peer.send(call)

    if name == "rpc-error":
        answer = verify.garbage_args(peer, call, breaks=GARBAGE).answer
    else:
        answer = verify.awaited(peer, call, Answered)
    verify.equal(answer.header.rdma_vers, 1, "rdma_vers of the Reply")
    verify.look(peer, call, answer)
