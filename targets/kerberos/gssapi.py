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

__all__ = ["Credential", "GssError", "SecurityContext"]

_ERRORS: Final = 0xFFFF0000
"""RFC 2744 section 3.9.1: calling and routine errors; the rest of a status says more of success."""

_ACCEPT: Final = 2
_CONTINUE_NEEDED: Final = 1
_OF_ALL: Final = 1
_OF_THE_MECHANISM: Final = 2


class GssError(Exception):
    """A function of the library refused; the message is the library's."""


class _Buffer(Structure):
    _fields_ = (("length", c_size_t), ("value", c_void_p))


class _Pair(Structure):
    _fields_ = (("key", c_char_p), ("value", c_char_p))


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
        pairs = (_Pair * len(store))(
            *(_Pair(key.encode(), value.encode()) for key, value in store.items())
        )
        self._handle = c_void_p()
        _call(
            "gss_acquire_cred_from", None, c_uint32(0), None, c_int(_ACCEPT),
            byref(_Store(len(store), pairs)), byref(self._handle), None, None,
        )  # fmt: skip

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
