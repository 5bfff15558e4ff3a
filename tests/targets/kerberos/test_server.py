"""Kerberos beside the kernel's server, with a guest that is none."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from targets.base import TargetError
from targets.kerberos import server
from targets.kerberos.server import ServerRealm
from targets.standing.guest_agent import GuestRun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass
class Agent:
    """Prints a ticket whatever it runs."""

    words: Sequence[str] = field(default=())

    def run(self, words: Sequence[str], *_rest: object) -> GuestRun:
        self.words = words
        return GuestRun(0, b"ticket", b"")


class Tickets:
    """Notes what it is made of, and that it was closed."""

    closed = False

    def __init__(self, cache: Path, server: str) -> None:
        self.cache, self.content, self.server = cache, cache.read_bytes(), server

    def close(self) -> None:
        self.closed = True


def make_realm(folder: Path, _home: str) -> None:
    (folder / "server.keytab").write_text("key")


@pytest.fixture(autouse=True)
def realm_without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "make_realm", make_realm)
    monkeypatch.setattr(server, "KerberosTickets", Tickets)


def test_the_testers_ticket_comes_from_the_guest_that_serves() -> None:
    agent = Agent()

    realm = ServerRealm(agent, "/srv/export")  # type: ignore[arg-type]  # all that it uses

    tickets = realm.initiator
    assert isinstance(tickets, Tickets)
    assert tickets.content == b"ticket"
    assert tickets.server == "nfs/server.rpcrdma.test@RPCRDMA.TEST"
    assert agent.words[-3:-1] == ("/run/rpcrdma/kerberos", "/srv/export")
    assert agent.words[-1].endswith(",sec=sys:none")
    realm.close()
    assert tickets.closed
    assert not tickets.cache.parent.exists()


def test_what_the_guest_runs_is_a_shells() -> None:
    assert subprocess.run(["sh", "-n", "-c", server._SCRIPT], check=False).returncode == 0


def test_a_realm_without_a_ticket_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def refuse(cache: Path, _server: str) -> Tickets:
        seen.append(cache)
        raise TargetError("no library")

    monkeypatch.setattr(server, "KerberosTickets", refuse)

    with pytest.raises(TargetError):
        ServerRealm(Agent(), "/srv/export")  # type: ignore[arg-type]
    assert not seen[0].parent.exists()
