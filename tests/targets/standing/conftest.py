"""An agent without a guest: it runs in this process, and is reached as it would be there."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from targets.lab.setup import LabServer, ServerKind
from targets.standing.agent import Agent, serve
from targets.standing.agent_client import AgentClient
from targets.standing.port import AgentPort
from targets.standing.prepared import PreparedGuest
from targets.standing.setup import StandingSetup

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def prepared(tmp_path: Path) -> PreparedGuest:
    """A guest in which nothing was set up, that logs into the file `kmsg` and exports `export`."""
    log = tmp_path / "kmsg"
    log.write_text("")
    export = tmp_path / "export"
    export.mkdir()
    server = LabServer(ServerKind.NONE, export=str(export))
    return PreparedGuest(StandingSetup(server, environment={"FROM_SETUP": "here"}), log)


@pytest.fixture
def client(prepared: PreparedGuest) -> Iterator[AgentClient]:
    """A tester that is connected to an agent."""
    ours, guests = socket.socketpair()
    guests.settimeout(0)
    port = AgentPort(guests.fileno())
    agent = Agent(port.send, prepared)
    thread = threading.Thread(target=serve, args=(port, agent))
    thread.start()
    tester = AgentClient(ours)
    yield tester
    tester.close()
    thread.join()
    agent.clean_up()
    guests.close()
