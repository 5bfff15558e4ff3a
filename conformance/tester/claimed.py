"""What a profile claims, as the oracle takes it: a profile becomes a `Device` here only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.device import Device
from conformance.oracle.limits import Limits
from rpcrdma.wire.operations import BY_NAME, among

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire.operations import OptionalOperation
    from targets.profile import Profile

__all__ = ["claimed_operations", "device_of"]


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


def claimed_operations(profile: Profile) -> Mapping[int, OptionalOperation]:
    """The optional operations that a device claims to support, by opttype."""
    return among({BY_NAME[name].code for name in profile.claims.operations})
