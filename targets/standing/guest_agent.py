"""What a tester can have the agent of a standing guest do, with the types that it comes in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rpcrdma.ulp.record_marking import RecordError, RecordReader, encode_record
from targets.lab.errors import LabError
from targets.lab.lab import scaled
from targets.standing.lines import as_octets, as_text
from targets.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from targets.standing.agent_client import AgentClient
    from targets.standing.lines import Said

__all__ = ["GuestAgent", "GuestRun", "RelayedCalls"]

_SERVER_S: Final = 60.0
"""Until a server has been started again: the kernel waits for each of nfsd's threads."""

_ANSWER_S: Final = 20.0
"""For what the agent does by itself; measured milliseconds."""


@dataclass(frozen=True, slots=True)
class GuestRun:
    """How a program in the guest ended."""

    status: int
    output: bytes
    errors: bytes


class GuestAgent:
    """The agent.

    Attributes:
        client: the connection to it.
    """

    def __init__(self, client: AgentClient) -> None:
        self.client = client

    def meanwhile(self, act: Callable[[], None]) -> None:
        """Have something done again and again while an answer is waited for.

        A server that is stopped says good-bye on its connections, and waits for the tester's word.
        """
        self.client.meanwhile = act

    def run(
        self,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        text: bytes = b"",
        limit: float = 30.0,
    ) -> GuestRun:
        """Run a program to its end.

        Args:
            words: program and arguments.
            environment: added to the guest's.
            text: its standard input.
            limit: seconds after which it is ended.

        Raises:
            LabError: it cannot be started, or does not end in time.
        """
        limit = scaled(limit)
        said = self._ask(
            "run",
            limit + _ANSWER_S,
            words=list(words),
            environment=dict(environment or {}),
            text=as_text(text),
            limit=limit,
        )
        return GuestRun(said["status"], as_octets(said["output"]), as_octets(said["errors"]))

    def restart(self, ready_s: float = 0.0) -> None:
        """End the guest's server, whatever it does, and start it anew; its files stay.

        Args:
            ready_s: seconds that a program of the profile's has until it listens.

        Raises:
            LabError: it does not come up.
        """
        self._ask("restart", _SERVER_S + ready_s)

    def renew(self, ready_s: float = 0.0) -> None:
        """As `restart`, with the exported files as they were at first."""
        self._ask("renew", _SERVER_S + ready_s)

    def ended(self) -> str:
        """How the server that the profile has started in the guest ended; empty while it runs."""
        told: str = self._ask("ended", _ANSWER_S)
        return told

    def usage(self, program: int = 0) -> Usage:
        """What the device in the guest holds, and the guest's kernel.

        Args:
            program: number of one that was started by `client`; 0 for the server of the guest.

        Raises:
            LabError: the guest does not tell.
        """
        return Usage.of_record(self._ask("usage", _ANSWER_S, program=program))

    def log(self, line: int = 0) -> list[str]:
        """What the guest's kernel has logged, from the line of that number on."""
        lines: list[str] = self._ask("log", _ANSWER_S, line=line)
        return lines

    def exchange(self, address: str, port: int, call: bytes, seconds: float) -> bytes:
        """Ask a server in the guest, by TCP, for the reply to a call.

        Args:
            address: of the server, in the guest's eyes.
            port: where it listens.
            call: one message.
            seconds: how long each step may take.

        Raises:
            LabError: it does not answer, or with something else than a message.
        """
        said = self._ask(
            "exchange",
            seconds + _ANSWER_S,
            address=address,
            port=port,
            octets=as_text(encode_record(call)),
            seconds=seconds,
        )
        try:
            return RecordReader().feed(as_octets(said))[0]
        except RecordError as error:
            raise LabError(f"asking TCP {address}:{port} in the guest", str(error)) from error

    def serve_calls(
        self,
        address: str,
        execute: Callable[[bytes], Sequence[bytes]],
        port: int = 0,
        *,
        routed: bool = False,
    ) -> RelayedCalls:
        """Serve a program in the guest, by TCP; `client.pump` gives it its turns.

        Args:
            address: where to listen.
            execute: makes the replies to a call.
            port: where, too; 0 for any.
            routed: takes what is for another's address as well, if routing rules bring it here.
        """
        where: dict[str, str | int] = {"address": address, "port": port, "routed": routed}
        chosen: int = self._ask("serve-calls", _ANSWER_S, **where)
        return RelayedCalls(self.client, chosen, execute)

    def _ask(self, word: str, seconds: float, /, **arguments: object) -> Any:  # noqa: ANN401
        return self.client.ask(word, scaled(seconds), **arguments)


class RelayedCalls:
    """A program that is served in the guest by the tester.

    Attributes:
        port: where it listens.
    """

    def __init__(
        self, client: AgentClient, port: int, execute: Callable[[bytes], Sequence[bytes]]
    ) -> None:
        self.port = port
        self._client = client
        self._execute = execute
        self._streams: dict[int, RecordReader] = {}
        client.listen("octets", 0, self._take)

    def close(self) -> None:
        """Answer no longer.  Twice is allowed."""
        self._client.forget("octets", 0)

    def _take(self, said: Said) -> None:
        stream, octets = said["stream"], as_octets(said["octets"])
        reader = self._streams.setdefault(stream, RecordReader())
        try:
            calls = reader.feed(octets)
        except RecordError:
            octets, calls = b"", []
        if not octets:
            del self._streams[stream]
        for call in calls:
            for reply in self._execute(call):
                self._client.begin("reply", stream=stream, octets=as_text(encode_record(reply)))
