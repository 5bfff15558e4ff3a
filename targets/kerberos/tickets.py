"""The tester as a client of Kerberos: contexts by a ticket that it has, for protected calls.

A context cannot read its own messages, but whoever judges what it sends must: what it has signed
and sealed is remembered with it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from targets.base import TargetError
from targets.kerberos.gssapi import GssError, Ticket
from targets.kerberos.mechanism import KerberosContext, KerberosSizes

if TYPE_CHECKING:
    from pathlib import Path

    from rpcrdma.ulp.gss_context import Accepted
    from targets.kerberos.gssapi import BegunContext

__all__ = ["ClientContext", "ClientContexts", "KerberosInitiation", "KerberosTickets"]


@dataclass(frozen=True, slots=True)
class ClientContext(KerberosContext):
    """A context whose own messages can be read (see `rpcrdma.ulp.gss_context.GssContext`)."""

    _signed: dict[bytes, bytes] = field(default_factory=dict)
    _sealed: dict[bytes, bytes] = field(default_factory=dict)

    def mic(self, octets: bytes) -> bytes:
        """A checksum, which is remembered."""
        mic = self.inner.mic(octets)
        self._signed[mic] = octets
        return mic

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        """Whether either end has made that of these octets."""
        return self._signed.get(mic) == octets or self.inner.is_mic(octets, mic)

    def wrap(self, _sequence: int, octets: bytes) -> bytes:
        """Octets sealed, which are remembered."""
        sealed = self.inner.wrap(octets)
        self._sealed[sealed] = octets
        return sealed

    def unwrap(self, sequence: int, sealed: bytes) -> bytes:
        """What either end has sealed.

        Raises:
            DecodeError: it is something else.
        """
        own = self._sealed.get(sealed)
        # Not super(): a class with slots is another one than that which the body belongs to.
        return KerberosContext.unwrap(self, sequence, sealed) if own is None else own


class ClientContexts(KerberosSizes):
    """A client's contexts, as a mechanism that gives none out."""

    def __init__(self) -> None:
        self._contexts: dict[bytes, ClientContext] = {}

    def accept(self, token: bytes) -> Accepted:
        """Nothing.

        Raises:
            LocalProtocolError: always.
        """
        raise LocalProtocolError(f"a client is asked for a context, by {len(token)} octets")

    def context_of(self, handle: bytes) -> ClientContext | None:
        """The context that the server has given a handle."""
        return self._contexts.get(handle)

    def add(self, context: ClientContext) -> None:
        """Know a context."""
        self._contexts[context.handle] = context

    def close(self) -> None:
        """Forget all of them.  Twice is allowed."""
        for context in self._contexts.values():
            context.inner.close()
        self._contexts.clear()


@dataclass(frozen=True, slots=True)
class KerberosInitiation:
    """A context that was asked for (see `rpcrdma.ulp.gss_context.GssInitiation`)."""

    begun: BegunContext
    known: ClientContexts

    @property
    def token(self) -> bytes:
        """For the server."""
        return self.begun.token

    def finish(self, handle: bytes, token: bytes) -> ClientContext:
        """Take what the server has answered.

        Raises:
            DecodeError: the token is none for this context.
        """
        try:
            context = ClientContext(handle, self.begun.finish(token))
        except GssError as error:
            raise DecodeError(0, "gss_token", Reason.BAD_CHECKSUM, str(error)) from error
        self.known.add(context)
        return context


class KerberosTickets:
    """A ticket for one server (see `rpcrdma.ulp.gss_context.GssInitiator`).

    Attributes:
        mechanism: the contexts that were made.
    """

    def __init__(self, cache: Path, server: str) -> None:
        """Take a ticket.

        Args:
            cache: the file that holds it.
            server: the principal that it is for.

        Raises:
            TargetError: there is none.
        """
        self.mechanism = ClientContexts()
        try:
            self._ticket = Ticket({"ccache": f"FILE:{cache}"}, server)
        except (GssError, OSError) as error:
            raise TargetError(
                f"the tester cannot be a client of Kerberos: {error};"
                " `rpcrdma lab doctor` says what is missing"
            ) from error

    def begin(self) -> KerberosInitiation:
        """Ask for a context.

        Raises:
            TargetError: the ticket is not valid any more.
        """
        try:
            return KerberosInitiation(self._ticket.begin(), self.mechanism)
        except GssError as error:
            raise TargetError(f"the tester's ticket is of no use: {error}") from error

    def close(self) -> None:
        """Forget ticket and contexts.  Twice is allowed."""
        self.mechanism.close()
        self._ticket.close()
