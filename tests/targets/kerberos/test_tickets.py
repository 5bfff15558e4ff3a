"""The tester as a client of Kerberos, with a library that seals nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rpcrdma.errors import DecodeError, LocalProtocolError, Reason
from targets.base import TargetError
from targets.kerberos import tickets
from targets.kerberos.gssapi import GssError
from targets.kerberos.tickets import ClientContext, KerberosTickets

CACHE = Path("/realm/ticket")
SERVER = "nfs/server@REALM"


class Inner:
    """The library's context, which does not read what it has made itself."""

    def __init__(self) -> None:
        self.open = True
        self.count = 0

    def mic(self, octets: bytes) -> bytes:
        self.count += 1
        return b"own mic %d" % self.count

    def is_mic(self, octets: bytes, mic: bytes) -> bool:
        return mic == b"the server's"

    def wrap(self, octets: bytes) -> bytes:
        self.count += 1
        return b"own seal %d" % self.count

    def unwrap(self, sealed: bytes) -> bytes:
        if not sealed.startswith(b"sealed "):
            raise GssError("it is not sealed")
        return sealed[7:]

    def close(self) -> None:
        self.open = False


class Begun:
    token = b"the client's token"

    def finish(self, token: bytes) -> Inner:
        if token == b"bad":
            raise GssError("the token is bad")
        return Inner()


class Shown:
    """The library's ticket."""

    def __init__(self, store: dict[str, str], server: str) -> None:
        self.store, self.server, self.open, self.old = store, server, True, False

    def begin(self) -> Begun:
        if self.old:
            raise GssError("the ticket is expired")
        return Begun()

    def close(self) -> None:
        self.open = False


@pytest.fixture
def kerberos(monkeypatch: pytest.MonkeyPatch) -> KerberosTickets:
    monkeypatch.setattr(tickets, "Ticket", Shown)
    return KerberosTickets(CACHE, SERVER)


@pytest.fixture
def context(kerberos: KerberosTickets) -> ClientContext:
    return kerberos.begin().finish(b"handle", b"the server's token")


def shown(kerberos: KerberosTickets) -> Shown:
    ticket = kerberos._ticket
    assert isinstance(ticket, Shown)
    return ticket


def test_a_context_is_known_by_its_handle_when_it_is_finished(kerberos: KerberosTickets) -> None:
    begun = kerberos.begin()
    assert begun.token == b"the client's token"
    assert kerberos.mechanism.context_of(b"handle") is None

    context = begun.finish(b"handle", b"the server's token")

    assert kerberos.mechanism.context_of(b"handle") is context
    assert (shown(kerberos).store, shown(kerberos).server) == (
        {"ccache": f"FILE:{CACHE}"},
        SERVER,
    )


def test_a_bad_answer_gives_none(kerberos: KerberosTickets) -> None:
    with pytest.raises(DecodeError, match="the token is bad") as caught:
        kerberos.begin().finish(b"handle", b"bad")

    assert caught.value.path == "gss_token"


def test_a_context_knows_what_it_has_signed(context: ClientContext) -> None:
    mic = context.mic(b"octets")

    assert context.is_mic(b"octets", mic)
    assert not context.is_mic(b"others", mic)
    assert context.is_mic(b"whatever", b"the server's")


def test_a_context_knows_what_it_has_sealed(context: ClientContext) -> None:
    assert context.unwrap(1, context.wrap(1, b"octets")) == b"octets"
    assert context.unwrap(1, b"sealed by the server") == b"by the server"
    with pytest.raises(DecodeError) as caught:
        context.unwrap(1, b"junk")
    assert caught.value.reason is Reason.BAD_CHECKSUM


def test_a_client_gives_out_no_contexts(kerberos: KerberosTickets) -> None:
    with pytest.raises(LocalProtocolError, match="by 5 octets"):
        kerberos.mechanism.accept(b"token")


def test_closing_forgets_ticket_and_contexts(
    kerberos: KerberosTickets, context: ClientContext
) -> None:
    kerberos.close()
    kerberos.close()

    inner = context.inner
    assert isinstance(inner, Inner)
    assert not inner.open
    assert not shown(kerberos).open
    assert kerberos.mechanism.context_of(b"handle") is None


def test_a_ticket_that_is_too_old_is_told(kerberos: KerberosTickets) -> None:
    shown(kerberos).old = True

    with pytest.raises(TargetError, match="of no use: the ticket is expired"):
        kerberos.begin()


@pytest.mark.parametrize("error", [GssError("no ticket"), OSError("no library")])
def test_a_ticket_that_there_is_not_is_told(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refuse(_store: dict[str, str], _server: str) -> Shown:
        raise error

    monkeypatch.setattr(tickets, "Ticket", refuse)

    with pytest.raises(TargetError, match=f"client of Kerberos: {error}; `rpcrdma lab doctor`"):
        KerberosTickets(CACHE, SERVER)
