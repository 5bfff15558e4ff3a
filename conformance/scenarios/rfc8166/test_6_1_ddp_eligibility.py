"""RFC 8166 section 6.1, DDP-Eligibility."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from conformance import build, verify_chunks
from conformance.requirement import requirement
from rpcrdma.ulp.bindings import NOTHING_REDUCED, DataItem

if TYPE_CHECKING:
    from collections.abc import Collection

    from conformance.peer import Peer
    from rpcrdma.ulp.bindings import ReplyExpectation, UpperLayer


@dataclass(frozen=True, slots=True)
class Misbound:
    """A binding in which the last octets of every call are an eligible item."""

    real: UpperLayer
    length: int

    def arguments(self, call: bytes) -> tuple[DataItem, ...]:
        """The item that is none."""
        return (DataItem(len(call) - self.length, self.length),)

    def results(
        self, call: bytes, reply: bytes, reduced: Collection[int] = NOTHING_REDUCED
    ) -> tuple[DataItem | None, ...]:
        """As they are."""
        return self.real.results(call, reply, reduced)

    def expectation(self, call: bytes) -> ReplyExpectation:
        """As it is."""
        return self.real.expectation(call)

    def execute(self, call: bytes) -> list[bytes]:
        """As it is."""
        return self.real.execute(call)


@requirement(
    "rfc8166.6.1.ineligible-argument-is-not-processed",
    "rfc8166.6.1.ineligible-argument-is-reported",
    interpretations=("D-20",),
)
@pytest.mark.parametrize("length", [4, 8])
@pytest.mark.parametrize("form", ["chunked", "long"])
def test_responder_refuses_a_reduced_ineligible_argument(
    peer: Peer, form: str, length: int
) -> None:
    """The last octets of a call without eligible arguments, moved into a Read chunk, spoil it."""
    request = peer.workload.small()
    spoilt = replace(request, layer=Misbound(request.layer, length))
    call = build.call(peer, spoilt, reads=((),), whole=() if form == "long" else None)

    peer.send(call)

    verify_chunks.refused(peer, call)
