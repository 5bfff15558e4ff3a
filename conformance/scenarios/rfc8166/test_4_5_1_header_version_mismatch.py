"""RFC 8166 section 4.5.1, Header Version Mismatch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import build, verify
from conformance.outcome import ErrVers
from conformance.requirement import requirement

if TYPE_CHECKING:
    from conformance.peer import Peer
    from targets.profile import Profile

VERSIONS = [0, 2, 3, 2**32 - 1]


@requirement(
    "rfc8166.4.5.1.unsupported-version-gets-err-vers",
    "rfc8166.4.5.error-xid-echoed",
    "rfc8166.4.5.error-version-echoed",
)
@pytest.mark.parametrize("version", VERSIONS)
def test_responder_answers_an_unknown_version_with_err_vers(peer: Peer, version: int) -> None:
    """A Call in an unknown version is answered by ERR_VERS with its XID and version."""
    call = build.null_call(peer, version=version)

    peer.send(call)

    verify.expect(peer, call, ErrVers, breaks="rfc8166.4.5.1.unsupported-version-gets-err-vers")


@requirement("rfc8166.4.5.1.err-vers-range")
def test_responder_gives_its_own_range(peer: Peer, profile: Profile) -> None:
    """The range in ERR_VERS is what the profile claims."""
    call = build.null_call(peer, version=99)

    peer.send(call)

    error = verify.expect(peer, call, ErrVers)
    verify.equal(error.versions, profile.versions, "rdma_vers_low..rdma_vers_high")
