"""Servers that choose otherwise: grants, forms of Replies, and how memory is used."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec

from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.core.actions import RdmaRead
from rpcrdma.endpoint.core.faults import Fault
from rpcrdma.endpoint.responder.call_rules import CallRules
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder, ResponderOptions
from rpcrdma.wire import chunk_length
from rpcrdma.wire.rpc import xid_of
from targets.variants.base import variant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rpcrdma.endpoint.core.actions import Action, Transfer
    from rpcrdma.endpoint.core.dialect import Dialect
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.endpoint.responder.groups import RequestGroups
    from rpcrdma.endpoint.responder.lost_replies import LostReplies
    from rpcrdma.ulp.bindings import UpperLayer
    from rpcrdma.wire import FixedWords, TransportHeader, WriteChunk

SEVERAL_CALLS = dict.fromkeys(
    (
        "rfc8166/2.2.2/responder-serves-one-xid-on-two-connections[held]",
        "rfc8166/3.3.1/responder-answers-calls-of-which-one-waits",
        "rfc8166/3.4.5/responder-keeps-chunks-of-calls-at-once-apart",
        "rfc8166/3.5.2/responder-writes-the-results-of-many-calls-before-their-replies",
        "rfc8166/4.5/responder-answers-a-bad-call-among-good-ones-once",
        "rfc8166/4.5.3/responder-serves-the-other-calls-of-a-lost-connection",
        "rfc8166/4.5/responder-answers-a-fault-while-a-call-waits",
        "rfc8166/4.5/responder-discards-an-error-for-a-call-that-waits",
        "v2/4.2.3/responder-ends-no-call-that-waits-over-an-error",
        "v2/5/responder-has-its-receives-after-groups",
        "v2/5.3/responder-of-both-answers-a-call-that-waited-in-its-version",
        "xcharext/3.2/server-heeds-a-withdrawal-while-a-call-is-held",
        "xcharext/3.2/server-leaves-memory-of-other-calls-alone",
        "xcharext/4.2/request-may-have-the-xid-of-an-rpc[responder]",
    ),
    "the case takes several credits",
)

GROUPS = {"rtrext/": "a request in several transmissions takes more credits than it grants"}
"""One credit is needed for each transmission (D-109)."""

PIECE = 500
"""Octets of one RDMA operation where small ones are chosen."""

SHORT = 300
"""Octets of a Reply that goes inline where long ones have a chunk."""

LIKENESS = 256
"""Octets by which Calls are told apart."""

_given: WeakKeyDictionary[LostReplies, dict[bytes, bytes]] = WeakKeyDictionary()
"""What each listener remembers, by the other memory that its connections share."""


@variant("rfc8166.3.3.1.grant-is-never-zero", leaves_open={**SEVERAL_CALLS, **GROUPS})
class GrantsOneCredit(ReplyRules):
    """Grants one credit, however many are requested."""

    def grant(self, requested: int, posted: int) -> int:
        """One."""
        return 1

    def error_credit(self, words: FixedWords, posted: int) -> int:
        """One."""
        return 1


@variant("rfc8166.3.3.1.new-calls-within-lower-value")
class GrantsMoreThanRequested(ReplyRules):
    """Grants a credit for every Receive that it has, however few are requested."""

    def grant(self, requested: int, posted: int) -> int:
        """All."""
        return posted


@variant(
    "rfc8166.3.3.1.credit-values-may-change",
    leaves_open={
        "bidir/2.1.2/server-grants-forward-credits-as-before": "its grant changes by itself",
        **GROUPS,
    },
)
class GrantsAnotherNumberEachTime(ReplyRules):
    """Grants more credits and fewer in turn."""

    def __init__(self, *dialects: Iterable[Dialect]) -> None:
        super().__init__(*dialects)
        self._turns = count()

    def grant(self, requested: int, posted: int) -> int:
        """Anything from one to what is requested."""
        return 1 + next(self._turns) * 7 % super().grant(requested, posted)


class ChoosesOptions(Responder):
    """A Responder whose options are for one method to choose."""

    def __init__(
        self,
        upper_layer: UpperLayer,
        options: ResponderOptions | None = None,
        lost: LostReplies | None = None,
        calls: CallRules | None = None,
        replies: ReplyRules | None = None,
        groups: RequestGroups | None = None,
    ) -> None:
        chosen = self.choose(options or ResponderOptions())
        super().__init__(upper_layer, chosen, lost, calls, replies, groups)

    def choose(self, options: ResponderOptions) -> ResponderOptions:
        """The options, in place of those that it is given."""
        raise NotImplementedError


@variant(
    "rfc8166.3.3.1.credit-is-one-transaction",
    leaves_open={
        **dict.fromkeys(
            (
                "rfc8166/3.4.5/responder-keeps-chunks-of-calls-at-once-apart",
                "rfc8166/3.5.2/responder-writes-the-results-of-many-calls-before-their-replies",
            ),
            "the case takes more credits than it grants",
        ),
        **GROUPS,
    },
)
class PostsFewReceives(ChoosesOptions):
    """Has three Receives, and grants no more credits."""

    def choose(self, options: ResponderOptions) -> ResponderOptions:
        """With three."""
        return replace(options, receives=3)


@variant("rfc8166.3.3.3.may-receive-more-than-1024")
class PostsLargerReceives(Responder):
    """Posts Receives of 16 KiB at first, and tells nobody."""

    @property
    def initial_receives(self) -> tuple[int, ...]:
        """Large ones."""
        return (max(self.receive_length, 16384),) * self.options.receives


class _KnowsTheRoom(ReplyRules):
    """Chooses between a Send and the Reply chunk by what is in it and what goes into it."""

    _room = 0
    _payload = 0

    def returned_reply_chunk(self, chunk: WriteChunk | None) -> WriteChunk | None:
        """Note how much room there is."""
        self._room = 0 if chunk is None else chunk_length(chunk)
        return super().returned_reply_chunk(chunk)

    def encode_reply(self, header: TransportHeader, payload: bytes) -> bytes:
        """Note how much room is needed."""
        self._payload = len(payload)
        return super().encode_reply(header, payload)


@variant("rfc8166.4.any-endpoint-sends-msg-and-nomsg")
class TakesEveryReplyChunk(_KnowsTheRoom):
    """Puts a Reply into the Reply chunk that is offered for it, also where it fits inline."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        """Only what does not fit the chunk."""
        return self._payload > self._room and super().fits_inline(length, threshold)


@variant("rfc8166.3.4.6.write-chunk-filled-in-order")
class WritesSmallPieces(ReplyRules):
    """Fills segments by many small RDMA Writes."""

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        """In order."""
        return tuple(_cut(super().write_schedule(chunk, lengths)))


@variant("rfc8166.3.4.6.write-chunk-filled-in-order", documents="rfc8166,v2")
class WritesTheLastSegmentFirst(ReplyRules):
    """Fills the segments of a chunk by RDMA Writes of which the last goes first."""

    def write_schedule(self, chunk: WriteChunk, lengths: Sequence[int]) -> tuple[Transfer, ...]:
        """The same octets at the same places."""
        return super().write_schedule(chunk, lengths)[::-1]


@variant("rfc8166.4.any-endpoint-sends-msg-and-nomsg", documents="rfc8166,v2")
class SendsShortRepliesAlone(_KnowsTheRoom):
    """Puts a Reply of more than 300 octets into the Reply chunk, where one is offered."""

    def fits_inline(self, length: int, threshold: int) -> bool:
        """What is short, and what has no chunk."""
        is_short = length <= SHORT or self._payload > self._room
        return is_short and super().fits_inline(length, threshold)


@variant(
    "rfc8166.3.3.1.credit-is-one-transaction",
    leaves_open={
        "rfc8166/3.3/responder-survives-more-waiting-calls-than-it-granted": (
            "the program holds no more calls than it grants"
        )
    },
    documents="rfc8166,bidir,v2",
)
class PostsManyReceives(ChoosesOptions):
    """Has 128 Receives, as servers of NFS do."""

    def choose(self, options: ResponderOptions) -> ResponderOptions:
        """With so many."""
        return replace(options, receives=128)


@variant("rfc8166.3.4.3.memory-used-by-responder")
class ReadsSmallPiecesBackwards(Responder):
    """Fetches Read chunks by many small RDMA Reads, the last one first."""

    def _accept(self, call: IncomingCall) -> list[Action]:
        return [_backwards(action) for action in super()._accept(call)]


@variant("rfc8166.4.2.1.payload-xid-may-be-ignored")
class GoesByTheTransportHeaderAlone(CallRules):
    """Looks at no XID but that of the transport header."""

    def judge_xid(self, xid: int, payload: bytes) -> None:
        """Whatever it is."""


@variant("rfc8166.2.2.2.call-xid-is-unique")
class RemembersItsReplies(Responder):
    """Answers what looks like a Call that it has executed as it did then: servers of NFS do so."""

    def execute(self, payload: bytes) -> list[bytes]:
        """Not twice: a Call is known by its beginning, its XID included, on whatever connection."""
        given = _given.setdefault(self._lost, {})
        looks = payload[:LIKENESS]
        if looks in given:
            return [given[looks]]
        replies = super().execute(payload)
        if [xid_of(reply) for reply in replies] == [xid_of(payload)]:
            given[looks] = replies[0]
        return replies


@variant("rfc8166.4.5.bad-call-header-answered")
class RefusesReadChunksOfAnotherLength(Responder):
    """Answers a Read chunk that is not as long as its item by ERR_CHUNK."""

    def _answer_fault(self, fault: Fault, words: FixedWords) -> list[Action]:
        other = fault is Fault.READ_CHUNK_LENGTH
        return super()._answer_fault(Fault.UNDECODABLE_HEADER if other else fault, words)


@variant("xcharext.3.2.either-send-if-announced")
class InvalidatesNothing(Responder):
    """Sends no Reply by Send With Invalidate."""

    def invalidated(self, call: IncomingCall) -> int | None:
        """None."""
        return None


@variant("xcharext.3.2.either-send-if-announced")
class InvalidatesTheLastHandle(Responder):
    """Invalidates the last of the handles of a Call, not the first."""

    def invalidated(self, call: IncomingCall) -> int | None:
        """The last."""
        return None if super().invalidated(call) is None else call.handles[-1]


@variant("bidir.2.1.2.values-may-differ")
class RequestsOneBackwardCredit(BackwardRequester):
    """Asks for one credit in the backward direction."""

    def requested(self) -> int:
        """One."""
        return 1


@variant("D-12")
class GoesByTheXidOfTheHeader(BackwardRequester):
    """Ends a Call by a Reply under its rdma_xid, whatever XID the RPC header has."""

    def judge_reply(self, header: TransportHeader, payload: bytes) -> bool:
        """The same, with the XID put right."""
        return super().judge_reply(header, header.rdma_xid.to_bytes(4) + payload[4:])


def _cut(transfers: Iterable[Transfer]) -> Iterator[Transfer]:
    """The same octets in small pieces."""
    for whole in transfers:
        for at in range(0, whole.length, PIECE):
            yield msgspec.structs.replace(
                whole,
                start=whole.start + at,
                offset=whole.offset + at,
                length=min(PIECE, whole.length - at),
            )


def _backwards(action: Action) -> Action:
    if not isinstance(action, RdmaRead):
        return action
    pieces = tuple(_cut(action.transfers))[::-1]
    return msgspec.structs.replace(action, transfers=pieces)
