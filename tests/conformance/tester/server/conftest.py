"""The tester's service with the reference client in the same process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from conformance.tester.case import CaseLog
from conformance.tester.server import Service, Welcome
from rpcrdma.fabric.base import Address
from rpcrdma.ulp.testprog import TestProgram
from targets.base import Act, ActKind, ActResult, RunningAct
from targets.profile import SHIPPED, load_profile
from targets.reference.client import InProcessClientSession

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Facing:
    """A service, and a client that has connected to it."""

    session: InProcessClientSession
    service: Service

    def begin(self, kind: ActKind, length: int = 0, count: int = 1) -> RunningAct:
        return self.session.begin(Act(kind, length, count))

    def do(self, kind: ActKind, length: int = 0, count: int = 1) -> ActResult:
        return self.service.serve_until(self.begin(kind, length, count))


@pytest.fixture
def facing() -> Iterator[Facing]:
    yield from _facing((1,))


@pytest.fixture
def facing_two() -> Iterator[Facing]:
    """The same, both of whom speak Version Two."""
    yield from _facing((1, 2))


def _facing(versions: tuple[int, ...]) -> Iterator[Facing]:
    session = InProcessClientSession(Address("tester", 0), versions=versions)
    profile = load_profile(SHIPPED / "reference-client.toml")
    service = Service(session.fabric, session.listen_address, TestProgram, profile)
    service.begin(CaseLog())
    service.welcome = Welcome(version_one_only=versions == (1,))
    assert service.serve_until(session.prepare(service.address)).done
    yield Facing(session, service)
    service.close()
    session.close()
