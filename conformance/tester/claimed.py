"""What a profile claims, as the oracle takes it: a profile becomes a `Device` here only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.device import Device
from conformance.oracle.limits import Limits

if TYPE_CHECKING:
    from targets.profile import Profile

__all__ = ["device_of"]


def device_of(profile: Profile) -> Device:
    """The device of a profile."""
    claims = profile.claims
    return Device(
        versions=frozenset(claims.versions),
        backward=claims.backward,
        limits=Limits(claims.max_segments, claims.max_read_chunks, claims.max_write_chunks),
        call_threshold=claims.call_inline_threshold,
        reply_threshold=claims.reply_inline_threshold,
        operations=frozenset(claims.operations),
        chosen=profile.extra.interpretations,
    )
