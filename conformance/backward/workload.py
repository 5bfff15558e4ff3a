"""What has a device make backward Calls, in the words of its Upper-Layer Protocol.

    bidir section 2.2.3  the Upper-Layer Protocol says that the client is prepared

The test program's counterpart is `rpcrdma.ulp.backprog`; NFSv4's is in
`conformance.backward.workload_nfs4`, and `conformance.backward.choice` picks one.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from typing_extensions import override

from conformance.oracle.sizes import HEADER_ONE
from conformance.tester.sent import Request
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import backprog, testprog_calls
from rpcrdma.ulp.backprog import BackwardProgram, Tally
from targets.base import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

__all__ = [
    "BackwardWorkload",
    "ForwardOnly",
    "Pause",
    "Steps",
    "TestprogBackward",
    "carry_out",
    "new_identity",
    "number_identities",
]

Steps: TypeAlias = "Generator[Request | Pause, bytes, None]"
"""Calls to make one after the other; each is sent the unreduced payload of its right Reply."""

_WORD: Final = 2**32

_NUMBERS: Final[dict[int, Iterator[int]]] = {}
"""Process -> numbers of its clients to come: one that was forked goes on with others."""


@dataclass(frozen=True)
class Pause:
    """A time in which nothing is asked, until the device has forgotten something.

    Attributes:
        seconds: that it takes at most.
    """

    seconds: float


def carry_out(
    steps: Steps, serve: Callable[[Request], bytes], pause: Callable[[float], None]
) -> None:
    """Make the Calls of `steps`, each when the one before it was served."""
    step = next(steps, None)
    while step is not None:
        payload = b""
        if isinstance(step, Pause):
            pause(step.seconds)
        else:
            payload = serve(step)
        try:
            step = steps.send(payload)
        except StopIteration:
            return


class BackwardWorkload(Protocol):
    """One client, and what it asks of the device.

    Attributes:
        many: Calls that use up whatever a server has to spare, or as many as it can be had to make.
    """

    many: int

    def introduce(self) -> Steps:
        """Make the client known to the device, short of announcing anything."""
        ...

    def announce(self) -> Steps:
        """The client takes backward Calls on the connection over which this goes."""
        ...

    def provoke(self, calls: int, length: int = 0) -> Steps:
        """Have the device make Calls to the client; `length` octets are in the argument of each.

        It may go over any connection.
        """
        ...

    def leave(self) -> Steps:
        """The client is known no more, and takes no backward Calls; `announce` makes it anew."""
        ...

    def tally(self) -> Request:
        """Ask what has become of the Calls."""
        ...

    def read_tally(self, reply: bytes) -> Tally:
        """What the reply to `tally` says.

        Raises:
            DecodeError: it is no such reply.
        """
        ...

    def answer(self, call: bytes) -> bytes:
        """The right Reply to a Call of the device: both are complete RPC messages."""
        ...

    def longest(self, threshold: int) -> int:
        """The `length` with which a Call makes a message of just `threshold` octets."""
        ...


def new_identity() -> int:
    """A client of the test program that nobody has been before: what was left pending is not ours.

    Neither an earlier case nor another process (`certify -n`) nor an earlier run against a server
    that has stayed up.
    """
    return next(_NUMBERS.setdefault(os.getpid(), count(secrets.randbits(32)))) % _WORD


def number_identities(first: int) -> None:
    """Count the clients to come from here on, where runs are to be compared octet by octet."""
    _NUMBERS[os.getpid()] = count(first)


class TestprogBackward(BackwardWorkload):
    """The test program's: everything can be asked for."""

    __test__ = False  # pytest collects classes called Test...; this is none
    many = 80

    def __init__(self, identity: int) -> None:
        self.identity = identity
        self._layer = BackwardProgram(_Nobody())

    def introduce(self) -> Steps:
        """BACKWARD_STATE."""
        yield self.tally()

    def announce(self) -> Steps:
        """BACKWARD_READY."""
        yield self._request("BACKWARD_READY", lambda xid: backprog.ready(xid, self.identity))

    def provoke(self, calls: int, length: int = 0) -> Steps:
        """BACKWARD_CALL."""
        yield self._request(
            f"BACKWARD_CALL for {calls} of {length} octets",
            lambda xid: backprog.call(xid, self.identity, calls, length),
        )

    @override
    def leave(self) -> Steps:
        raise Unsupported("a client of the test program cannot take its leave")

    def tally(self) -> Request:
        """BACKWARD_STATE."""
        return self._request("BACKWARD_STATE", lambda xid: backprog.state(xid, self.identity))

    def read_tally(self, reply: bytes) -> Tally:
        """The results."""
        return backprog.decode_state(reply) or Tally()

    def answer(self, call: bytes) -> bytes:
        """Of the test program."""
        return testprog_calls.expected_reply(call)

    def longest(self, threshold: int) -> int:
        """Of LONG_CALL: transport header, RPC header and count word take the rest."""
        return threshold - HEADER_ONE - len(backprog.wanted_call(1)(0)) + 4

    def _request(self, title: str, encode: Callable[[int], bytes]) -> Request:
        return Request(title, encode, _accepted, self._layer)


class ForwardOnly(BackwardWorkload):
    """Of a client that has nothing to do with the backward direction."""

    many = 0

    @override
    def introduce(self) -> Steps:
        raise Unsupported("this client has no name")

    @override
    def announce(self) -> Steps:
        raise Unsupported("this client announces nothing")

    @override
    def provoke(self, calls: int, length: int = 0) -> Steps:
        raise Unsupported(f"this client provokes no {calls} Calls of {length} octets")

    @override
    def leave(self) -> Steps:
        raise Unsupported("nobody knows this client")

    @override
    def tally(self) -> Request:
        raise Unsupported("nobody counts the Calls to this client")

    @override
    def read_tally(self, reply: bytes) -> Tally:
        raise Unsupported(f"nobody counts the Calls to this client, nor in {len(reply)} octets")

    @override
    def answer(self, call: bytes) -> bytes:
        raise Unsupported(f"this client answers no Call, nor one of {len(call)} octets")

    @override
    def longest(self, threshold: int) -> int:
        raise Unsupported(f"this client provokes no Call of {threshold} octets")


class _Nobody:
    """The service of a program that executes nothing, since it is asked about bindings only."""

    def ready(self, identity: int) -> bool:
        return False

    def call(self, identity: int, encode: Callable[[int], bytes]) -> None:
        raise NotImplementedError(f"nobody calls {identity}")

    def tally(self, identity: int) -> Tally:
        return Tally()


def _accepted(_call: bytes, reply: bytes) -> str:
    try:
        return "" if backprog.decode_state(reply) else "the device refused the request"
    except DecodeError as error:
        return f"the results cannot be decoded: {error}"
