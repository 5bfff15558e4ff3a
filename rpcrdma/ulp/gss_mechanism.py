"""A mechanism for RPCSEC_GSS that protects nobody: it makes messages of the right shape.

A security mechanism that means something takes keys that a third party hands out (Kerberos).  What
a transport must not do to protected messages does not depend on what protects them, so this one
has a single secret that is written here, for all to read.  Whoever knows a token or a handle knows
the keys of its context; integrity is HMAC with SHA-256, privacy an XOR with octets of SHAKE-256
beside the same checksum.  Nothing outside of tests may use it.

A handle says by itself which context it is of: nothing is remembered of contexts, so they outlive
connections, end with nobody, and are the same for the same token.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.gss_context import Accepted

__all__ = [
    "MIC_LENGTH",
    "MOCK",
    "MockContext",
    "MockInitiation",
    "MockInitiator",
    "MockMechanism",
    "accept",
    "context_of",
]

MIC_LENGTH: Final = 32
"""Octets of a checksum."""

COMMON: Final = b"rpcrdma mock mechanism: no secret"
HALF: Final = 8
"""Octets of each half of a handle: what tells contexts apart, and what proves that it was given."""


@dataclass(frozen=True, slots=True)
class MockContext:
    """A security context, which both ends know from its handle.

    Attributes:
        handle: as credentials carry it.
    """

    handle: bytes

    @property
    def key(self) -> bytes:
        """Of the context."""
        return _hmac(COMMON, b"key", self.handle)

    def mic(self, octets: bytes) -> bytes:
        """The checksum of some octets."""
        return _hmac(self.key, b"mic", octets)

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        """Whether that is the checksum of some octets."""
        return hmac.compare_digest(self.mic(octets), mic)

    def wrap(self, sequence: int, octets: bytes) -> bytes:
        """Octets that do not show what they are made of; the same for the same, in tests."""
        return self._masked(sequence, octets) + self.mic(octets)

    def unwrap(self, sequence: int, sealed: bytes) -> bytes:
        """What was wrapped.

        Raises:
            DecodeError: it is something else; offsets are those in `sealed`.
        """
        masked, mic = sealed[:-MIC_LENGTH], sealed[-MIC_LENGTH:]
        octets = self._masked(sequence, masked)
        if not self.is_mic(octets, mic):
            raise DecodeError(0, "databody_priv", Reason.BAD_CHECKSUM, f"{len(sealed)} octets")
        return octets

    def _masked(self, sequence: int, octets: bytes) -> bytes:
        length = len(octets)
        mask = hashlib.shake_256(self.key + sequence.to_bytes(4)).digest(length)
        return (int.from_bytes(octets) ^ int.from_bytes(mask)).to_bytes(length)


def accept(token: bytes) -> MockContext:
    """The context that a server makes for a client's token."""
    name = hashlib.sha256(token).digest()[:HALF]
    return MockContext(name + _proof(name))


def context_of(handle: bytes) -> MockContext | None:
    """The context that a handle was given out for; None if it never was."""
    name = handle[:HALF]
    given = hmac.compare_digest(handle, name + _proof(name))
    return MockContext(handle) if given else None


class MockMechanism:
    """The mechanism as a server has it (see `rpcrdma.ulp.gss_context.GssMechanism`)."""

    mic_length = MIC_LENGTH
    seal_length = MIC_LENGTH
    token_length = MIC_LENGTH

    def accept(self, token: bytes) -> Accepted:
        """The context for a client's token; the server's is a checksum of that."""
        context = accept(token)
        return Accepted(context, context.mic(token))

    def context_of(self, handle: bytes) -> MockContext | None:
        """The context that a handle was given out for."""
        return context_of(handle)


@dataclass(frozen=True, slots=True)
class MockInitiation:
    """A context that was asked for (see `rpcrdma.ulp.gss_context.GssInitiation`)."""

    token: bytes

    def finish(self, handle: bytes, _token: bytes) -> MockContext:
        """Take the handle, which says all."""
        return MockContext(handle)


@dataclass(frozen=True, slots=True)
class MockInitiator:
    """The mechanism as a client has it (see `rpcrdma.ulp.gss_context.GssInitiator`).

    Attributes:
        token: which it shows.
    """

    token: bytes

    @property
    def mechanism(self) -> MockMechanism:
        """Of any context."""
        return MOCK

    def begin(self) -> MockInitiation:
        """Ask for the context that the token gives."""
        return MockInitiation(self.token)


MOCK: Final = MockMechanism()
"""There is nothing to tell two of them apart."""


def _proof(name: bytes) -> bytes:
    return _hmac(COMMON, b"handle", name)[:HALF]


def _hmac(key: bytes, *parts: bytes) -> bytes:
    return hmac.digest(key, b"\0".join(parts), "sha256")
