"""Contract: Send With Invalidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.fabric.base import Access
from rpcrdma.fabric.completion import CompletionStatus

if TYPE_CHECKING:
    from tests.fabric_contract.conftest import Ends


def test_send_with_invalidate_ends_the_handle_and_says_so(ends: Ends) -> None:
    """The Receive's completion names the handle, and the region is no longer valid."""
    region = ends.passive.register(64, Access.REMOTE_READ)
    region.write(b"still mine")
    ends.active.post_send(b"done with it", invalidate=region.handle)

    arrived = ends.received(ends.passive)

    assert (arrived.ok, arrived.data) == (True, b"done with it")
    assert arrived.invalidated == region.handle
    assert not region.valid
    assert ends.passive.bears_invalidation
    assert region.read(0, 10) == b"still mine"


def test_handle_is_useless_after_send_with_invalidate(ends: Ends) -> None:
    """A Read through a handle that the same peer invalidated is refused."""
    region = ends.passive.register(64, Access.REMOTE_READ)
    sink = ends.active.register(64, Access.LOCAL_WRITE)
    ends.active.post_send(b"", invalidate=region.handle)
    assert ends.received(ends.passive).invalidated == region.handle

    work_id = ends.active.post_rdma_read(sink, 0, 64, region.handle, region.offset)

    done = ends.completion(ends.active, work_id)
    assert done.status is CompletionStatus.REMOTE_ACCESS_ERROR


def test_send_with_invalidate_leaves_other_regions_alone(ends: Ends) -> None:
    """Only the named handle ends."""
    named, other = (ends.passive.register(64, Access.REMOTE_READ) for _ in range(2))
    sink = ends.active.register(64, Access.LOCAL_WRITE)
    ends.active.post_send(b"", invalidate=named.handle)
    assert ends.received(ends.passive).ok

    work_id = ends.active.post_rdma_read(sink, 0, 64, other.handle, other.offset)

    assert ends.completion(ends.active, work_id).ok
    assert other.valid


def test_invalidating_what_is_not_valid_breaks_the_connection(ends: Ends) -> None:
    """A Send With Invalidate of a handle that nobody gave out is not delivered as a message."""
    region = ends.passive.register(64, Access.REMOTE_READ)
    ends.active.post_send(b"bad", invalidate=region.handle ^ 0x5A5A5A00)

    at_receiver = ends.rest(ends.passive)
    ends.rest(ends.active)

    assert len(at_receiver) == 4
    assert not any(entry.ok for entry in at_receiver)
    assert not ends.active.connected
    assert not ends.passive.connected
    assert region.valid


def test_what_the_peer_has_invalidated_can_be_invalidated_without_harm(ends: Ends) -> None:
    """Its owner may not have noticed; the connection goes on."""
    region = ends.passive.register(64, Access.REMOTE_READ)
    ends.active.post_send(b"", invalidate=region.handle)
    assert ends.received(ends.passive).ok

    ends.passive.invalidate(region)
    ends.active.post_send(b"go on")

    assert ends.received(ends.passive).data == b"go on"
