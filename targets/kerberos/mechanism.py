"""Kerberos as a mechanism of RPCSEC_GSS: the tester as a server, by the system's GSS-API.

    RFC 4121 section 4.2.6.1  a checksum: a header of 16 octets and an HMAC of 12
    RFC 4121 section 4.2.6.2  sealed octets: header, confounder, the header once more, HMAC
    RFC 3962 section 6        the encryption type that the realm has, AES with SHA-1

Contexts are kept until the mechanism is closed: a client that ends one may still repeat a call of
its.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.gss_context import HANDLE_LENGTH, Accepted
from targets.base import TargetError
from targets.kerberos.gssapi import Credential, GssError

if TYPE_CHECKING:
    from pathlib import Path

    from targets.kerberos.gssapi import SecurityContext

__all__ = ["KerberosContext", "KerberosMechanism", "KerberosSizes"]

_HEADER: Final = 16
_HMAC: Final = 12
_CONFOUNDER: Final = 16


@dataclass(frozen=True, slots=True)
class KerberosContext:
    """A context (see `rpcrdma.ulp.gss_context.GssContext`).

    Attributes:
        handle: as credentials carry it.
        inner: the library's.
    """

    handle: bytes
    inner: SecurityContext

    def mic(self, octets: bytes) -> bytes:
        """A checksum, which is another one each time."""
        return self.inner.mic(octets)

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        """Whether the client has made that of these octets."""
        return self.inner.is_mic(octets, mic)

    def wrap(self, _sequence: int, octets: bytes) -> bytes:
        """Octets sealed; the library has numbers of its own."""
        return self.inner.wrap(octets)

    def unwrap(self, _sequence: int, sealed: bytes) -> bytes:
        """What the client has sealed.

        Raises:
            DecodeError: it is something else.
        """
        try:
            return self.inner.unwrap(sealed)
        except GssError as error:
            words = f"{len(sealed)} octets: {error}"
            raise DecodeError(0, "databody_priv", Reason.BAD_CHECKSUM, words) from error


class KerberosSizes:
    """How long the tokens of a mechanism are (see `rpcrdma.ulp.gss_context.GssMechanism`)."""

    mic_length = _HEADER + _HMAC
    seal_length = _HEADER + _CONFOUNDER + _HEADER + _HMAC
    # What a server answers: its time, a key and a number, sealed; measured 156 octets.
    token_length = 256


class KerberosMechanism(KerberosSizes):
    """Gives out contexts to whoever has a ticket for the server's key.

    Attributes:
        complaint: why the latest token gave no context; empty if it gave one.
    """

    def __init__(self, keytab: Path) -> None:
        """Take the server's key.

        Args:
            keytab: the file that holds it.

        Raises:
            TargetError: it cannot be used.
        """
        self.complaint = ""
        self._contexts: dict[bytes, KerberosContext] = {}
        try:
            # No file remembers which tickets were shown: the realm ends with the run.
            self._keys = Credential({"keytab": f"FILE:{keytab}", "rcache": "none:"})
        except (GssError, OSError) as error:
            raise TargetError(
                f"the tester cannot be a server of Kerberos: {error};"
                " `rpcrdma lab doctor` says what is missing"
            ) from error

    def accept(self, token: bytes) -> Accepted:
        """The context for a client's token.

        Raises:
            DecodeError: it gives none.
        """
        self.complaint = ""
        try:
            inner, answer = self._keys.accept(token)
        except GssError as error:
            self.complaint = str(error)
            raise DecodeError(0, "gss_token", Reason.BAD_CHECKSUM, self.complaint) from error
        context = KerberosContext(secrets.token_bytes(HANDLE_LENGTH), inner)
        self._contexts[context.handle] = context
        return Accepted(context, answer)

    def context_of(self, handle: bytes) -> KerberosContext | None:
        """The context that a handle was given out for."""
        return self._contexts.get(handle)

    def close(self) -> None:
        """Forget all contexts, and the key.  Twice is allowed."""
        for context in self._contexts.values():
            context.inner.close()
        self._contexts.clear()
        self._keys.close()
