"""Answers each call of a running client by a message that is given.

A client reads a header only when a call of its own waits for it under `rdma_xid`, so each message
gets the XID of one.  The call ends by it, well or badly, or is made again; the next message goes to
the next call.  There is one at a time, so that a trace of the client has everything in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.case import CaseLog, Inconclusive
from fuzz.differential.two_decoders import FIXED, decode_as_true
from rpcrdma.errors import DecodeError
from rpcrdma.wire import RdmaMsg
from targets.base import ActKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.tester.server import ReceivedCall
    from conformance.tester.server.harness import ClientHarness
    from targets.base import RunningAct

__all__ = ["aimed_at", "answered_by"]

_XID: Final = 4


def answered_by(harness: ClientHarness, messages: Iterable[bytes]) -> Iterator[bytes]:
    """Answer a call by each message that fits its Receives; the messages as they were sent.

    Args:
        harness: of a client that is ready.
        messages: of Version One.

    Raises:
        Inconclusive: the client makes no call any more, or does nothing about a message.
    """
    calls = _Calls(harness)
    service = harness.service
    for message in messages:
        call = calls.next()
        octets = aimed_at(call.xid, message, service.draft(call).payload)
        if len(octets) > service.reply_threshold:
            continue  # it would cost the connection, and the client would not see it
        service.send(octets, service.line_of(call))
        call.answered = len(octets) >= FIXED
        yield octets
    calls.end()


def aimed_at(xid: int, message: bytes, stream: bytes) -> bytes:
    """A message as a Reply to a call.

    The octets after the header of an RDMA_MSG are the Reply's own: without results the client would
    make its call again, and end the connection for that.

    Args:
        xid: of the call.
        message: a header, whole or not, and what follows it.
        stream: the right Payload stream of the call's Reply.
    """
    octets = (xid.to_bytes(_XID) + message[_XID:])[: len(message)]
    ours = decode_as_true(octets)
    if isinstance(ours, DecodeError) or not isinstance(ours[0].rdma_body, RdmaMsg):
        return octets
    return octets[: ours[1]] + stream


class _Calls:
    """The calls of a client that makes one small call after the other."""

    def __init__(self, harness: ClientHarness) -> None:
        self._harness = harness
        self._act: RunningAct | None = None
        self._call: ReceivedCall | None = None

    def next(self) -> ReceivedCall:
        """A call that waits for its Reply: the last one, if what it was sent is no answer.

        Raises:
            Inconclusive: none comes.
        """
        if self._call is not None and not self._call.answered:
            return self._call
        service, clock = self._harness.service, self._harness.session.fabric.clock
        last = clock.now() + self._harness.profile.deadline
        self._settle()
        while not service.waiting(0.0):
            if clock.now() >= last:
                how = self._act and self._act.poll()
                raise Inconclusive(f"the client makes no call any more: what it was told is {how}")
            self._begin()
        self._call = service.next_call()
        return self._call

    def end(self) -> None:
        """Have everything end that is under way.

        Raises:
            Inconclusive: it does not.
        """
        if self._call is not None:
            self._harness.service.serve(self._call)
        self._settle()

    def _begin(self) -> None:
        """Have it make a call; what came before is forgotten."""
        harness = self._harness
        harness.client.forget_ended()
        harness.service.begin(CaseLog(), keep_connections=True)
        self._act = harness.client.begin(ActKind.SMALL)
        self._settle()

    def _settle(self) -> None:
        """Wait for what a message brings about: the end of the act, or another call.

        Raises:
            Inconclusive: neither comes.
        """
        act, service = self._act, self._harness.service
        if act is None:
            return
        arrived = service.waiting(
            self._harness.profile.deadline,
            until=lambda: act.poll() is not None or bool(service.waiting(0.0)),
        )
        if not arrived and act.poll() is None:
            raise Inconclusive("the client neither ends its call nor makes it again")
