"""A real device is spared what may do harm; where that is not known, whatever has chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.explore import caution
from conformance.explore.caution import any_chunks
from conformance.tester.client import build, mutate

if TYPE_CHECKING:
    import pytest

    from conformance.tester.client.peer import Peer
    from conformance.tester.sent import Call


def kept_back(peer: Peer, call: Call) -> bool:
    return bool(any_chunks(call.octets, peer.state.memory, call.request.layer))


def test_the_coarsest_caution_keeps_back_what_has_chunks(peer: Peer) -> None:
    work = peer.workload
    with_chunks = (
        build.with_read_chunks(peer, work.store(bytes(700))),
        build.with_write_chunks(peer, work.fetch(700)),
        build.call(peer, work.long_reply(3000), reply=(4000,)),
    )
    assert all(kept_back(peer, call) for call in with_chunks)
    assert not kept_back(peer, build.null_call(peer))
    assert not kept_back(peer, mutate.truncate(with_chunks[0], 20))
    # A header that we refuse may have chunks for a device that takes it.
    assert kept_back(peer, mutate.truncate(with_chunks[0], 44))


def test_is_the_coarsest_where_nothing_finer_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caution, "_DANGER", "conformance.explore.there_is_no_such_module")
    assert caution.caution() is any_chunks
