"""bidir section 2.5, Sending A Backward Direction Call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.backward.client import BackwardClient
from conformance.catalogue.cite import requirement

if TYPE_CHECKING:
    from conformance.tester.client.peer import Peer

TOLD = ("bidir.2.5.call-msg-type", "bidir.1.3.call-is-told-by-its-msg-type")
"""What is not told as a Call at all breaks these; what else is wrong with one has its own rule."""


@requirement(
    "bidir.2.5.call-has-version-one",
    "bidir.2.5.call-is-rdma-msg",
    "bidir.2.5.call-has-empty-lists",
    "bidir.2.5.call-header-follows-with-the-same-xid",
    *TOLD,
    needs=("backward",),
)
@pytest.mark.parametrize("length", [0, 1, 400])
def test_server_forms_each_call_as_an_rdma_msg_without_chunks(peer: Peer, length: int) -> None:
    """Backward Calls, of whatever size, are Short Messages that begin with their own XID."""
    client = BackwardClient.of(peer)
    client.announce()
    client.provoke(3, length)

    for _ in range(3):
        client.answer(client.next_call(breaks=TOLD), credits=2)
