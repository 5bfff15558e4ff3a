"""What the application of an exchange asked for, and on which connection.

rfc8166 section 2.2.2  RPC Calls (each has one end)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rpcrdma.errors import LocalProtocolError
from rpcrdma.ulp.rpc import decode_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.ends.calling import Client
    from rpcrdma.ulp import backprog

__all__ = ["ApplicationLine", "Asked", "NoService"]


@dataclass(slots=True)
class Asked:
    """A call that the application made."""

    payload: bytes
    wanted: bytes
    cancelled: bool = False
    repeated: bool = False
    repeatable: bool = True
    event: ApplicationEvent | None = None

    def __str__(self) -> str:
        call, _ = decode_call(self.payload)
        octets = len(self.payload)
        return f"call {call.xid:#010x}, procedure {call.procedure}, {octets} octets,"


@dataclass(slots=True)
class ApplicationLine:
    """One connection of the application.

    Attributes:
        client: of the connection.  identity: by which a server knows whom to call back.
        asked: calls by token.  held: tokens of HOLD that wait for a RELEASE.
        wanted_back: backward Calls that were asked for.
        may_be_lost: whether something was done that may cost the connection.
    """

    client: Client
    identity: int
    asked: dict[int, Asked] = field(default_factory=dict)
    held: list[int] = field(default_factory=list)
    is_ready: bool = False
    wanted_back: int = 0
    may_be_lost: bool = False


class NoService:
    """The service behind the clients' view of a program that they only call."""

    def ready(self, identity: int) -> bool:
        """Never asked."""
        raise LocalProtocolError(f"no client executes READY of {identity}")

    def call(self, identity: int, encode: Callable[[int], bytes]) -> None:
        """Never asked."""
        raise LocalProtocolError(f"no client executes CALL of {identity}, as {encode}")

    def tally(self, identity: int) -> backprog.Tally:
        """Never asked."""
        raise LocalProtocolError(f"no client executes STATE of {identity}")
