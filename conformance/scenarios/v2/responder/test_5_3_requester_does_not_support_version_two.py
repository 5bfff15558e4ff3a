"""A Responder of both versions: Requesters of Version One, and versions that it does not speak.

v2 section 4.2.3  Transport Errors (versions that are not supported)
v2 section 5.2    Responder Does Not Support RPC-over-RDMA Version Two (after a fall back)
v2 section 5.3    Requester Does Not Support RPC-over-RDMA Version Two
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.oracle.outcome import Answered, Disconnected, ErrVers, Silent
from conformance.oracle.sizes import THRESHOLD_ONE, THRESHOLD_TWO
from conformance.tester.client import build, build_sized, mutate
from rpcrdma.ulp.pattern import pattern
from rpcrdma.wire.optional import UnknownOption
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call, Message

SERVED: Final = "v2.5.3.one-only-requester-is-served"
ITS_VERSION: Final = "v2.5.3.reply-has-the-version-of-its-call"
UNSUPPORTED: Final = "v2.4.2.3.unsupported-version-gets-err-vers"
RANGE: Final = "v2.4.2.3.err-vers-has-the-responders-range"
KEPT: Final = "v2.5.2.threshold-changes-keep-the-connection"
HELD: Final = 0x53
THRESHOLDS: Final = "v2.5.2.thresholds-follow-the-version"
FORMS: Final[dict[str, Callable[[Peer], Call]]] = {
    "short": build.small_call,
    "read-chunk": lambda peer: build.with_read_chunks(peer, peer.workload.store(pattern(900, 7))),
    "write-chunk": lambda peer: build.with_write_chunks(peer, peer.workload.fetch(3100)),
    "long-call": lambda peer: build.long_call(peer, peer.workload.long_call(3000)),
    "long-reply": lambda peer: build.long_reply(peer, peer.workload.long_reply(3000)),
}

STRANGE: Final[dict[str, Callable[[Peer, int], Call | Message]]] = {
    "null-call": lambda peer, version: mutate.version(build.null_call(peer), version),
    "cut-lists": lambda peer, version: mutate.truncate(
        mutate.version(build.null_call(peer), version), 30
    ),
    "unknown-procedure": lambda peer, version: mutate.procedure(
        mutate.version(build.null_call(peer), version), 9
    ),
    "optional-message": lambda peer, version: mutate.version(
        build.option(peer, UnknownOption(77, b"")), version
    ),
}


@requirement(SERVED, ITS_VERSION)
@pytest.mark.parametrize("form", FORMS)
def test_responder_of_both_serves_a_requester_of_version_one(
    connect_both: Callable[..., Peer], form: str
) -> None:
    """Calls in Version One alone are served, and the Replies are in Version One."""
    peer = connect_both()
    call = FORMS[form](peer)

    peer.send(call)

    reply = verify.chunks.served(peer, call, breaks=SERVED)
    verify.equal(reply.answer.header.rdma_vers, 1, "rdma_vers of the Reply", breaks=ITS_VERSION)


@requirement(UNSUPPORTED, RANGE, interpretations=("D-11", "D-64"))
@pytest.mark.parametrize("version", [0, 3, 1 << 16, 2**32 - 1], ids="version-{:#x}".format)
@pytest.mark.parametrize("what", STRANGE)
def test_responder_answers_an_unknown_version_with_its_range(
    connect_two: Callable[..., Peer], what: str, version: int
) -> None:
    """A message in a version that is not claimed gets ERR_VERS with what is claimed."""
    peer = connect_two()
    message = STRANGE[what](peer, version)

    peer.send(message)

    error = verify.expect(peer, message, ErrVers, breaks=UNSUPPORTED)
    verify.equal(error.versions, peer.profile.versions, "the range in ERR_VERS", breaks=RANGE)


def require_connection(peer: Peer) -> None:
    """See that an ERR_VERS was not the last of its connection, as it may be (v2 5.2, D-155)."""
    outcome = peer.receive(peer.profile.grace)
    if isinstance(outcome, Disconnected):
        raise Unsupported("the device ends the connection over a version that it does not speak")
    if not isinstance(outcome, Silent):
        peer.put_aside(outcome)


@requirement(KEPT, UNSUPPORTED)
def test_responder_serves_version_two_behind_a_refused_version(
    connect_two: Callable[..., Peer],
) -> None:
    """After ERR_VERS for version 3, Calls in Version Two are served on the same connection."""
    peer = connect_two()
    offer = STRANGE["null-call"](peer, 3)
    peer.send(offer)
    verify.expect(peer, offer, ErrVers, breaks=UNSUPPORTED)
    require_connection(peer)
    for call in (build.null_call(peer), build_sized.call_of(peer, THRESHOLD_TWO)):
        peer.send(call)

        verify.chunks.served(peer, call, breaks=KEPT)


@requirement(THRESHOLDS, KEPT)
@pytest.mark.parametrize("length", [1028, 1500], ids="{}-octets".format)
def test_responder_of_both_keeps_to_1024_octets_in_version_one(
    connect_both: Callable[..., Peer], length: int
) -> None:
    """After ERR_VERS for version 3 and a fall back to One, no Reply is longer than 1024 octets."""
    peer = connect_both()
    offer = STRANGE["null-call"](peer, 3)
    peer.send(offer)
    verify.expect(peer, offer, ErrVers, breaks=UNSUPPORTED)
    require_connection(peer)
    call = build_sized.reply_of(peer, length, reply=(length,))

    peer.send(call)

    reply = verify.chunks.served(peer, call, breaks=KEPT)
    inline = reply.answer.length <= THRESHOLD_ONE
    actual = f"{reply.answer.length} octets"
    verify.that(inline, "no message is longer than 1024 octets", actual=actual, breaks=THRESHOLDS)


@requirement(
    ITS_VERSION,
    interpretations=("D-56",),
    wider="the connection has begun in another version, which the oracle does not know",
)
@pytest.mark.parametrize("versions", [(2, 1), (1, 2)], ids=["two-then-one", "one-then-two"])
def test_responder_of_both_answers_a_second_version_in_it(
    connect_both: Callable[..., Peer], versions: tuple[int, int]
) -> None:
    """A Call in another version than those before is answered in its own, or by ERR_VERS."""
    peer = connect_both()
    peer.version = versions[0]
    first = build.null_call(peer)
    peer.send(first)
    verify.served(peer, first)
    peer.version = versions[1]
    call = build.null_call(peer)

    peer.send(call)

    answer = verify.expect(peer, call, Answered, ErrVers, breaks=ITS_VERSION)
    found = answer.header.rdma_vers if isinstance(answer, Answered) else call.version
    verify.equal(found, call.version, "rdma_vers of the Reply", breaks=ITS_VERSION)


@requirement(ITS_VERSION, interpretations=("D-56",))
@pytest.mark.parametrize("versions", [(2, 1), (1, 2)], ids=["two-then-one", "one-then-two"])
def test_responder_of_both_answers_a_call_that_waited_in_its_version(
    connect_both: Callable[..., Peer], versions: tuple[int, int]
) -> None:
    """While a Call waits, another version is spoken: its Reply has the version of its Call."""
    peer = connect_both()
    peer.version = versions[0]
    verify.granted.require(peer, 3)
    held = build.call(peer, peer.workload.hold(HELD))
    peer.send(held)
    verify.granted.settle(peer)
    peer.version = versions[1]
    release = build.call(peer, peer.workload.release(HELD))

    peer.send(release)

    first = peer.receive()
    if isinstance(first, ErrVers | Disconnected):
        raise Unsupported("the device speaks one version on a connection")
    peer.put_aside(first)
    verify.each(peer, (release, Answered), (held, Answered), breaks=ITS_VERSION)
