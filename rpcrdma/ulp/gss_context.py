"""What RPCSEC_GSS asks of a security mechanism: contexts, and who gives them out.

    rfc2203 section 5.2.2    Context Creation Requests
    rfc2203 section 5.3.3.4  message integrity and privacy by GSS_GetMIC and GSS_Wrap

One mechanism is here, and protects nobody (`rpcrdma.ulp.gss_mechanism`); Kerberos is another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

__all__ = [
    "HANDLE_LENGTH",
    "Accepted",
    "GssContext",
    "GssInitiation",
    "GssInitiator",
    "GssMechanism",
]

HANDLE_LENGTH: Final = 16
"""Octets of the handles that our servers give out."""


class GssContext(Protocol):
    """A security context, as either end has it."""

    @property
    def handle(self) -> bytes:
        """As credentials carry it."""
        ...

    def mic(self, octets: bytes) -> bytes:
        """A checksum of some octets; it may be another one each time."""
        ...

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        """Whether the other end has made that of these octets."""
        ...

    def wrap(self, sequence: int, octets: bytes) -> bytes:
        """Octets sealed, under the sequence number of their call."""
        ...

    def unwrap(self, sequence: int, sealed: bytes) -> bytes:
        """What the other end has sealed.

        Raises:
            DecodeError: it is something else; offsets are those in `sealed`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a client gets for its token.

    Attributes:
        context: the new one.
        token: the server's own.
    """

    context: GssContext
    token: bytes


class GssMechanism(Protocol):
    """What gives contexts out, by one exchange each.

    Attributes:
        mic_length: octets of a checksum.
        seal_length: octets by which what is sealed is longer.
        token_length: most octets of a server's token.
    """

    @property
    def mic_length(self) -> int: ...  # noqa: D102

    @property
    def seal_length(self) -> int: ...  # noqa: D102

    @property
    def token_length(self) -> int: ...  # noqa: D102

    def accept(self, token: bytes) -> Accepted:
        """Make a context for a client's token.

        Raises:
            DecodeError: it is none.
        """
        ...

    def context_of(self, handle: bytes) -> GssContext | None:
        """The context that a handle was given out for; None if it never was."""
        ...


class GssInitiation(Protocol):
    """A context that a client has asked for.

    Attributes:
        token: for the server.
    """

    @property
    def token(self) -> bytes: ...  # noqa: D102

    def finish(self, handle: bytes, token: bytes) -> GssContext:
        """Take what the server has answered.

        Args:
            handle: of the context.
            token: the server's.

        Raises:
            DecodeError: the token is none for this context.
        """
        ...


class GssInitiator(Protocol):
    """What a client has, for as many contexts as it likes."""

    @property
    def mechanism(self) -> GssMechanism:
        """Of its contexts; knows those that are finished, and gives out none."""
        ...

    def begin(self) -> GssInitiation:
        """Ask for a context."""
        ...
