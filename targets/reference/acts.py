"""The upper tester of the reference client: acts as calls of the test program.

`UpperTester` is the application above a `ReconnectingClient`.  It makes the calls of an act at
once, takes their replies as they come, and compares each with what the call asks for; it takes no
turns of its own and does no I/O.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, product
from typing import TYPE_CHECKING, Final, TypeAlias

from rpcrdma.endpoint.core.actions import CallFailed, ReplyReceived
from rpcrdma.endpoint.properties.wishes import PropertyWishes
from rpcrdma.errors import DecodeError
from rpcrdma.ulp import gss, rpc, testprog_calls
from rpcrdma.ulp.pattern import letters, pattern
from rpcrdma.ulp.testprog import TestProgram
from rpcrdma.wire import _generated_testprog as wire
from rpcrdma.wire._generated_gss import GssService
from rpcrdma.wire.properties import ReceiveBufferSize, RequesterRemoteInvalidation
from targets.base import ActKind, ActResult, ActState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rpcrdma.endpoint.core.actions import ApplicationEvent
    from rpcrdma.endpoint.core.xids import XidSource
    from rpcrdma.endpoint.ends.reconnecting import ReconnectingClient
    from targets.base import Act

__all__ = ["ACTS", "ActProgress", "UpperTester"]

ACTS: Final = frozenset(ActKind)
"""The reference client can be brought to do anything."""

TOKEN: Final = b"the reference client"
"""With which it asks for a context of RPCSEC_GSS."""

NOTE: Final = b"a small call of the reference client"

Make: TypeAlias = Callable[[int], bytes]

LONG: Final = 8192
"""Octets of a long call or reply for which no length is asked."""

ITEM: Final = 1500
"""Octets of an item of an array for which no length is asked."""

NAME: Final = 24
"""Octets that stand for a name in a listing."""

ROWS: Final = 5
CELLS: Final = 300
"""Words of each row of an array of arrays."""


@dataclass(slots=True)
class ActProgress:
    """An act under way (see `targets.base.RunningAct`).

    Attributes:
        calls: token -> the call, of those that have not ended.
        pieces: number of a READ's call -> what it gave.
        skipped: octets that it gives before those that the act is about.
        failures: in words.
        then: makes further calls of the reply to the one that comes first.
    """

    client: ReconnectingClient
    calls: dict[int, bytes] = field(default_factory=dict)
    order: dict[int, int] = field(default_factory=dict)
    pieces: dict[int, bytes] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    wants_data: bool = False
    skipped: int = 0
    connecting: bool = False
    then: Callable[[bytes], Iterator[bytes]] | None = None
    _result: ActResult | None = None

    def poll(self) -> ActResult | None:
        """The result, once every call has ended."""
        if self._result is None and not self._goes_on():
            self._result = self._end()
        return self._result

    def abandon(self) -> None:
        """Cancel what has not ended."""
        for token in tuple(self.calls):
            self.client.cancel(token)

    def ended(self, token: int, event: ApplicationEvent) -> None:
        """Take the end of one call."""
        call = self.calls.pop(token)
        if isinstance(event, CallFailed):
            detail = f": {event.detail}" if event.detail else ""
            self.failures.append(f"{event.failure.value}{detail}")
        elif self.wants_data:
            self._take_data(token, event.payload)
        elif event.payload != testprog_calls.expected_reply(call):
            self.failures.append("the reply is another than the call asks for")

    def _take_data(self, token: int, reply: bytes) -> None:
        try:
            answered, start = rpc.decode_reply(reply)
            result, _ = wire.decode_fetch_result(reply, start)  # an EXCHANGE's is the same
        except DecodeError as error:
            self.failures.append(f"the reply cannot be decoded: {error}")
            return
        if answered.succeeded and isinstance(result, wire.Fetched):
            self.pieces[self.order[token]] = result.data
        else:
            self.failures.append(f"the reply has no data: {result}")

    def _goes_on(self) -> bool:
        if self.connecting:
            return not self.client.connected and not self.client.refusal
        return bool(self.calls)

    def _end(self) -> ActResult:
        if self.connecting and not self.client.connected:
            self.failures.append(self.client.refusal)
        if self.failures:
            return ActResult(ActState.FAILED, "; ".join(dict.fromkeys(self.failures)))
        if not self.wants_data:
            return ActResult(ActState.DONE)
        data = b"".join(self.pieces[number] for number in sorted(self.pieces))[self.skipped :]
        return ActResult(ActState.DONE, data=data, digest=hashlib.sha256(data).hexdigest())


class UpperTester:
    """The application above one client.

    Args:
        client: which.
        xids: of its calls.
        wishes: what the client sees of acts about properties; nothing, if nobody else has these.
    """

    def __init__(
        self, client: ReconnectingClient, xids: XidSource, wishes: PropertyWishes | None = None
    ) -> None:
        self._client = client
        self._xids = xids
        self._wishes = wishes or PropertyWishes()
        self._layer = TestProgram()
        self._running: dict[int, ActProgress] = {}
        self._sequence = count(1)

    def connect(self) -> ActProgress:
        """Have the client connect."""
        self._client.connect()
        return ActProgress(self._client, connecting=True)

    def begin(self, act: Act) -> ActProgress:
        """Make all calls of an act."""
        progress = ActProgress(self._client)
        progress.wants_data = act.kind in _GIVE_DATA
        act, progress.skipped = _without_place(act)
        if act.kind is ActKind.DISCONNECT:
            self._client.disconnect()
            return progress
        self._wish(act)
        service = _SERVICES.get(act.kind)
        if service is None:
            for payload in self._payloads(act):
                self._call(progress, payload)
        else:
            progress.then = partial(self._under, act, service)
            self._call(progress, testprog_calls.gss_init(self._xids.take(), TOKEN))
        return progress

    def collect(self) -> None:
        """Hand out what the client has delivered."""
        delivered = self._client.delivered
        while delivered:
            event = delivered.popleft()
            progress = self._running.pop(event.token)
            progress.ended(event.token, event)
            if progress.then is not None and isinstance(event, ReplyReceived):
                following, progress.then = progress.then, None
                if not progress.failures:
                    for payload in following(event.payload):
                        self._call(progress, payload)

    def _call(self, progress: ActProgress, payload: bytes) -> None:
        token = self._client.call(self._layer, payload)
        progress.order[token] = len(progress.order)
        progress.calls[token] = payload
        self._running[token] = progress

    def _under(self, act: Act, service: GssService, reply: bytes) -> Iterator[bytes]:
        """The calls of an act, under the context that a reply gives."""
        context = gss.established(reply)
        for payload in self._payloads(act):
            yield gss.protect_call(payload, context, service, next(self._sequence))

    def _wish(self, act: Act) -> None:
        """What an act has done about properties: after the call that it makes."""
        match act.kind:
            case ActKind.ASK_SIZE:
                self._wishes.ask(ReceiveBufferSize(act.length))
            case ActKind.ASK_INVALIDATION:
                self._wishes.ask(RequesterRemoteInvalidation(allowed=False))
            case ActKind.CHANGE_SIZE:
                self._wishes.change(ReceiveBufferSize(act.length))
            case _:
                pass

    def _payloads(self, act: Act) -> Iterator[bytes]:
        """The calls of an act."""
        for _ in range(act.count):
            for make in _CALLS[act.kind](act.length):
                yield make(self._xids.take())


def _without_place(act: Act) -> tuple[Act, int]:
    """An act by lengths alone, for a program that has neither offsets nor names.

    Returns:
        The act, and how many octets it fetches before those that it is about.
    """
    match act.kind:
        case ActKind.READ_AT | ActKind.READ_CACHED | ActKind.READ_MAPPED:
            return replace(act, length=act.offset + act.length), act.offset
        case ActKind.LIST_NAMES:
            return replace(act, length=act.count * NAME, count=1), 0
        case _:
            return act, 0


def _null(_length: int) -> Iterator[Make]:
    yield testprog_calls.null


def _small(_length: int) -> Iterator[Make]:
    yield lambda xid: testprog_calls.echo(xid, NOTE)


def _read(length: int) -> Iterator[Make]:
    for part in _cut(length):
        yield partial(testprog_calls.fetch, length=part)


def _read_two(length: int) -> Iterator[Make]:
    yield partial(testprog_calls.fetch_two, first=length, second=length)


def _read_optional(_length: int) -> Iterator[Make]:
    for first, second in product((True, False), repeat=2):
        yield partial(testprog_calls.fetch_optional, first=first, second=second, between=NOTE)


def _write_optional(_length: int) -> Iterator[Make]:
    for data in (pattern(wire.TEST_BLOCK_SIZE), None):
        yield partial(testprog_calls.store_optional, data=data, note=NOTE)


def _read_array(length: int) -> Iterator[Make]:
    length = length or ITEM
    lengths = (None, length, length + 1, None, length // 2)
    yield partial(testprog_calls.fetch_array, lengths=lengths)


def _write_array(length: int) -> Iterator[Make]:
    length = length or ITEM
    items = [pattern(octets) for octets in (length, 0, length + 1, length // 2)]
    yield partial(testprog_calls.store_array, items=items)


def _read_rows(_length: int) -> Iterator[Make]:
    yield partial(testprog_calls.fetch_rows, rows=ROWS, cells=CELLS)


def _write_rows(_length: int) -> Iterator[Make]:
    yield partial(testprog_calls.store_rows, rows=ROWS, cells=CELLS)


def _exchange(length: int) -> Iterator[Make]:
    yield partial(testprog_calls.exchange, data=pattern(length or LONG))


def _make_link(length: int) -> Iterator[Make]:
    yield partial(testprog_calls.exchange, data=letters(length))


def _list_names(length: int) -> Iterator[Make]:
    yield partial(testprog_calls.long_reply, length=length)


def _write(length: int) -> Iterator[Make]:
    for part in _cut(length):
        yield partial(testprog_calls.store, data=pattern(part))


def _long_call(length: int) -> Iterator[Make]:
    yield partial(testprog_calls.long_call, text=pattern(length or LONG))


def _long_reply(length: int) -> Iterator[Make]:
    yield partial(testprog_calls.long_reply, length=length or LONG)


_CALLS: Final[Mapping[ActKind, Callable[[int], Iterator[Make]]]] = {
    ActKind.NULL: _null,
    ActKind.SMALL: _small,
    ActKind.MANY: _small,
    ActKind.READ: _read,
    ActKind.MANY_READS: _read,
    ActKind.READ_TWO: _read_two,
    ActKind.READ_OPTIONAL: _read_optional,
    ActKind.WRITE_OPTIONAL: _write_optional,
    ActKind.READ_ARRAY: _read_array,
    ActKind.WRITE_ARRAY: _write_array,
    ActKind.READ_ROWS: _read_rows,
    ActKind.WRITE_ROWS: _write_rows,
    ActKind.EXCHANGE_AUTHENTICATED: _exchange,
    ActKind.EXCHANGE_INTEGRITY: _exchange,
    ActKind.EXCHANGE_PRIVACY: _exchange,
    ActKind.READ_AT: _read,
    ActKind.READ_CACHED: _read,
    ActKind.READ_MAPPED: _read,
    ActKind.WRITE_AT: _exchange,
    ActKind.WRITE_CACHED: _exchange,
    ActKind.WRITE_MAPPED: _exchange,
    ActKind.MAKE_LINK: _make_link,
    ActKind.KEEP_LIST: _exchange,
    ActKind.KEEP_ATTRIBUTE: _exchange,
    ActKind.LIST_NAMES: _list_names,
    ActKind.WRITE: _write,
    ActKind.LONG_CALL: _long_call,
    ActKind.LONG_REPLY: _long_reply,
    ActKind.ASK_SIZE: _null,
    ActKind.ASK_INVALIDATION: _null,
    ActKind.CHANGE_SIZE: _null,
}
"""What each act consists of: from its length, what makes a call of an XID."""


_GIVE_DATA: Final = frozenset(
    {
        ActKind.READ,
        ActKind.MANY_READS,
        ActKind.READ_AT,
        ActKind.READ_CACHED,
        ActKind.READ_MAPPED,
        ActKind.WRITE_AT,
        ActKind.WRITE_CACHED,
        ActKind.WRITE_MAPPED,
        ActKind.MAKE_LINK,
        ActKind.KEEP_LIST,
        ActKind.KEEP_ATTRIBUTE,
    }
)
"""Acts of which the tester gets the data, besides that they are done."""


_SERVICES: Final[Mapping[ActKind, GssService]] = {
    ActKind.EXCHANGE_AUTHENTICATED: GssService.RPC_GSS_SVC_NONE,
    ActKind.EXCHANGE_INTEGRITY: GssService.RPC_GSS_SVC_INTEGRITY,
    ActKind.EXCHANGE_PRIVACY: GssService.RPC_GSS_SVC_PRIVACY,
}
"""Acts under RPCSEC_GSS, which begin with a context."""


def _cut(length: int) -> Iterator[int]:
    """A length in pieces that one call of the program moves."""
    whole, rest = divmod(length, wire.TEST_MAX_ITEM)
    yield from (wire.TEST_MAX_ITEM,) * whole
    if rest or not whole:
        yield rest
