"""What the agent does for its tester."""

from __future__ import annotations

import base64
import threading
from typing import TYPE_CHECKING

import pytest

from targets.lab.errors import LabError
from targets.standing.agent import Agent
from targets.standing.lines import as_line

if TYPE_CHECKING:
    from pathlib import Path

    from targets.standing.agent_client import AgentClient
    from targets.standing.prepared import PreparedGuest

SECONDS = 10.0


def run(
    client: AgentClient, *words: str, text: bytes = b"", limit: float = SECONDS
) -> tuple[int, bytes, bytes]:
    ended = client.ask(
        "run",
        SECONDS,
        words=words,
        environment={"OWN": "too"},
        text=base64.b64encode(text).decode(),
        limit=limit,
    )
    return ended["status"], *(base64.b64decode(ended[key]) for key in ("output", "errors"))


def test_a_program_is_run_with_its_input_and_environment(client: AgentClient) -> None:
    script = 'printf "$FROM_SETUP $OWN "; cat; echo why >&2; exit 4'
    assert run(client, "sh", "-c", script, text=b"in") == (4, b"here too in", b"why\n")


def test_a_program_that_takes_too_long_is_ended(client: AgentClient) -> None:
    with pytest.raises(LabError, match=r"sleep did not end within 0\.05 s"):
        run(client, "sleep", "1000", limit=0.05)


def test_a_program_that_is_not_there_is_told(client: AgentClient) -> None:
    with pytest.raises(LabError, match="No such file or directory: '/no/such/program'"):
        run(client, "/no/such/program")


def test_files_are_put_and_taken(client: AgentClient, tmp_path: Path) -> None:
    path = str(tmp_path / "file")
    client.ask("put", SECONDS, path=path, octets="QUJD")
    assert (tmp_path / "file").read_bytes() == b"ABC"
    assert client.ask("take", SECONDS, path=path) == "QUJD"
    assert client.ask("take", SECONDS, path=path) is None


def test_a_folder_is_made_with_those_above_it(client: AgentClient, tmp_path: Path) -> None:
    client.ask("make-folder", SECONDS, path=str(tmp_path / "made" / "here"))
    assert (tmp_path / "made" / "here").is_dir()
    with pytest.raises(LabError, match="File exists"):
        client.ask("make-folder", SECONDS, path=str(tmp_path / "made"))


def test_a_word_that_it_does_not_know_is_refused(client: AgentClient) -> None:
    with pytest.raises(LabError, match="the agent does not know `dance`"):
        client.ask("dance", SECONDS, steps=3)


def test_arguments_that_it_does_not_take_are_refused(client: AgentClient) -> None:
    with pytest.raises(LabError, match="unexpected keyword argument 'steps'"):
        client.ask("restart", SECONDS, steps=3)


def test_what_ends_after_its_tester_has_gone_is_told_to_nobody(prepared: PreparedGuest) -> None:
    """The next tester may have a program of the same number."""
    said: list[bytes] = []
    agent = Agent(said.append, prepared)
    before = set(threading.enumerate())
    sleep = {"program": 2, "words": ["sleep", "1000"], "environment": {}, "speaks": False}
    agent.take({"id": 1, "do": "start", **sleep})
    waiting = set(threading.enumerate()) - before

    agent.clean_up()

    for thread in waiting:
        thread.join()
    assert said == [as_line({"id": 1, "ok": None})]
