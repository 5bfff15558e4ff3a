"""The backward half of a client: executes the server's Calls, sends Replies.

    bidir section 2.1.2  Backward Credits
    bidir section 2.2.1  Client Receive Buffers
    bidir section 2.6    Sending A Backward Direction Reply

It is a `Responder` that is asked for nothing but Short Messages, unless it has said in Version Two
that it takes chunks (xcharext 3.3).  Else a Call with chunks, or without a Payload stream, is
refused by ERR_CHUNK and not executed (D-41; RFC 8167 5.3 demands that answer); so is one whose
Reply does not fit, for which there can be no Reply chunk.  Requests in transmission groups it takes
as the other role does (rtrext 1.4).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rpcrdma.endpoint.backward.requester import BackwardOptions
from rpcrdma.endpoint.core.dialect import ONE
from rpcrdma.endpoint.core.dialect_two import TWO
from rpcrdma.endpoint.core.faults import Fault, FaultFound
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.groups import RequestGroups
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import FixedWords, RdmaMsg, RdmaNomsg

__all__ = ["BackwardCallRules", "BackwardReplyRules", "BackwardResponder"]


class BackwardCallRules(CallRules):
    """The checks of a backward Call (see `CallRules`).

    Args:
        dialects: the versions that are served.
        general: whether Calls may have chunks in Version Two (xcharext 3.3, D-131).
    """

    def __init__(self, dialects: Iterable[Dialect] = (ONE,), *, general: bool = False) -> None:
        super().__init__(dialects)
        self._general = general

    def takes_chunks(self, words: FixedWords) -> bool:
        """Whether a Call may have chunks."""
        return self._general and words.version == TWO.number

    def take_short(
        self, words: FixedWords, body: RdmaMsg, payload: bytes, limit: int
    ) -> IncomingCall:
        """Judge an RDMA_MSG: all its lists are empty (bidir 2.5)."""
        chunks = body.rdma_reads or body.rdma_writes or body.rdma_reply is not None
        if chunks and not self.takes_chunks(words):
            raise FaultFound(Fault.BACKWARD_CHUNKS, "lists that are not empty")
        return super().take_short(words, body, payload, limit)

    def take_long(self, words: FixedWords, body: RdmaNomsg, limit: int) -> IncomingCall:
        """Refuse an RDMA_NOMSG (bidir 2.5), unless chunks are taken."""
        if not self.takes_chunks(words):
            raise FaultFound(Fault.BACKWARD_CHUNKS, "RDMA_NOMSG")
        return super().take_long(words, body, limit)


class BackwardReplyRules(ReplyRules):
    """The answers to a backward Call: those to a forward one (see `ReplyRules`)."""


class BackwardResponder(Responder):
    """The role that executes backward Calls (see `rpcrdma.endpoint.backward.duplex.Half`).

    Without credits it is the half of a client that takes no backward Calls, and has no part in
    anything.
    """

    def __init__(
        self,
        upper_layer: UpperLayer,
        options: BackwardOptions | None = None,
        calls: BackwardCallRules | None = None,
        replies: BackwardReplyRules | None = None,
    ) -> None:
        chosen, answers = options or BackwardOptions(), replies or BackwardReplyRules()
        super().__init__(
            upper_layer,
            ResponderOptions(
                thresholds=chosen.thresholds.backward,
                receives=chosen.credits,
                reductions=chosen.reductions,
            ),
            calls=calls or BackwardCallRules(),
            replies=answers,
            groups=RequestGroups(chosen.reductions, answers),
        )

    @property
    def armed(self) -> bool:
        """Whether backward Calls can come: the Receives for them are posted from the first."""
        return self.options.receives > 0

    def flush(self) -> list[Action]:
        """A Responder has nothing of its own to send."""
        return []
