"""bidir section 2.6, Sending A Backward Direction Reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.backward.server import BackwardServer
from conformance.catalogue.cite import requirement

if TYPE_CHECKING:
    from conformance.tester.server import Service

REPLY_XID = "bidir.1.3.4.reply-xid-is-the-calls"
TOLD = "bidir.1.3.reply-is-told-by-its-msg-type"
FIXED_PLACE = "bidir.1.5.4.direction-is-told-at-a-fixed-place"
DIFFER = "bidir.2.1.2.values-may-differ"
GRANTS = "bidir.2.1.2.reply-grants-credits"
CARRIES = "bidir.2.6.reply-carries-credits"
LIKE = "bidir.2.1.2.backward-credits-work-like-forward-ones"
NEVER_ZERO = "bidir.2.1.2.credit-is-never-zero"
HAS_XID = "bidir.2.6.reply-has-the-calls-xid"


@requirement(
    HAS_XID,
    REPLY_XID,
    "bidir.2.6.reply-has-version-one",
    "bidir.2.6.reply-is-rdma-msg",
    "bidir.2.6.reply-has-empty-lists",
    "bidir.2.6.reply-header-follows-with-the-same-xid",
    "bidir.2.6.reply-msg-type",
    TOLD,
    FIXED_PLACE,
    role="requester",
    needs=("backward",),
    means={"bidir.2.6.reply-msg-type": TOLD, HAS_XID: REPLY_XID},
)
@pytest.mark.parametrize("note", [0, 1, 300])
def test_client_answers_each_call_by_an_rdma_msg_without_chunks(
    service: Service, note: int
) -> None:
    """Replies to backward Calls, of whatever size, are Short Messages under the Call's XID."""
    server = BackwardServer.of(service)

    xid = server.call(lambda xid: server.calls.note(xid, note))

    # A Call that is longer or shorter is told from a Reply where any other is.
    server.answered(xid, breaks=(HAS_XID, FIXED_PLACE))


@requirement(HAS_XID, role="requester", needs=("backward",))
def test_client_answers_errors_of_the_rpc_layer_likewise(service: Service) -> None:
    """A Call of a procedure that there is not gets its RPC error in a backward Reply."""
    server = BackwardServer.of(service)

    xid = server.call(server.calls.refused)

    server.answered(xid, breaks=HAS_XID)


@requirement(
    CARRIES,
    GRANTS,
    NEVER_ZERO,
    LIKE,
    DIFFER,
    role="requester",
    needs=("backward",),
    # A Reply that grants nothing breaks each of them: they say the same number in other words.
    means={NEVER_ZERO: (GRANTS, CARRIES, LIKE)},
)
@pytest.mark.parametrize("requested", [1, 8, 2**32 - 1])
def test_client_grants_credits_in_each_reply(service: Service, requested: int) -> None:
    """Whatever a backward Call requests, its Reply grants at least one credit."""
    server = BackwardServer.of(service)

    xid = server.call(server.calls.null, credits=requested)

    reply = server.answered(xid, breaks=DIFFER)
    verify.that(reply.credits > 0, "a Reply grants credits", actual=str(reply), breaks=NEVER_ZERO)
