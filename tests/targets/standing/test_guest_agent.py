"""The agent's typed face, before an agent in this process."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from rpcrdma.ulp.file_store import FileStore
from rpcrdma.ulp.mount3 import MountProgram, mount_call
from rpcrdma.ulp.record_marking import RecordReader, encode_record
from rpcrdma.ulp.rpc import AUTH_NONE, decode_reply
from targets.lab.errors import LabError
from targets.nfs.mount_service import MountService
from targets.standing.guest_agent import GuestAgent, GuestRun
from targets.usage import Resource, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from targets.standing.agent_client import AgentClient

HOST = "127.0.0.1"
SECONDS = 10.0
CALL = mount_call(7, b"/", credential=AUTH_NONE)


@pytest.fixture
def agent(client: AgentClient) -> GuestAgent:
    return GuestAgent(client)


def test_a_program_is_run(agent: GuestAgent) -> None:
    ended = agent.run(["sh", "-c", "cat; printf $OWN >&2; exit 5"], {"OWN": "mine"}, b"in\0put")
    assert ended == GuestRun(5, b"in\0put", b"mine")


def test_the_log_is_handed_over(agent: GuestAgent, tmp_path: Path) -> None:
    (tmp_path / "kmsg").write_text("4,1,1,-;one line\n")
    assert agent.log() == ["one line"]
    assert agent.log(1) == []


def test_a_server_that_is_none_is_not_started_again(agent: GuestAgent) -> None:
    for act in (agent.restart, agent.renew):
        with pytest.raises(LabError, match="the guest has none"):
            act()


def test_what_is_held_is_told_of_the_server_or_a_program(
    agent: GuestAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "targets.lab.held.held", lambda process=0: Usage(((Resource.THREADS, process),))
    )
    words = {"words": ["cat"], "environment": {}, "speaks": True}
    agent.client.ask("start", SECONDS, program=3, **words)

    assert agent.usage() == Usage(((Resource.THREADS, 0),))
    assert (agent.usage(3).of(Resource.THREADS) or 0) > 1


def test_turns_are_given_while_an_answer_is_waited_for(agent: GuestAgent) -> None:
    turns: list[int] = []
    agent.meanwhile(lambda: turns.append(1))
    agent.run(["sleep", "0.05"])
    assert turns


def test_a_server_in_the_guest_is_asked(agent: GuestAgent) -> None:
    with MountService(MountProgram(FileStore()), HOST) as service:
        reply = agent.exchange(HOST, service.port, CALL, SECONDS)
    header, _ = decode_reply(reply)
    assert (header.xid, header.succeeded) == (7, True)


def test_an_answer_that_is_no_record_is_refused(agent: GuestAgent) -> None:
    def answer() -> None:
        with listener, listener.accept()[0] as stream:
            stream.recv(1000)
            stream.sendall((0x80020000).to_bytes(4, "big") + bytes(0x20000))

    listener = socket.create_server((HOST, 0))
    port = listener.getsockname()[1]
    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(LabError, match="a record of more than"):
        agent.exchange(HOST, port, CALL, SECONDS)
    thread.join()


class Client:
    """A kernel's client, as far as MOUNT goes: it waits while the tester gives turns."""

    def __init__(self, agent: GuestAgent, port: int) -> None:
        self._agent = agent
        self._stream = socket.create_connection((HOST, port), SECONDS)

    def say(self, octets: bytes) -> None:
        self._stream.sendall(octets)

    def hear(self) -> bytes:
        self._stream.settimeout(0)
        reader = RecordReader()
        while True:
            self._agent.client.pump()
            try:
                found = reader.feed(self._stream.recv(1000))
            except BlockingIOError:
                continue
            return found[0] if found else b""

    def close(self) -> None:
        self._stream.close()


def test_the_kernels_client_is_served_by_the_tester(agent: GuestAgent) -> None:
    calls = agent.serve_calls(HOST, MountProgram(FileStore()).execute)
    for _ in range(2):
        client = Client(agent, calls.port)
        client.say(encode_record(CALL))
        assert decode_reply(client.hear())[0].succeeded
        client.close()
    calls.close()
    calls.close()


def test_what_is_no_stream_of_records_is_not_answered(agent: GuestAgent) -> None:
    calls = agent.serve_calls(HOST, MountProgram(FileStore()).execute)
    client = Client(agent, calls.port)
    client.say(b"\xff" * 8)
    client.say(encode_record(CALL))
    client.close()
    other = Client(agent, calls.port)
    other.say(encode_record(CALL))
    assert decode_reply(other.hear())[0].succeeded
    other.close()
