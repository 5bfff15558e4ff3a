"""Which replies are due: programs of the connections, and what they have answered before.

A call that is repeated on a new connection (rfc8166 4.5.5) is not executed again: the first answer
counts, as a server's duplicate request cache has it.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from conformance.tester.server.reply import ReplyDraft, draft_reply
from rpcrdma.errors import DecodeError, LocalProtocolError
from rpcrdma.ulp import gss
from rpcrdma.ulp.bindings import ReplyExpectation
from rpcrdma.ulp.gss_mechanism import MOCK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from conformance.tester.server.line import Line
    from conformance.tester.server.received import ReceivedCall
    from rpcrdma.ulp.bindings import DataItem, UpperLayer
    from rpcrdma.ulp.gss_context import GssMechanism

__all__ = ["Replies"]


class Replies:
    """The replies of one case.

    Attributes:
        mechanism: of RPCSEC_GSS, by which the programs protect theirs.
    """

    def __init__(self) -> None:
        self.mechanism: GssMechanism = MOCK
        self._programs: dict[Line, UpperLayer] = {}
        self._given: dict[bytes, list[bytes]] = {}

    def open(self, line: Line, program: UpperLayer) -> None:
        """Put a program behind a new connection."""
        self._programs[line] = program

    def forget(self, kept: Collection[Line]) -> None:
        """Forget everything but the programs of some connections."""
        self._given.clear()
        self._programs = {line: self._programs[line] for line in kept}

    def program_of(self, line: Line) -> UpperLayer:
        """What is behind a connection."""
        return self._programs[line]

    def arguments(self, call: ReceivedCall, line: Line) -> tuple[DataItem, ...]:
        """Arguments of a call that may be reduced; none if it cannot be decoded."""
        try:
            return self._programs[line].arguments(call.unreduced or b"")
        except DecodeError:
            return ()

    def expectation(self, call: ReceivedCall, line: Line) -> ReplyExpectation:
        """The largest reply that a call can have; nothing if it cannot be decoded."""
        try:
            return self._programs[line].expectation(call.unreduced or b"")
        except DecodeError:
            return ReplyExpectation(0)

    def drafts(
        self,
        call: ReceivedCall,
        line: Line,
        open_calls: Mapping[int, ReceivedCall],
        credit: int,
        threshold: int,
    ) -> Iterator[tuple[ReceivedCall, ReplyDraft]]:
        """The replies that a call makes due: usually its own.

        Args:
            call: that is to be executed.
            line: on which it came.
            open_calls: unanswered calls of that connection by XID: one may release another.
            credit: to be granted.
            threshold: most octets in one Send.
        """
        for due in self.due(call, line):
            answered = open_calls.get(int.from_bytes(due[:4], "big"), call)
            slots = self.slots(answered, line, due)
            yield answered, draft_reply(answered, due, slots, credit, threshold)

    def due(self, call: ReceivedCall, line: Line) -> tuple[bytes, ...]:
        """The unreduced replies that a call makes due: usually its own alone."""
        if call.unreduced is None:
            return ()
        return tuple(self._execute(self._programs[line], call.unreduced))

    def protected(self, call: ReceivedCall, reply: bytes) -> bytes:
        """A reply that no program has made, under the protection that its call has, if it has any.

        Args:
            call: good, whatever is answered.
            reply: unprotected.
        """
        octets = call.unreduced or b""
        found = gss.decode_gss_call(octets, self.mechanism) if gss.is_gss(octets) else None
        return reply if found is None or not found.is_data else gss.protect_reply(found, reply)

    def slots(self, call: ReceivedCall, line: Line, reply: bytes) -> tuple[DataItem | None, ...]:
        """Where the results are that may be reduced; none in a reply to what cannot be decoded."""
        try:
            return self._programs[line].results(call.unreduced or b"", reply)
        except (DecodeError, LocalProtocolError):
            return ()

    def origins(self, call: ReceivedCall, line: Line) -> tuple[int, ...]:
        """Where in the call the operation of each of its results begins (rtrext 7.4)."""
        try:
            return self._programs[line].origins(call.unreduced or b"")
        except DecodeError:
            return ()

    def _execute(self, program: UpperLayer, call: bytes) -> list[bytes]:
        name = hashlib.sha256(call).digest()
        if name not in self._given:
            self._given[name] = program.execute(call)
        return self._given[name]
