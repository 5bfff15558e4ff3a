"""RFC 8166 section 3.3.1, RPC-over-RDMA Credits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build, verify
from conformance.outcome import Answered
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer


@requirement("rfc8166.3.3.1.grant-is-never-zero")
@pytest.mark.parametrize("requested", [0, 1, 2**32 - 1])
def test_responder_never_grants_zero_credits(peer: Peer, requested: int) -> None:
    """Whatever a Call requests, its Reply grants at least one credit."""
    call = build.null_call(peer, credits=requested)

    peer.send(call)

    answer = verify.expect(peer, call, Answered)
    verify.that(answer.credits > 0, "the Reply grants at least one credit", actual=str(answer))
