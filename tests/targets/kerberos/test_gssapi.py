"""The system's GSS-API, with a library that is none: what it is given, and what becomes of it."""

# ruff: noqa: ANN401  (what ctypes hands over has no type of its own)

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pytest

from targets.kerberos import gssapi
from targets.kerberos.gssapi import Credential, GssError, SecurityContext, Ticket

if TYPE_CHECKING:
    from collections.abc import Callable

STORE = {"keytab": "FILE:/keys", "rcache": "none:"}
DEFECTIVE = 9 << 16
CONTINUE = 1


class Routine:
    """A function of the library: ctypes gives it a type of result."""

    restype: Any = None

    def __init__(self, act: Callable[..., int]) -> None:
        self._act = act

    def __call__(self, *arguments: Any) -> int:
        return self._act(*arguments)


class Library:
    """Seals by turning octets round, and refuses what it has not sealed."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.store: dict[bytes, bytes] = {}
        self.kept: list[Any] = []
        self.released = 0
        self.named = b""

    def __getitem__(self, name: str) -> Routine:
        self.called.append(name)
        return Routine(getattr(self, name))

    def give(self, buffer: Any, octets: bytes) -> int:
        kept = ctypes.create_string_buffer(octets, len(octets))
        self.kept.append(kept)
        buffer._obj.length, buffer._obj.value = len(octets), ctypes.addressof(kept)
        return 0

    @staticmethod
    def read(buffer: Any) -> bytes:
        return ctypes.string_at(buffer._obj.value, buffer._obj.length)

    def gss_acquire_cred_from(self, *arguments: Any) -> int:
        store = arguments[5]._obj
        self.store = {pair.key: pair.value for pair in store.elements[: store.count]}
        arguments[6]._obj.value = 7
        return 0 if len(self.store) == 2 else DEFECTIVE

    def gss_accept_sec_context(self, *arguments: Any) -> int:
        token = self.read(arguments[3])
        if token == b"bad":
            return DEFECTIVE
        arguments[1]._obj.value = 5
        self.give(arguments[7], b"answer to " + token)
        return CONTINUE if token == b"more" else 0

    def gss_get_mic(self, *arguments: Any) -> int:
        return self.give(arguments[4], b"mic of " + self.read(arguments[3]))

    def gss_verify_mic(self, *arguments: Any) -> int:
        right = self.read(arguments[3]) == b"mic of " + self.read(arguments[2])
        return 0 if right else DEFECTIVE

    def gss_wrap(self, *arguments: Any) -> int:
        assert arguments[2].value == 1
        return self.give(arguments[6], b"x" + self.read(arguments[4])[::-1])

    def gss_unwrap(self, *arguments: Any) -> int:
        sealed = self.read(arguments[2])
        if sealed[:1] not in (b"x", b"o"):
            return DEFECTIVE
        arguments[4]._obj.value = int(sealed[:1] == b"x")
        return self.give(arguments[3], sealed[:0:-1])

    def gss_import_name(self, *arguments: Any) -> int:
        kind = arguments[2]._obj
        assert len(kind.elements) == kind.length == 10
        self.named = self.read(arguments[1])
        arguments[3]._obj.value = 3
        return 0

    def gss_init_sec_context(self, *arguments: Any) -> int:
        token = self.read(arguments[8])
        if token == b"bad":
            return DEFECTIVE
        arguments[2]._obj.value = 5
        return self.give(arguments[10], b"" if token else b"first") or CONTINUE

    def gss_release_name(self, *_arguments: Any) -> int:
        return 0

    def gss_display_status(self, *arguments: Any) -> int:
        kind = "in general" if arguments[2].value == 1 else "in detail"
        return self.give(arguments[5], kind.encode())

    def gss_release_buffer(self, _minor: Any, _buffer: Any) -> int:
        self.released += 1
        return 0

    def gss_release_cred(self, *_arguments: Any) -> int:
        return 0

    def gss_delete_sec_context(self, *_arguments: Any) -> int:
        return 0


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    monkeypatch.setattr(gssapi, "_library", lambda: made)
    return made


@pytest.fixture
def context(library: Library) -> SecurityContext:
    made, _ = Credential(STORE).accept(b"token")
    return made


def test_keys_are_those_of_the_store(library: Library) -> None:
    Credential(STORE).close()

    assert library.store == {b"keytab": b"FILE:/keys", b"rcache": b"none:"}
    assert library.called == ["gss_acquire_cred_from", "gss_release_cred"]


@pytest.mark.usefixtures("library")
def test_keys_that_there_are_not_are_told_in_the_librarys_words() -> None:
    with pytest.raises(GssError, match="gss_acquire_cred_from: in general in detail"):
        Credential({"keytab": "FILE:/none"})


def test_a_token_gives_a_context_and_an_answer(library: Library) -> None:
    context, answer = Credential(STORE).accept(b"token")
    context.close()

    assert answer == b"answer to token"
    assert library.called[-1] == "gss_delete_sec_context"
    assert library.released == 1


@pytest.mark.parametrize(
    ("token", "why"), [(b"bad", "in detail"), (b"more", "wants a second exchange")]
)
@pytest.mark.usefixtures("library")
def test_a_token_that_gives_none_is_refused(token: bytes, why: str) -> None:
    with pytest.raises(GssError, match=why):
        Credential(STORE).accept(token)


def test_a_ticket_begins_contexts_that_the_servers_answer_finishes(library: Library) -> None:
    ticket = Ticket(STORE, "nfs/server@REALM")
    begun = ticket.begin()

    context = begun.finish(b"answer")
    ticket.close()
    ended = library.called[-2:]

    assert (library.named, begun.token) == (b"nfs/server@REALM", b"first")
    assert context.is_mic(b"octets", context.mic(b"octets"))
    assert ended == ["gss_release_name", "gss_release_cred"]


@pytest.mark.usefixtures("library")
def test_an_answer_that_finishes_none_is_refused() -> None:
    with pytest.raises(GssError, match="gss_init_sec_context: in general in detail"):
        Ticket(STORE, "nfs/server@REALM").begin().finish(b"bad")


def test_a_checksum_is_of_its_octets(context: SecurityContext) -> None:
    mic = context.mic(b"octets\0more")

    assert context.is_mic(b"octets\0more", mic)
    assert not context.is_mic(b"others", mic)


@pytest.mark.parametrize("octets", [b"", b"octets\0more"])
def test_what_is_sealed_is_opened(context: SecurityContext, octets: bytes) -> None:
    assert context.unwrap(context.wrap(octets)) == octets


@pytest.mark.parametrize(
    ("sealed", "why"), [(b"junk", "in detail"), (b"open", "without confidentiality")]
)
def test_what_is_not_sealed_is_refused(context: SecurityContext, sealed: bytes, why: str) -> None:
    with pytest.raises(GssError, match=why):
        context.unwrap(sealed)


def test_a_library_that_is_missing_is_no_error_until_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gssapi, "GSSAPI_LIBRARY", "libnone.so.0")
    gssapi._library.cache_clear()

    with pytest.raises(OSError, match=r"libnone\.so"):
        Credential(STORE)
    gssapi._library.cache_clear()
