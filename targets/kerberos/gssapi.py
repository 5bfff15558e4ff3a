"""The system's GSS-API with Kerberos, as far as RPCSEC_GSS needs it: one module of ctypes.

    RFC 2744  GSS-API, C bindings: what the functions take, and which results are errors
    RFC 4121  the tokens of Kerberos, which the library makes and reads

Debian's nfs-common, which a machine with rpc.gssd has, brings the library.  Nothing here reads or
writes the environment: where keys and tickets are is told by each credential.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from functools import cache
from typing import TYPE_CHECKING, Final

from targets.lab.programs import GSSAPI_LIBRARY

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BegunContext", "Credential", "GssError", "SecurityContext", "Ticket"]

_ERRORS: Final = 0xFFFF0000
"""RFC 2744 section 3.9.1: calling and routine errors; the rest of a status says more of success."""

_INITIATE: Final = 1
_ACCEPT: Final = 2
_MUTUAL: Final = 2
"""RFC 2744 appendix A: the server proves who it is, too, which takes an answer of its."""

_CONTINUE_NEEDED: Final = 1
_OF_ALL: Final = 1
_OF_THE_MECHANISM: Final = 2

_PRINCIPAL: Final = bytes.fromhex("2a864886f71201020201")
"""RFC 1964 section 2.1.1: a name is a principal's, 1.2.840.113554.1.2.2.1."""


class GssError(Exception):
    """A function of the library refused; the message is the library's."""


class _Buffer(Structure):
    _fields_ = (("length", c_size_t), ("value", c_void_p))


class _Pair(Structure):
    _fields_ = (("key", c_char_p), ("value", c_char_p))


class _Oid(Structure):
    _fields_ = (("length", c_uint32), ("elements", c_char_p))


class _Store(Structure):
    _fields_ = (("count", c_uint32), ("elements", POINTER(_Pair)))


class Credential:
    """The keys by which a server accepts contexts.

    Args:
        store: the library's names for places: `keytab`, `rcache`.

    Raises:
        GssError: there are none.
        OSError: the library is not on this machine.
    """

    def __init__(self, store: Mapping[str, str]) -> None:
        self._handle = _acquired(store, _ACCEPT)

    def accept(self, token: bytes) -> tuple[SecurityContext, bytes]:
        """Make a context for a client's token; returns the server's token, too.

        Raises:
            GssError: the token is none, is not for these keys, or wants a second exchange.
        """
        context, answer = c_void_p(), _Buffer()
        status = _call(
            "gss_accept_sec_context", byref(context), self._handle, byref(_given(token)), None,
            None, None, byref(answer), None, None, None,
        )  # fmt: skip
        made, octets = SecurityContext(context), _taken(answer)
        if status & _CONTINUE_NEEDED:
            made.close()
            raise GssError("the client wants a second exchange")
        return made, octets

    def close(self) -> None:
        """Release it.  Twice is allowed."""
        _call("gss_release_cred", byref(self._handle))


class Ticket:
    """What a client shows a server; it is had already, so that nobody is asked for one.

    Args:
        store: the library's names for places: `ccache`.
        server: the principal that the ticket is for.

    Raises:
        GssError: there is none.
        OSError: the library is not on this machine.
    """

    def __init__(self, store: Mapping[str, str], server: str) -> None:
        self._handle, self._server = _acquired(store, _INITIATE), c_void_p()
        kind = byref(_Oid(len(_PRINCIPAL), _PRINCIPAL))
        _call("gss_import_name", byref(_given(server.encode())), kind, byref(self._server))

    def begin(self) -> BegunContext:
        """Begin a context.

        Raises:
            GssError: the ticket is for another server, or not valid now.
        """
        return BegunContext(self._handle, self._server)

    def close(self) -> None:
        """Release it.  Twice is allowed."""
        _call("gss_release_name", byref(self._server))
        _call("gss_release_cred", byref(self._handle))


class BegunContext:
    """A context that waits for the server's answer.

    Attributes:
        token: for the server.
    """

    def __init__(self, ticket: c_void_p, server: c_void_p) -> None:
        self._ticket, self._server, self._context = ticket, server, c_void_p()
        self.token = self._step(b"")

    def finish(self, token: bytes) -> SecurityContext:
        """Take the server's token.

        Raises:
            GssError: it is none for this context.
        """
        self._step(token)
        return SecurityContext(self._context)

    def _step(self, token: bytes) -> bytes:
        answer = _Buffer()
        _call(
            "gss_init_sec_context", self._ticket, byref(self._context), self._server, None,
            c_uint32(_MUTUAL), c_uint32(0), None, byref(_given(token)), None, byref(answer), None,
            None,
        )  # fmt: skip
        return _taken(answer)


class SecurityContext:
    """An established context of the library's."""

    def __init__(self, handle: c_void_p) -> None:
        self._handle = handle

    def mic(self, octets: bytes) -> bytes:
        """GSS_GetMIC."""
        token = _Buffer()
        _call("gss_get_mic", self._handle, c_uint32(0), byref(_given(octets)), byref(token))
        return _taken(token)

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        """GSS_VerifyMIC."""
        try:
            _call("gss_verify_mic", self._handle, byref(_given(octets)), byref(_given(mic)), None)
        except GssError:
            return False
        return True

    def wrap(self, octets: bytes) -> bytes:
        """GSS_Wrap, with confidentiality."""
        sealed = _Buffer()
        _call(
            "gss_wrap", self._handle, c_int(1), c_uint32(0), byref(_given(octets)), None,
            byref(sealed),
        )  # fmt: skip
        return _taken(sealed)

    def unwrap(self, sealed: bytes) -> bytes:
        """GSS_Unwrap.

        Raises:
            GssError: it was not sealed in this context, or without confidentiality.
        """
        octets, confidential = _Buffer(), c_int()
        _call(
            "gss_unwrap", self._handle, byref(_given(sealed)), byref(octets), byref(confidential),
            None,
        )  # fmt: skip
        plain = _taken(octets)
        if not confidential.value:
            raise GssError("it was sealed without confidentiality")
        return plain

    def close(self) -> None:
        """Release it.  Twice is allowed."""
        _call("gss_delete_sec_context", byref(self._handle), None)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(GSSAPI_LIBRARY)


def _acquired(store: Mapping[str, str], usage: int) -> c_void_p:
    pairs = (_Pair * len(store))(
        *(_Pair(key.encode(), value.encode()) for key, value in store.items())
    )
    handle = c_void_p()
    _call(
        "gss_acquire_cred_from", None, c_uint32(0), None, c_int(usage),
        byref(_Store(len(store), pairs)), byref(handle), None, None,
    )  # fmt: skip
    return handle


def _call(function: str, *arguments: object) -> int:
    """Call a function of the library, whose first argument is where the minor status goes.

    Raises:
        GssError: its status is an error.
    """
    minor = c_uint32()
    routine = _library()[function]
    routine.restype = c_uint32
    status: int = routine(byref(minor), *arguments)
    if status & _ERRORS:
        words = f"{_words(status, _OF_ALL)} {_words(minor.value, _OF_THE_MECHANISM)}"
        raise GssError(f"{function}: {words}")
    return status


def _words(status: int, kind: int) -> str:
    """What the library says of a status."""
    text, more, ignored = _Buffer(), c_uint32(), c_uint32()
    _library().gss_display_status(
        byref(ignored), c_uint32(status), c_int(kind), None, byref(more), byref(text)
    )
    return _taken(text).decode("utf-8", "replace")


def _given(octets: bytes) -> _Buffer:
    return _Buffer(len(octets), ctypes.cast(c_char_p(octets), c_void_p))


def _taken(buffer: _Buffer) -> bytes:
    octets = ctypes.string_at(buffer.value, buffer.length) if buffer.value else b""
    _library().gss_release_buffer(byref(c_uint32()), byref(buffer))
    return octets
