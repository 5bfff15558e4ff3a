"""xcharext section 3.2, Requester Remote Invalidation: which memory a server invalidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.options import verify as verify_options
from conformance.options.client import OptionClient
from conformance.oracle.outcome import Answered
from conformance.tester.client import build
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.properties import (
    PROP_REQREMINV,
    BackwardRequestSupport,
    BackwardSupport,
    DefaultValue,
    Property,
    RequesterRemoteInvalidation,
    property_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call
    from rpcrdma.fabric.base import MemoryRegion

PLAIN = "xcharext.3.2.plain-send-unless-announced"
OWN = "xcharext.3.2.only-memory-of-that-call"
REPLACE = "xcharext.4.4.new-values-replace-the-old"
EITHER = "xcharext.3.2.either-send-if-announced"

HELD = 0x52
"""Token of the call that the device holds."""

TOLD: dict[str, tuple[Property, ...] | None] = {
    "nothing": None,
    "no properties": (),
    "false": (RequesterRemoteInvalidation(allowed=False),),
    "the default": (DefaultValue(PROP_REQREMINV),),
}


def _regions(call: Call) -> list[MemoryRegion]:
    """The memory that a call tells of."""
    return [segment.region for chunk in call.chunks for segment in chunk.segments]


def _all_valid(call: Call, breaks: tuple[str, ...]) -> None:
    invalid = [region.handle for region in _regions(call) if not region.valid]
    verify.equal(invalid, [], f"what was invalidated of {call.title}", breaks=breaks)


def _forms(peer: Peer) -> tuple[Call, ...]:
    """Calls with a Read chunk, with Write chunks, and with a Reply chunk."""
    workload = peer.workload
    return (
        build.with_read_chunks(peer, workload.store(bytes(3000))),
        build.with_write_chunks(peer, workload.fetch(3000)),
        build.long_reply(peer, workload.long_reply(6000)),
    )


@requirement(PLAIN, needs=("operations",), interpretations=("D-80",))
@pytest.mark.parametrize("told", TOLD)
def test_server_invalidates_nothing_unasked(connect_two: Callable[..., Peer], told: str) -> None:
    """Unless the client has said that it bears it, all its memory is valid after a Reply."""
    tester = OptionClient.of(connect_two)
    values = TOLD[told]
    if values is not None:
        tester.send(ConnProp(property_values(*values), ()))
        tester.call()

    for call in _forms(tester.peer):
        tester.peer.send(call)
        verify.served(tester.peer, call)
        _all_valid(call, (PLAIN,))


@requirement(EITHER, OWN, needs=("operations",), interpretations=("D-80",))
def test_server_invalidates_one_handle_at_most(connect_two: Callable[..., Peer]) -> None:
    """Told that it may, a server answers each Call, and invalidates at most one handle of it."""
    tester = OptionClient.of(connect_two)
    allowed = RequesterRemoteInvalidation(allowed=True)
    tester.send(ConnProp(property_values(allowed), ()))
    tester.call((EITHER,))

    for call in _forms(tester.peer):
        tester.peer.send(call)
        verify.served(tester.peer, call, breaks=(EITHER,))
        invalid = [region.handle for region in _regions(call) if not region.valid]
        verify.that(
            len(invalid) <= 1,
            "at most one handle is invalid",
            actual=f"{len(invalid)} are invalid",
            breaks=(OWN,),
        )


@requirement(OWN, EITHER, needs=("operations",), interpretations=("D-80",))
def test_server_leaves_memory_of_other_calls_alone(connect_two: Callable[..., Peer]) -> None:
    """While a Call with a Reply chunk is held, the Replies to others do not invalidate it."""
    tester = OptionClient.of(connect_two)
    peer = tester.peer
    allowed = RequesterRemoteInvalidation(allowed=True)
    tester.send(ConnProp(property_values(allowed), ()))
    tester.call((EITHER,))
    verify.granted.require(peer, 2)
    held = build.long_reply(peer, peer.workload.hold(HELD), (64,))
    peer.send(held)

    for call in (build.null_call(peer), *_forms(peer)):
        peer.send(call)
        verify.served(peer, call, breaks=(EITHER,))
        _all_valid(held, (OWN,))

    release = build.short(peer, peer.workload.release(HELD))
    peer.send(release)
    verify.each(peer, (release, Answered), (held, Answered), breaks=(EITHER,))


@requirement(PLAIN, REPLACE, EITHER, needs=("operations",), interpretations=("D-80",))
def test_server_remembers_a_withdrawal_through_other_updates(
    connect_two: Callable[..., Peer],
) -> None:
    """A permission is given and withdrawn, and another property changes: nothing is invalidated."""
    tester = OptionClient.of(connect_two)
    verify_options.claims(tester, "updprop")
    tester.send(ConnProp(property_values(RequesterRemoteInvalidation(allowed=True)), ()))
    tester.call((EITHER,))
    for told in (
        RequesterRemoteInvalidation(allowed=False),
        BackwardRequestSupport(BackwardSupport.BKREQSUP_NONE),
    ):
        tester.send(UpdProp(property_values(told)))
        tester.call()

    for call in _forms(tester.peer):
        tester.peer.send(call)
        verify.served(tester.peer, call)
        _all_valid(call, (PLAIN, REPLACE))


@requirement(PLAIN, REPLACE, EITHER, needs=("operations",), interpretations=("D-80",))
def test_server_heeds_a_withdrawal_while_a_call_is_held(connect_two: Callable[..., Peer]) -> None:
    """A permission is withdrawn between a held Call and its Reply: nothing of it is invalidated."""
    tester = OptionClient.of(connect_two)
    verify_options.claims(tester, "updprop")
    peer = tester.peer
    tester.send(ConnProp(property_values(RequesterRemoteInvalidation(allowed=True)), ()))
    tester.call((EITHER,))
    verify.granted.require(peer, 2)
    held = build.long_reply(peer, peer.workload.hold(HELD), (64,))
    peer.send(held)
    tester.send(UpdProp(property_values(RequesterRemoteInvalidation(allowed=False))))
    tester.call()
    release = build.short(peer, peer.workload.release(HELD))

    peer.send(release)

    verify.each(peer, (release, Answered), (held, Answered))
    _all_valid(held, (PLAIN, REPLACE))
