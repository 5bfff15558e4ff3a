"""Kerberos beside the kernel's client, with a guest that is none."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp import gss, rpc
from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.gss_mechanism import MockMechanism, accept
from rpcrdma.ulp.mount3 import KERBEROS_FLAVORS, MountProgram, mount_call
from rpcrdma.wire import _generated_mount3 as wire
from targets.base import TargetError
from targets.kerberos import client
from targets.kerberos.client import ClientRealm
from targets.standing.guest_agent import GuestRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


class Mechanism(MockMechanism):
    """Notes its key, and that it was closed."""

    closed = False

    def __init__(self, keytab: Path) -> None:
        self.keytab = keytab

    def close(self) -> None:
        self.closed = True


@dataclass
class Agent:
    """Takes whatever is run for run."""

    ended: GuestRun = field(default_factory=lambda: GuestRun(0, b"", b""))
    words: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    text: bytes = b""

    def run(
        self, words: Sequence[str], environment: Mapping[str, str], text: bytes, _limit: float
    ) -> GuestRun:
        self.words, self.environment, self.text = words, environment, text
        return self.ended


def make_realm(folder: Path, _home: str) -> None:
    (folder / "server.keytab").write_text("key")


@pytest.fixture
def realm(monkeypatch: pytest.MonkeyPatch) -> Iterator[ClientRealm]:
    monkeypatch.setattr(client, "make_realm", make_realm)
    monkeypatch.setattr(client, "KerberosMechanism", Mechanism)
    made = ClientRealm()
    yield made
    made.close()


def test_the_guest_gets_the_realms_files_and_both_addresses(realm: ClientRealm) -> None:
    agent = Agent()

    realm.set_up(agent, "10.9.0.2", "10.9.0.1")  # type: ignore[arg-type]  # all that it uses

    assert list(agent.words[-3:]) == ["/run/rpcrdma/kerberos", "10.9.0.2", "10.9.0.1"]
    assert agent.environment["KRB5_CONFIG"] == "/run/rpcrdma/kerberos/krb5.conf"
    with tarfile.open(fileobj=io.BytesIO(agent.text)) as archive:
        assert "./server.keytab" in archive.getnames()


def test_what_the_guest_runs_is_a_shells() -> None:
    assert subprocess.run(["sh", "-n", "-c", client._SCRIPT], check=False).returncode == 0


def test_contexts_and_mount_are_served_by_tcp(realm: ClientRealm) -> None:
    served = realm.by_tcp(100003, 3, MountProgram(FileStore(), KERBEROS_FLAVORS))

    (given,) = served.execute(gss.init_call(7, 100003, 3, b"token"))
    (mounted,) = served.execute(mount_call(8, b"/", credential=rpc.AUTH_NONE))

    assert gss.established(given) == accept(b"token")
    result, _ = wire.decode_mount_result(mounted, rpc.decode_reply(mounted)[1])
    assert isinstance(result, wire.MountDone)
    assert result.auth_flavors == KERBEROS_FLAVORS


def test_closing_leaves_nothing(realm: ClientRealm) -> None:
    mechanism = realm.mechanism
    assert isinstance(mechanism, Mechanism)
    assert mechanism.keytab.exists()

    realm.close()

    assert mechanism.closed
    assert not mechanism.keytab.parent.exists()


def test_a_realm_without_a_server_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def refuse(keytab: Path) -> Mechanism:
        seen.append(keytab)
        raise TargetError("no library")

    monkeypatch.setattr(client, "make_realm", make_realm)
    monkeypatch.setattr(client, "KerberosMechanism", refuse)

    with pytest.raises(TargetError):
        ClientRealm()
    assert not seen[0].parent.exists()
