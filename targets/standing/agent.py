"""The agent in the standing guest: its first process, and all that the tester can ask of it.

    python -c '... main(SETUP.json)'

It sets the guest up, then does what comes by its port (see `targets.standing.lines`).  When the
tester goes it ends the guest, or undoes what the tester has done there, if the guest is to stay.

Each module that is imported costs under TCG, and only the standard library's and this project's
own are there: nothing of the wire format, no msgspec.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from targets.lab.errors import LabError
from targets.standing.guest_programs import GuestPrograms
from targets.standing.lines import LineSplitter, as_line, as_octets, as_text
from targets.standing.port import AgentPort, find_port
from targets.standing.prepared import PreparedGuest
from targets.standing.relay import CallRelay, exchange_record
from targets.standing.setup import ACTS_FOLDER, AGENT_PORT, StandingSetup

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.standing.lines import Said

__all__ = ["Agent", "main"]

_LOOK_S: Final = 0.05
"""Between two looks at whether a tester has come."""

_END_S: Final = 60.0
"""More than a machine takes to end."""


class Agent:
    """Does what one tester asks, each request that may take its time on a thread of its own."""

    def __init__(self, send: Callable[[bytes], None], prepared: PreparedGuest) -> None:
        self._send = send
        self._sending = threading.Lock()
        self._is_over = False
        self._prepared = prepared
        self._programs = GuestPrograms(self._tell, prepared.setup.environment)
        self._relay = CallRelay(self._tell)
        self._quick: dict[str, Callable[..., Any]] = {
            "describe": self._describe,
            "start": self._start,
            "tell": self._programs.tell,
            "kill": self._programs.kill,
            "put": _put,
            "take": _take,
            "make-folder": _make_folder,
            "log": prepared.log_after,
            "ended": prepared.ended,
            "serve-calls": self._relay.listen,
            "reply": lambda stream, octets: self._relay.reply(stream, as_octets(octets)),
        }
        self._slow: dict[str, Callable[..., Any]] = {
            "run": self._run,
            "restart": prepared.restart,
            "renew": prepared.renew,
            "usage": self._usage,
            "exchange": lambda address, port, octets, seconds: as_text(
                exchange_record(address, port, as_octets(octets), seconds)
            ),
        }

    def take(self, said: Said) -> None:
        """Take a request; its answer is sent when it is done."""
        number, word = said.pop("id"), said.pop("do")
        if word in self._slow:
            answers = (number, self._slow[word], said)
            threading.Thread(target=self._answer, args=answers, daemon=True).start()
        else:
            act = self._quick.get(word, lambda **_arguments: _refuse(word))
            self._answer(number, act, said)

    def clean_up(self) -> None:
        """Undo what the tester, which has gone, has left; say nothing any more.

        What it began may end later, and the next tester has the same numbers for something else.
        """
        with self._sending:
            self._is_over = True
        self._relay.close()
        self._programs.kill_all()
        _let_go_of_mounts()
        subprocess.run(["rm", "-rf", "--one-file-system", ACTS_FOLDER], check=False)

    def _answer(self, number: int, act: Callable[..., Any], arguments: Said) -> None:
        try:
            answer = {"id": number, "ok": act(**arguments)}
        except LabError as error:
            answer = {"id": number, "error": [error.step, error.cause, error.remedy]}
        except (OSError, TypeError, ValueError) as error:
            answer = {"id": number, "error": ["asking the guest", f"{error}", ""]}
        self._tell(answer)

    def _tell(self, said: Said) -> None:
        with self._sending:
            if not self._is_over:
                self._send(as_line(said))

    def _describe(self) -> Said:
        return self._prepared.describe()

    def _start(
        self, program: int, words: list[str], environment: dict[str, str], speaks: bool
    ) -> None:
        self._programs.start(program, words, environment, speaks=speaks)

    def _usage(self, program: int) -> dict[str, int]:
        if not program:
            return self._prepared.usage().record()
        from targets.lab.held import held  # only where it is wanted

        return held(self._programs.process(program)).record()

    def _run(self, words: list[str], environment: dict[str, str], text: str, limit: float) -> Said:
        own = {**os.environ, **self._prepared.setup.environment, **environment}
        try:
            ended = subprocess.run(
                words, input=as_octets(text), capture_output=True, timeout=limit, env=own,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            cause = f"{words[0]} did not end within {limit:g} s"
            raise LabError("running a program in the guest", cause) from error
        output, complaints = as_text(ended.stdout), as_text(ended.stderr)
        return {"status": ended.returncode, "output": output, "errors": complaints}


def main(setup_file: str) -> None:
    """Set the guest up and serve its tester, as the guest's first process."""
    setup = StandingSetup.read(Path(setup_file))
    prepared = PreparedGuest(setup)
    prepared.prepare()
    port = AgentPort.open(find_port(AGENT_PORT))
    while True:
        agent = Agent(port.send, prepared)
        serve(port, agent)
        if not setup.stays:
            power_off()
        agent.clean_up()


def serve(port: AgentPort, agent: Agent) -> None:
    """Wait for a tester, and do what it asks until it goes."""
    lines = LineSplitter()
    come = False
    while True:
        octets = port.receive()
        if octets:
            come = True
            for said in lines.feed(octets):
                agent.take(said)
        elif come:
            return
        else:
            time.sleep(_LOOK_S)


def power_off() -> None:
    """End the machine at once; nothing in it is worth keeping."""
    Path("/proc/sysrq-trigger").write_text("o", encoding="ascii")
    time.sleep(_END_S)


def _put(path: str, octets: str) -> None:
    Path(path).write_bytes(as_octets(octets))


def _take(path: str) -> str | None:
    file = Path(path)
    if not file.exists():
        return None
    content = file.read_bytes()
    file.unlink()
    return as_text(content)


def _make_folder(path: str) -> None:
    Path(path).mkdir(parents=True)


def _let_go_of_mounts() -> None:
    """A mount whose server has gone would keep the next tester waiting."""
    for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines():
        _source, folder, kind, *_rest = line.split()
        if kind in ("nfs", "nfs4"):
            subprocess.run(["umount", "-i", "-f", "-l", folder], check=False)


def _refuse(word: str) -> None:
    raise LabError("asking the guest", f"the agent does not know `{word}`", "boot it again")
