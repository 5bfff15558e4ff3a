"""Kerberos as a mechanism of RPCSEC_GSS, with contexts that seal nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcrdma.errors import DecodeError, Reason
from rpcrdma.ulp.gss_context import HANDLE_LENGTH
from targets.base import TargetError
from targets.kerberos import mechanism
from targets.kerberos.gssapi import GssError
from targets.kerberos.mechanism import KerberosContext, KerberosMechanism

KEYTAB = Path("/realm/server.keytab")


class Inner:
    """The library's context."""

    open = True

    def mic(self, octets: bytes) -> bytes:
        return b"mic of " + octets

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        return mic == self.mic(octets)

    def wrap(self, octets: bytes) -> bytes:
        return b"sealed " + octets

    def unwrap(self, sealed: bytes) -> bytes:
        if not sealed.startswith(b"sealed "):
            raise GssError("it is not sealed")
        return sealed[7:]

    def close(self) -> None:
        self.open = False


class Keys:
    """The library's credential."""

    def __init__(self, store: dict[str, str]) -> None:
        self.store = store
        self.open = True
        self.inner = Inner()

    def accept(self, token: bytes) -> tuple[Inner, bytes]:
        if token == b"bad":
            raise GssError("the token is bad")
        return self.inner, b"answer"

    def close(self) -> None:
        self.open = False


@pytest.fixture
def kerberos(monkeypatch: pytest.MonkeyPatch) -> KerberosMechanism:
    monkeypatch.setattr(mechanism, "Credential", Keys)
    return KerberosMechanism(KEYTAB)


def given(kerberos: KerberosMechanism) -> KerberosContext:
    context = kerberos.accept(b"token").context
    assert isinstance(context, KerberosContext)
    return context


def test_a_token_gives_a_context_that_its_handle_names(kerberos: KerberosMechanism) -> None:
    accepted = kerberos.accept(b"token")

    assert accepted.token == b"answer"
    assert len(accepted.context.handle) == HANDLE_LENGTH
    assert kerberos.context_of(accepted.context.handle) is accepted.context
    assert kerberos.context_of(bytes(HANDLE_LENGTH)) is None
    assert given(kerberos).handle != accepted.context.handle


def test_a_bad_token_is_refused_and_why_is_kept_until_the_next(kerberos: KerberosMechanism) -> None:
    with pytest.raises(DecodeError, match="the token is bad"):
        kerberos.accept(b"bad")
    assert kerberos.complaint == "the token is bad"

    kerberos.accept(b"token")
    assert kerberos.complaint == ""


def test_a_context_protects_as_the_library_does(kerberos: KerberosMechanism) -> None:
    context = given(kerberos)

    assert context.is_mic(b"octets", context.mic(b"octets"))
    assert not context.is_mic(b"others", context.mic(b"octets"))
    assert context.unwrap(5, context.wrap(5, b"octets")) == b"octets"


def test_what_was_not_sealed_cannot_be_decoded(kerberos: KerberosMechanism) -> None:
    with pytest.raises(DecodeError, match="it is not sealed") as caught:
        given(kerberos).unwrap(1, b"junk")

    assert (caught.value.path, caught.value.reason) == ("databody_priv", Reason.BAD_CHECKSUM)


def test_closing_forgets_keys_and_contexts(kerberos: KerberosMechanism) -> None:
    context, keys = given(kerberos), kerberos._keys
    kerberos.close()
    kerberos.close()

    assert kerberos.context_of(context.handle) is None
    assert isinstance(keys, Keys)
    assert (keys.open, keys.inner.open) == (False, False)
    assert keys.store == {"keytab": f"FILE:{KEYTAB}", "rcache": "none:"}


@pytest.mark.parametrize("error", [GssError("no key"), OSError("no library")])
def test_a_key_that_cannot_be_used_is_told(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_store: dict[str, str]) -> Keys:
        raise error

    monkeypatch.setattr(mechanism, "Credential", refuse)

    with pytest.raises(TargetError, match=f"server of Kerberos: {error}; `rpcrdma lab doctor`"):
        KerberosMechanism(KEYTAB)
