"""Backward Calls to a client that is fuzzed, and what may come of them.

A client of NFSv4.1 serves them; any other one drops them, and what it answers nevertheless is
looked at alike.

    bidir section 2.5   Sending A Backward Direction Call
    bidir section 2.6   Sending A Backward Direction Reply
    RFC 5661 section 20 NFSv4.1 Callback Operations
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.backward import broken_reply_rules
from conformance.oracle.message_type import whole_type
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers, read_outcome
from rpcrdma.ulp import rpc
from rpcrdma.wire import RdmaMsg, RdmaSegment, ReadSegment, TransportHeader, encode_header
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Collection

    from conformance.oracle.verdict import BrokenRule

__all__ = ["BackwardAnswers", "backward_call"]

_PROGRAM: Final = 0x4000_0000
"""That of the callbacks of Linux's clients (CREATE_SESSION, csa_cb_program)."""

_WORD: Final = 4
_STRAY: Final = RdmaSegment(0x00BAD000, 64, 4096)
_MOST: Final = 3000
"""Octets of arguments."""


def backward_call(xid: int, place: int, value: int) -> bytes:
    """A backward Call in one of several forms.

    Args:
        xid: of both headers.
        place: chooses procedure and form.
        value: what is changed, or how long it is.
    """
    procedure = (0, 1, 99)[place // 8 % 3]
    arguments = bytes(_WORD * (value % (_MOST // _WORD))) if place // 24 % 2 else bytes(8 * _WORD)
    payload = rpc.encode_call(xid, _PROGRAM, 1, procedure, arguments if procedure else b"")
    bodies = (
        RdmaMsg((), (), None),
        RdmaMsg((ReadSegment(_WORD, _STRAY),), (), None),
    )
    grant = (value % 64, 1, 0, 2**32 - 1)[place // 2 % 4]
    header = TransportHeader(xid, 1, grant, bodies[place // 48 % 2])
    octets = encode_header(header) + payload
    if place % 2:
        return octets[: len(octets) - value % len(octets)]
    return octets


class BackwardAnswers:
    """What comes of the backward direction in one turn (see `Service.divert`).

    Attributes:
        broken: rules that Replies of the client break.
        told: what came, in words.
    """

    def __init__(self, xids: Collection[int], threshold: int) -> None:
        """Take what is about some Calls.

        Args:
            xids: of backward Calls; they grow.
            threshold: octets of the longest message that the tester receives (D-44).
        """
        self.broken: list[BrokenRule] = []
        self.told: list[str] = []
        self._xids = xids
        self._threshold = threshold

    def take(self, octets: bytes) -> bool:
        """Whether a message is of the backward direction; it is judged if it is a Reply."""
        outcome = read_outcome(octets)
        if isinstance(outcome, ErrChunk | ErrVers):
            self.told.append(str(outcome))
            return True
        if not isinstance(outcome, Answered) or whole_type(outcome.payload) != MessageType.REPLY:
            return False
        self.told.append(str(outcome))
        if outcome.xid in self._xids:
            self.broken += broken_reply_rules(outcome, self._threshold)
        return True
