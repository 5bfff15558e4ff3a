"""The application above a fuzzed client: makes calls of the test program and of those beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.invariant import BrokenInvariant
from rpcrdma.endpoint.core.actions import CallFailed
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import backprog, propprog, testprog_calls
from rpcrdma.ulp.pattern import pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire._generated_xcharext import PropertyValue
from rpcrdma.wire.properties import ADOPTED, PROPERTIES, UnknownProperty, decode_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.end_steps import EndStep
    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
    from rpcrdma.wire.properties import Property

__all__ = ["CHANGED", "EndsApplication", "wanted_property"]

CHANGED: Final = 1
"""Bit of a wish: own properties are changed, and not the peer asked."""

_IDENTITY: Final = 7
_MOST_OCTETS: Final = 20_000
"""Of an item that is called for; more takes longer, and reaches nothing new."""

_CELLS: Final = 300

_MOST_DATA: Final = 64
"""Octets of a property that the program can be asked for."""

_KINDS: Final[tuple[Callable[[int, int], bytes], ...]] = (
    lambda xid, _: testprog_calls.null(xid),
    lambda xid, length: testprog_calls.echo(xid, pattern(length % 512)),
    lambda xid, length: testprog_calls.store(xid, pattern(length)),
    testprog_calls.fetch,
    lambda xid, length: testprog_calls.store_two(
        xid, pattern(length), b"between", pattern(length // 2)
    ),
    lambda xid, length: testprog_calls.fetch_two(xid, length, length // 3, b"note"),
    lambda xid, length: testprog_calls.fetch_union(xid, length, None if length % 2 else length),
    lambda xid, length: testprog_calls.long_call(xid, pattern(length)),
    testprog_calls.long_reply,
    lambda xid, length: testprog_calls.long_store(xid, pattern(length), pattern(length)),
    lambda xid, length: testprog_calls.long_fetch(xid, length, length // 2),
    lambda xid, length: testprog_calls.store_optional(
        xid, pattern(2048) if length % 2 else None, pattern(length % 500)
    ),
    lambda xid, length: testprog_calls.fetch_optional(
        xid, first=bool(length & 1), second=bool(length & 2), between=b"note"
    ),
    lambda xid, length: testprog_calls.store_array(
        xid, [pattern(length), b"", pattern(length // 2)]
    ),
    lambda xid, length: testprog_calls.fetch_array(xid, (None, length, length // 2, None)),
    lambda xid, length: testprog_calls.store_rows(xid, 1 + length % 5, _CELLS),
    lambda xid, length: testprog_calls.fetch_rows(xid, 1 + length % 5, _CELLS),
    lambda xid, length: testprog_calls.exchange(xid, pattern(length)),
    lambda xid, _: backprog.ready(xid, _IDENTITY),
    lambda xid, length: backprog.call(xid, _IDENTITY, 1 + length % 3, length),
    lambda xid, _: backprog.state(xid, _IDENTITY),
    lambda xid, length: testprog_calls.hold(xid, length % 4),
    lambda xid, length: testprog_calls.release(xid, length % 4),
)
"""What is called, by number: each makes a call of an XID and a length."""

_OF_THE_TEST_PROGRAM: Final = 18
"""The first so many have one right reply, whatever else is going on."""

_HOLD: Final = 21
"""Is answered when somebody releases it."""

_FIRST_XID: Final = 0x0C11_0001


class EndsApplication:
    """Makes calls, and sees what comes of them.

    Attributes:
        wrong: replies that are not the right ones, in words.
        failed: calls that failed, in words.
    """

    def __init__(self, client: ReconnectingClient) -> None:
        self.wrong: list[str] = []
        self.failed: list[str] = []
        self._client = client
        self._layer = TestProgram()
        self._xid = _FIRST_XID
        self._open: dict[int, bytes] = {}
        self._expected: dict[int, bytes] = {}
        self._held: set[int] = set()

    @property
    def open_calls(self) -> tuple[int, ...]:
        """Tokens of the calls that have not ended."""
        return tuple(self._open)

    @property
    def unanswered(self) -> tuple[int, ...]:
        """Those of them that somebody should have answered by now.

        While a call is held there are none: it has the credit for which the others wait.
        """
        return () if self._held & self._open.keys() else tuple(self._open)

    def call(self, step: EndStep) -> None:
        """Make the calls of a step."""
        kind = step.which % len(_KINDS)
        length = step.length % (_MOST_OCTETS + 1)
        for _ in range(1 + step.place % 4):
            payload = _KINDS[kind](self._take(), length)
            token = self._send(payload)
            if kind == _HOLD:
                self._held.add(token)
            if kind < _OF_THE_TEST_PROGRAM:
                self._expected[token] = testprog_calls.expected_reply(payload)

    def raw(self, octets: bytes) -> None:
        """Have octets sent as a call; nobody knows what is right to come of it."""
        self._send(self._take().to_bytes(4) + octets[4:])

    def ask_server(self, step: EndStep) -> None:
        """Have the server ask for a property, or change its own."""
        make = propprog.change if step.which & CHANGED else propprog.ask
        self._send(make(self._take(), UnknownProperty(*_property(step))))

    def cancel(self, place: int) -> None:
        """Wait for one of the calls no longer."""
        if self._open:
            self._client.cancel(tuple(self._open)[place % len(self._open)])

    def collect(self) -> None:
        """Take what the client has delivered.

        Raises:
            BrokenInvariant: a call ends twice, or one that was never made.
        """
        delivered = self._client.delivered
        while delivered:
            self._ended(delivered.popleft())

    def _ended(self, event: ApplicationEvent) -> None:
        call = self._open.pop(event.token, None)
        if call is None:
            raise BrokenInvariant("ended-twice", f"a call under way is not the one of {event}")
        expected = self._expected.pop(event.token, None)
        if isinstance(event, CallFailed):
            self.failed.append(f"{event.failure.value}: {event.detail}")
        elif expected is not None and event.payload != expected:
            self.wrong.append(f"{call[:64].hex()} got {event.payload[:64].hex()}")

    def _send(self, payload: bytes) -> int:
        token = self._client.call(self._layer, payload)
        self._open[token] = payload
        return token

    def _take(self) -> int:
        self._xid += 1
        return self._xid


def wanted_property(step: EndStep) -> Property:
    """The value that a step is about; of no known property if its octets are none of that."""
    code, data = _property(step)
    try:
        return decode_property(PropertyValue(code, data), ADOPTED)
    except DecodeError:
        return UnknownProperty(code, data)


def _property(step: EndStep) -> tuple[int, bytes]:
    """Code and octets."""
    one = PROPERTIES[step.place % len(PROPERTIES)]
    return one.code, step.carried[:_MOST_DATA] or step.value.to_bytes(4)
