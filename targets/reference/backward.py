"""Whom the reference server calls back: its clients, by the names that they give themselves.

One `BackwardService` serves all connections of a listener; `port` is what the program of one
connection (`rpcrdma.ulp.backprog`) is handed.  A client's channel outlives its connections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from typing_extensions import override

from rpcrdma.endpoint.core.actions import ReplyReceived
from rpcrdma.endpoint.core.backchannel import Backchannel
from rpcrdma.errors import LocalProtocolError
from rpcrdma.ulp.backprog import CallsBack, Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.backward.duplex import Duplex
    from rpcrdma.endpoint.core.actions import ApplicationEvent

__all__ = ["BackwardPort", "BackwardService"]


@dataclass(slots=True)
class _Client:
    """A client, and how the Calls to it ended."""

    channel: Backchannel
    outcomes: list[bool] = field(default_factory=list)

    def conclude(self, event: ApplicationEvent) -> None:
        self.outcomes.append(isinstance(event, ReplyReceived))


class BackwardService:
    """All clients of one listener."""

    def __init__(self, channel: type[Backchannel] = Backchannel) -> None:
        self._make_channel = channel
        self._clients: dict[int, _Client] = {}

    def port(self) -> BackwardPort:
        """What the program of a new connection talks to."""
        return BackwardPort(self)

    def channel(self, identity: int) -> Backchannel:
        """Of the client of that name."""
        return self._client(identity).channel

    def tally(self, identity: int) -> Tally:
        """What has become of the Calls to a client."""
        client = self._client(identity)
        answered = sum(client.outcomes)
        pending = len(client.channel.pending)
        return Tally(pending, answered, len(client.outcomes) - answered)

    def _client(self, identity: int) -> _Client:
        client = self._clients.get(identity)
        if client is None:
            client = _Client(self._make_channel())
            client.channel.concluded = client.conclude
            self._clients[identity] = client
        return client


class BackwardPort(CallsBack):
    """One connection's way to the service (`rpcrdma.ulp.backprog.CallsBack`)."""

    def __init__(self, service: BackwardService) -> None:
        self._service = service
        self._role: Duplex | None = None

    def attach(self, role: Duplex) -> None:
        """The role that serves the connection: it is made after its program."""
        self._role = role

    @override
    def ready(self, identity: int) -> bool:
        if self._role is None:
            return False
        try:
            self._role.peer_is_ready(self._service.channel(identity))
        except LocalProtocolError:
            return False  # the connection is another client's
        return True

    @override
    def call(self, identity: int, encode: Callable[[int], bytes]) -> None:
        self._service.channel(identity).call(encode)

    @override
    def tally(self, identity: int) -> Tally:
        return self._service.tally(identity)
