"""The tester's side of the port, with an agent in this process."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.standing.agent_client import AgentClient
from targets.standing.lines import as_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 10.0


def test_answers_come_to_those_who_asked_in_any_order(client: AgentClient) -> None:
    slow = client.begin(
        "run", words=["sh", "-c", "read line"], environment={}, text="Cg==", limit=SECONDS
    )
    assert client.ask("log", SECONDS, line=0) == []
    while not slow.done:
        client.wait(SECONDS)
    assert slow.result()["status"] == 0


def test_a_refusal_has_its_step_and_cause(client: AgentClient) -> None:
    with pytest.raises(LabError, match="starting the server again: the guest has none"):
        client.ask("restart", SECONDS)


def test_something_else_is_done_while_an_answer_is_waited_for(client: AgentClient) -> None:
    turns: list[int] = []

    def take_a_turn() -> None:
        turns.append(1)
        if len(turns) == 3:
            client.begin("tell", number=1, line="go on")

    client.meanwhile = take_a_turn
    script = "read line; echo $line"
    client.begin("start", program=1, words=["sh", "-c", script], environment={}, speaks=True)
    said = []
    client.listen("said", 1, said.append)
    client.ask("run", SECONDS, words=["sleep", "0.1"], environment={}, text="", limit=SECONDS)
    while not said:
        client.pump()
    assert said[0]["line"] == "go on"


@pytest.fixture
def silent() -> Iterator[tuple[AgentClient, socket.socket]]:
    ours, theirs = socket.socketpair()
    client = AgentClient(ours)
    with theirs:
        yield client, theirs
    client.close()


def test_silence_has_a_deadline(silent: tuple[AgentClient, socket.socket]) -> None:
    with pytest.raises(LabError, match=r"`describe` is not answered within 0\.01 s"):
        silent[0].ask("describe", 0.01)


def test_an_answer_too_late_is_dropped(silent: tuple[AgentClient, socket.socket]) -> None:
    client, agent = silent
    agent.sendall(as_line({"id": 99, "ok": None}))
    client.pump()
    assert not client.lost


def test_a_guest_that_ends_is_noticed(silent: tuple[AgentClient, socket.socket]) -> None:
    client, agent = silent
    pending = client.begin("describe")
    agent.close()
    with pytest.raises(LabError, match="asking the guest: the guest has ended"):
        client.ask("describe", SECONDS)
    assert not pending.done
    with pytest.raises(LabError, match="`describe` has not been answered yet"):
        pending.result()


def test_an_agent_that_talks_nonsense_is_lost(silent: tuple[AgentClient, socket.socket]) -> None:
    client, agent = silent
    agent.sendall(b"panic\n")
    client.pump()
    assert client.lost == "the agent says what it should not: no JSON object"


def test_events_go_to_whoever_listens(silent: tuple[AgentClient, socket.socket]) -> None:
    client, agent = silent
    of_two: list[object] = []
    of_any: list[object] = []
    client.listen("said", 2, of_two.append)
    client.listen("octets", 0, of_any.append)
    for said in (
        {"event": "said", "program": 1, "line": "to nobody"},
        {"event": "said", "program": 2, "line": "to one"},
        {"event": "octets", "stream": 7, "octets": ""},
    ):
        agent.sendall(as_line(said))
    client.pump()
    client.forget("said", 2)
    agent.sendall(as_line({"event": "said", "program": 2, "line": "to nobody"}))
    client.pump()
    assert (len(of_two), len(of_any)) == (1, 1)


def test_more_than_the_socket_holds_is_sent(client: AgentClient, tmp_path: Path) -> None:
    octets = "QUJD" * (1 << 18)
    client.ask("put", SECONDS, path=str(tmp_path / "file"), octets=octets)
    assert (tmp_path / "file").stat().st_size == 3 << 18


def test_nobody_listens_where_there_is_no_guest(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        AgentClient.connect(tmp_path / "agent")
