"""The tester as a server that calls its client back.

    server = BackwardServer.of(service)        a client of the profile's binding is prepared
    xid = server.call(server.calls.null)       a good Call; `credits`: what it requests
    server.transmit(xid, payload, sends)       the same in a transmission group
    server.answered(xid, call)                 its right Reply, judged; returns it
    server.send(octets, xid)                   anything else, about which an error may come
    server.given_back()                        what a Call recalled
    server.unanswered(xid)                     nothing executes it: silence, an error, the end
    server.silent()                            nothing of the backward direction came
    server.received                            Replies and errors of the backward direction

    bidir section 1.3.4.1  XIDs with Bi-direction
    bidir section 2.6      Sending A Backward Direction Reply
    v2 section 4.2.2       Message Direction (backward messages have the connection's version)

The client's forward Calls go on being served by `conformance.tester.server` meanwhile.  A client of
the test program takes backward Calls from the first if its profile claims `backward`: that is its
Upper-Layer Protocol's word (bidir 2.2.3).  One of NFSv4.1 gives its word with its session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.backward import build as build_backward
from conformance.backward.calls import TestprogCalls, backward_calls_for
from conformance.catalogue.inheritance import statements
from conformance.oracle.backward import broken_reply_rules
from conformance.oracle.header import VERSION_ONE
from conformance.oracle.marks import marks_by
from conformance.oracle.message_type import whole_type
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers, Outcome, read_outcome
from conformance.oracle.verdict import broken_ids, readings_of
from conformance.tester.case import Deviation, Inconclusive
from rpcrdma.ulp.rpc import RpcOutcome
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.backward.calls import BackwardCalls
    from conformance.tester.server import Line, Service

__all__ = ["BackwardServer"]

_GARBAGE: Final = "rfc8166.4.5.2.unparsable-arguments-get-garbage-args"

FIRST_XID = 1
PATIENCE = 20
"""Grace periods for which a client may put a Call off."""


class BackwardServer:
    """The backward direction of a service.

    Attributes:
        service: whose newest connection is used.
        calls: good Calls; of the test program, if the client was not said to be prepared.
        received: what came of the backward direction in this case, the oldest first.
    """

    def __init__(self, service: Service, calls: BackwardCalls | None = None) -> None:
        self.service = service
        self.calls: BackwardCalls = TestprogCalls() if calls is None else calls
        self.received: list[Outcome] = []
        self._calls: dict[int, bytes] = {}
        self._next_xid = FIRST_XID
        service.divert = self._divert

    @classmethod
    def of(cls, service: Service) -> BackwardServer:
        """The server of a client that is prepared.

        Raises:
            Unsupported: the tester has no backward Calls for the binding.
        """
        return cls(service, backward_calls_for(service))

    @property
    def version(self) -> int:
        """That of the newest connection: of the calls that came on it."""
        number = self.service.line.number
        calls = (call for call in self.service.received if call.line == number)
        return next((call.version for call in calls), VERSION_ONE)

    @property
    def threshold(self) -> int:
        """Octets of the longest message that is received here (D-44)."""
        service = self.service
        one = self.version == VERSION_ONE
        return service.call_threshold if one else service.threshold_of_two

    def next_xid(self) -> int:
        """An XID of the backward direction that no other Call of this case has."""
        self._next_xid += 1
        return self._next_xid - 1

    # -- Calls

    def call(
        self,
        encode: Callable[[int], bytes],
        *,
        xid: int | None = None,
        credits: int = build_backward.CREDITS,  # noqa: A002  # the word of the documents
    ) -> int:
        """Send a good Call; returns its XID."""
        chosen = self.next_xid() if xid is None else xid
        payload = encode(chosen)
        message = build_backward.call(chosen, payload, credits=credits, version=self.version)
        self.send(message.octets, chosen)
        self._calls[chosen] = message.payload
        return chosen

    def transmit(self, xid: int, payload: bytes, sends: Iterable[bytes]) -> None:
        """Send a good Call by these Sends, a transmission group (rtrext 4.2)."""
        self._calls[xid] = payload
        for octets in sends:
            self.service.line.send(octets)

    def send(self, octets: bytes, xid: int) -> None:
        """Send anything; what comes under its XID is of the backward direction."""
        self._calls[xid] = b""
        self.service.line.send(octets)

    # -- what comes of them

    def answers(self, xid: int) -> tuple[Outcome, ...]:
        """What has come under an XID."""
        return tuple(outcome for outcome in self.received if _xid(outcome) == xid)

    def wait_for(self, xid: int) -> None:
        """Serve until something has come under an XID, or connection or deadline are over."""
        self.service.serve_while(lambda: self._goes_on(xid))

    def answered(self, xid: int, *, breaks: verify.Ids = ()) -> Answered:
        """The right Reply to a Call comes, while everything else is served.

        A Reply may ask for the Call to be made again later, as the Upper-Layer Protocol has it;
        then the Reply to the last one counts.

        Raises:
            Deviation: there is no Reply, or another one.
            Inconclusive: the client puts the Call off again and again.
        """
        for _ in range(PATIENCE):
            reply = self._reply(xid, breaks)
            again = self.calls.put_off(self._calls[xid], reply.payload)
            if again is None:
                break
            self.service.serve_while(lambda: True, self.service.profile.grace)
            xid = self.call(again)
        else:
            raise Inconclusive("the client puts the backward Call off again and again")
        problem = self.calls.problem(self._calls[xid], reply.payload)
        if problem:
            raise Deviation(
                f"The results of a backward Call are wrong ({problem}): {reply}.",
                expected=self.service.case.expected,
                actual=str(reply),
                breaks=verify.ids_of(breaks),
            )
        return reply

    def _reply(self, xid: int, breaks: verify.Ids) -> Answered:
        """A Reply to a Call comes, and is as the transport wants it."""
        self.wait_for(xid)
        found = self.answers(xid)
        case = self.service.case
        case.expected = ("the right backward Reply",)
        case.actual = str(found[-1]) if found else "nothing"
        if not found or not isinstance(found[-1], Answered):
            raise Deviation(
                f"A backward Call was not answered by a Reply: {case.actual}.",
                expected=case.expected,
                actual=case.actual,
                breaks=verify.ids_of(breaks),
                unanswered=not found,
            )
        self._judge(found[-1])
        return found[-1]

    def given_back(self) -> None:
        """What was recalled is given back by the client's own Calls, which are served meanwhile.

        Raises:
            Inconclusive: it is not, of which these documents say nothing.
        """
        if not self.service.serve_while(self.calls.outstanding):
            raise Inconclusive("the client does not give back what it was asked for")

    def unanswered(self, xid: int, *, breaks: verify.Ids = ()) -> None:
        """No Reply says within the grace period that a message was executed; an error may come."""
        self.service.serve_while(lambda: True, self.service.profile.grace)
        for outcome in self.answers(xid):
            if isinstance(outcome, Answered):
                self._refuse(outcome, breaks)

    def silent(self, *, breaks: verify.Ids = ()) -> None:
        """Nothing of the backward direction has come in this case, nor does within the grace."""
        self.service.serve_while(lambda: True, self.service.profile.grace)
        if self.received:
            raise Deviation(
                f"This answers a backward Call that nobody made: {self.received[0]}.",
                expected=("forward Calls, and nothing else",),
                actual=str(self.received[0]),
                breaks=verify.ids_of(breaks),
            )

    def dropped_or_garbage(self, xid: int, *, breaks: verify.Ids = ()) -> None:
        """Like `unanswered`, of a cut message: another RPC error than GARBAGE_ARGS warns (D-40)."""
        self.unanswered(xid, breaks=breaks)
        for outcome in self.answers(xid):
            status = outcome.rpc.outcome if isinstance(outcome, Answered) and outcome.rpc else None
            if status not in (None, RpcOutcome.GARBAGE_ARGS):
                reason = f"A cut message got {outcome}, not GARBAGE_ARGS."
                self.service.case.let_pass(reason, statements((_GARBAGE,), self.version))

    def _refuse(self, reply: Answered, breaks: verify.Ids) -> None:
        if reply.rpc is None:
            self._judge(reply)  # what cannot be read says of no execution, but is no Reply either
        if reply.rpc is None or reply.rpc.succeeded:
            raise Deviation(
                f"A message that is no good backward Call was executed: {reply}.",
                expected=("silence", "an RDMA_ERROR", "an RPC error", "the end of the connection"),
                actual=str(reply),
                breaks=verify.ids_of(breaks),
            )

    def _judge(self, reply: Answered) -> None:
        broken = broken_reply_rules(reply, self.threshold, self.version)
        if broken:
            self.service.case.interpretations += readings_of(broken)
            raise Deviation(
                f"A backward Reply is not as it must be: {'; '.join(r.detail for r in broken)}.",
                expected=("a backward Reply as bidir 2.6 has it",),
                actual=str(reply),
                breaks=broken_ids(broken),
                marks=marks_by(reply, broken),
            )

    def _goes_on(self, xid: int) -> bool:
        return not self.answers(xid) and self.service.line.connected

    def _divert(self, _line: Line, octets: bytes) -> bool:
        """Take what is of the backward direction: told by the msg_type, or else by the XID."""
        outcome = read_outcome(octets)
        if isinstance(outcome, Answered):
            is_call = whole_type(outcome.payload) is MessageType.CALL or any(
                segment.position == 0 for segment in outcome.body.rdma_reads
            )
            is_reply = whole_type(outcome.payload) is MessageType.REPLY
            takes = is_reply or (outcome.xid in self._calls and not is_call)
        else:
            takes = isinstance(outcome, ErrChunk | ErrVers)  # only a Responder sends these
        if takes:
            self.received.append(outcome)
        return takes


def _xid(outcome: Outcome) -> int | None:
    return outcome.xid if isinstance(outcome, Answered | ErrChunk | ErrVers) else None
