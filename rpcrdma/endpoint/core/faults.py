"""Which answer each fault of a received message gets: one table for both roles.

    rfc8166 section 4.5    Error Handling
    rfc8166 section 4.6    Protocol Elements No Longer Supported
    rfc8166 section 6.1    DDP-Eligibility (violations)
    rtrext section 5.4     Error Reporting

The roles find faults (`FaultFound`) and do what `RULES` says; nothing else decides on an answer.
Where the documents leave a choice, the row names the entry of `rpcrdma/spec/INTERPRETATIONS.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from rpcrdma.errors import RemoteProtocolError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RULES", "Fault", "FaultAnswer", "FaultFound", "Rule"]


class FaultAnswer(Enum):
    """What is done about a fault."""

    DISCARD = "drop the message, say nothing"
    ERR_VERS = "RDMA_ERROR with ERR_VERS and the supported range"
    ERR_CHUNK = "RDMA_ERROR with ERR_CHUNK"
    GARBAGE_ARGS = "an RPC reply GARBAGE_ARGS in an RDMA_MSG"
    REPTERR = "an error report (ROPT_REPTERR)"
    DISCONNECT = "close the connection"
    FAIL_CALL = "end the call with a permanent error"


class Fault(Enum):
    """What can be wrong with a message, or become wrong while it is served."""

    # at a Responder
    RUNT = auto()  # shorter than the shortest header
    UNKNOWN_VERSION = auto()
    UNKNOWN_VERSION_ERROR = auto()  # RDMA_ERROR in such a version
    UNDECODABLE_HEADER = auto()
    MSGP_CALL = auto()
    DONE_MESSAGE = auto()
    ERROR_MESSAGE = auto()  # RDMA_ERROR sent to a Responder
    NOMSG_WITHOUT_LISTS = auto()
    NOMSG_WITHOUT_CALL = auto()  # lists, but no Position-Zero Read chunk
    POSITION_ZERO_IN_MSG = auto()
    POSITION_UNALIGNED = auto()
    POSITION_BEYOND_STREAM = auto()
    POSITION_REPEATED = auto()  # the same one in two places of the list
    EMPTY_LONG_CALL = auto()
    READ_TOO_LONG = auto()  # longer than any call of ours
    XID_MISMATCH = auto()
    NOT_A_CALL = auto()  # no RPC call header
    INELIGIBLE_ARGUMENT = auto()  # a Read chunk for an item that must not be reduced
    READ_CHUNK_LENGTH = auto()  # its length is not that of the item
    UNDECODABLE_ARGUMENTS = auto()
    WRITE_CHUNK_TOO_SHORT = auto()
    REPLY_CHUNK_TOO_SHORT = auto()
    REPLY_CHUNK_MISSING = auto()
    REPLY_WAS_LOST = auto()  # this call cost a connection before
    TOO_MANY_CALLS = auto()
    BACKWARD_CHUNKS = auto()  # a backward Call with chunks, or without a Payload stream
    RDMA_FAILED = auto()
    GROUP_COUNT = auto()  # more transmissions than are taken, or not so many as it says
    ITEM_TYPE = auto()  # an entry that only a response can have
    ITEM_LENGTH = auto()  # memory that an item names is not as long as the item
    ITEMS_OVERLAP = auto()  # items that share octets, or lie beyond the stream
    RESPONSE_RANGES = auto()  # ranges of directions that overlap or descend
    # at either
    BAD_PLACEMENT = auto()  # bulk data cannot be where an item says
    # at a Requester
    BAD_REPLY_HEADER = auto()
    REPLY_VERSION = auto()
    CALL_TO_REQUESTER = auto()  # a backward Call, where nobody serves any
    UNKNOWN_XID = auto()
    REPLY_XID_MISMATCH = auto()
    MSGP_REPLY = auto()
    DONE_REPLY = auto()
    NOMSG_WITHOUT_REPLY = auto()
    READ_LIST_IN_REPLY = auto()
    RETURNED_CHUNKS = auto()  # not those that were offered, or longer
    REPLY_CHUNK_IN_MSG = auto()  # a payload inline and one in the chunk
    INELIGIBLE_RESULT = auto()
    UNREDUCED_RESULT = auto()
    UNDECODABLE_REPLY = auto()
    RESPONSE_GROUP = auto()  # more transmissions than were provided for, or a wrong count
    RESPONSE_ITEMS = auto()  # directions that are not answered, or not as table 2 allows


@dataclass(frozen=True, slots=True)
class Rule:
    """What a fault breaks and what it gets.

    Attributes:
        answer: what is done.
        requirement: the catalogue's id of the statement that governs the answer.
        sections: of the document that the requirement is of.
        interpretations: entries of INTERPRETATIONS.md on which the answer rests.
    """

    answer: FaultAnswer
    requirement: str
    sections: tuple[str, ...]
    interpretations: tuple[str, ...] = ()


_XDR_ERROR: Final = "rfc8166.4.5.2.xdr-error-gets-err-chunk"
_BAD_REPLY: Final = "rfc8166.4.5.bad-reply-header-discarded"
_CANNOT_REPLY: Final = "rfc8166.4.5.4.close-when-reply-cannot-be-sent"

RULES: Final[Mapping[Fault, Rule]] = {
    Fault.RUNT: Rule(
        FaultAnswer.DISCARD, "rfc8166.4.5.short-message-discarded", ("4.5",), ("D-10",)
    ),
    Fault.UNKNOWN_VERSION: Rule(
        FaultAnswer.ERR_VERS,
        "rfc8166.4.5.1.unsupported-version-gets-err-vers",
        ("4.5.1",),
        ("D-11", "D-27"),
    ),
    Fault.UNKNOWN_VERSION_ERROR: Rule(
        FaultAnswer.DISCARD, "rfc8166.4.2.4.responder-discards-error", ("4.2.4", "4.5.1"), ("D-27",)
    ),
    Fault.UNDECODABLE_HEADER: Rule(FaultAnswer.ERR_CHUNK, _XDR_ERROR, ("4.5.2",), ("D-33", "D-40")),
    Fault.MSGP_CALL: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.4.6.1.msgp-gets-err-chunk", ("4.6.1", "4.5.2"), ("D-13",)
    ),
    Fault.DONE_MESSAGE: Rule(
        FaultAnswer.DISCARD, "rfc8166.4.6.2.done-is-discarded", ("4.6.2",), ("D-14",)
    ),
    Fault.ERROR_MESSAGE: Rule(
        FaultAnswer.DISCARD, "rfc8166.4.2.4.responder-discards-error", ("4.2.4",), ("D-15",)
    ),
    Fault.NOMSG_WITHOUT_LISTS: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.4.5.2.nomsg-without-chunks-is-an-xdr-error", ("4.5.2",)
    ),
    Fault.NOMSG_WITHOUT_CALL: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.4.2.4.nomsg-lists-hold-the-payload", ("4.2.4",), ("D-22",)
    ),
    Fault.POSITION_ZERO_IN_MSG: Rule(FaultAnswer.ERR_CHUNK, _XDR_ERROR, ("3.5.3",), ("D-23",)),
    Fault.POSITION_UNALIGNED: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.3.4.5.position-is-a-multiple-of-four", ("3.4.5",), ("D-23",)
    ),
    Fault.POSITION_BEYOND_STREAM: Rule(FaultAnswer.ERR_CHUNK, _XDR_ERROR, ("3.4.5",), ("D-23",)),
    Fault.POSITION_REPEATED: Rule(FaultAnswer.ERR_CHUNK, _XDR_ERROR, ("3.4.5",), ("D-23",)),
    Fault.EMPTY_LONG_CALL: Rule(FaultAnswer.ERR_CHUNK, _XDR_ERROR, ("3.5.3",), ("D-34",)),
    Fault.READ_TOO_LONG: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.8.1.4.large-read-chunks-may-be-refused", ("3.4.4", "8.1.4")
    ),
    Fault.XID_MISMATCH: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.4.5.2.xid-mismatch-is-an-xdr-error", ("4.5.2",), ("D-12",)
    ),
    Fault.NOT_A_CALL: Rule(
        FaultAnswer.DISCARD, "rfc8166.2.2.2.call-msg-type", ("2.2.2",), ("D-40",)
    ),
    Fault.INELIGIBLE_ARGUMENT: Rule(
        FaultAnswer.ERR_CHUNK,
        "rfc8166.6.1.ineligible-argument-is-reported",
        ("6.1", "4.5.2"),
        ("D-20",),
    ),
    Fault.READ_CHUNK_LENGTH: Rule(
        FaultAnswer.GARBAGE_ARGS,
        "rfc8166.4.5.2.unparsable-arguments-get-garbage-args",
        ("3.4.5.2", "4.5.2"),
        ("D-24",),
    ),
    Fault.UNDECODABLE_ARGUMENTS: Rule(
        FaultAnswer.GARBAGE_ARGS, "rfc8166.4.5.2.unparsable-arguments-get-garbage-args", ("4.5.2",)
    ),
    Fault.WRITE_CHUNK_TOO_SHORT: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.8.1.4.no-more-data-than-room", ("4.5.3",), ("D-21",)
    ),
    Fault.REPLY_CHUNK_TOO_SHORT: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.4.5.3.no-write-past-the-reply-chunk", ("4.5.3",), ("D-21",)
    ),
    Fault.REPLY_CHUNK_MISSING: Rule(
        FaultAnswer.ERR_CHUNK,
        "rfc8166.3.5.3.still-too-large-means-long-message",
        ("3.5.3",),
        ("D-21",),
    ),
    Fault.REPLY_WAS_LOST: Rule(
        FaultAnswer.ERR_CHUNK, "rfc8166.4.5.3.err-chunk-after-reconnection", ("4.5.3",), ("D-26",)
    ),
    Fault.TOO_MANY_CALLS: Rule(
        FaultAnswer.DISCONNECT, "rfc8166.3.3.1.overrun-may-cost-the-connection", ("3.3.1",)
    ),
    Fault.BACKWARD_CHUNKS: Rule(
        FaultAnswer.ERR_CHUNK, "bidir.2.5.call-has-empty-lists", ("2.5",), ("D-41",)
    ),
    Fault.RDMA_FAILED: Rule(FaultAnswer.DISCONNECT, _CANNOT_REPLY, ("4.5.3", "4.5.4")),
    Fault.GROUP_COUNT: Rule(
        FaultAnswer.ERR_CHUNK,
        "rtrext.8.4.requests-up-to-the-limit-are-taken",
        ("8.4", "9.2"),
        ("D-98", "D-106"),
    ),
    Fault.ITEM_TYPE: Rule(
        FaultAnswer.ERR_CHUNK, "rtrext.6.2.result-as-item-of-a-request", ("6.2",), ("D-106",)
    ),
    Fault.ITEM_LENGTH: Rule(
        FaultAnswer.ERR_CHUNK, "rtrext.7.3.length-of-an-item", ("7.3",), ("D-24", "D-106")
    ),
    Fault.ITEMS_OVERLAP: Rule(
        FaultAnswer.ERR_CHUNK, "rtrext.7.3.displacement-of-an-item", ("7.3",), ("D-106", "D-118")
    ),
    Fault.RESPONSE_RANGES: Rule(
        FaultAnswer.ERR_CHUNK, "rtrext.7.4.ranges-are-disjoint", ("7.4",), ("D-106",)
    ),
    Fault.BAD_PLACEMENT: Rule(
        FaultAnswer.REPTERR, "rtrext.5.4.faulty-placement-is-reported", ("5.4", "9.5"), ("D-111",)
    ),
    Fault.BAD_REPLY_HEADER: Rule(
        FaultAnswer.DISCARD, _BAD_REPLY, ("4.5",), ("D-10", "D-28", "D-132")
    ),
    Fault.REPLY_VERSION: Rule(FaultAnswer.DISCARD, _BAD_REPLY, ("4.2.2", "4.5"), ("D-11",)),
    Fault.CALL_TO_REQUESTER: Rule(
        FaultAnswer.DISCARD, "bidir.3.2.unsupported-messages-are-dropped", ("2.2.2",), ("D-15",)
    ),
    Fault.UNKNOWN_XID: Rule(FaultAnswer.DISCARD, _BAD_REPLY, ("4.2.1",), ("D-15",)),
    Fault.REPLY_XID_MISMATCH: Rule(FaultAnswer.DISCARD, _BAD_REPLY, ("4.5.2",), ("D-12",)),
    Fault.MSGP_REPLY: Rule(
        FaultAnswer.DISCARD, "rfc8166.4.6.1.requester-discards-msgp", ("4.6.1",)
    ),
    Fault.DONE_REPLY: Rule(FaultAnswer.DISCARD, "rfc8166.4.6.2.done-is-discarded", ("4.6.2",)),
    Fault.NOMSG_WITHOUT_REPLY: Rule(FaultAnswer.DISCARD, _BAD_REPLY, ("4.2.4",), ("D-22",)),
    Fault.READ_LIST_IN_REPLY: Rule(
        FaultAnswer.DISCARD, "rfc8166.4.3.1.read-list-empty-in-replies", ("4.3.1",), ("D-28",)
    ),
    Fault.RETURNED_CHUNKS: Rule(
        FaultAnswer.FAIL_CALL,
        "rfc8166.3.4.6.segments-returned",
        ("3.4.6", "4.3.3"),
        ("D-19", "D-28"),
    ),
    Fault.REPLY_CHUNK_IN_MSG: Rule(
        FaultAnswer.FAIL_CALL,
        "rfc8166.4.3.3.reply-chunk-lengths-tell-what-was-written",
        ("4.3.3",),
        ("D-19", "D-28"),
    ),
    Fault.INELIGIBLE_RESULT: Rule(
        FaultAnswer.FAIL_CALL,
        "rfc8166.6.1.reduced-ineligible-result-ends-the-rpc",
        ("6.1",),
        ("D-28",),
    ),
    Fault.UNREDUCED_RESULT: Rule(
        FaultAnswer.FAIL_CALL, "rfc8166.6.1.unreduced-result-ends-the-rpc", ("6.1",), ("D-28",)
    ),
    Fault.UNDECODABLE_REPLY: Rule(
        FaultAnswer.FAIL_CALL, "rfc8166.6.1.reassembly-gives-a-valid-stream", ("6.1",), ("D-28",)
    ),
    Fault.RESPONSE_GROUP: Rule(
        FaultAnswer.FAIL_CALL,
        "rtrext.5.2.response-stays-within-the-reserve",
        ("5.2", "9.3"),
        ("D-97", "D-106"),
    ),
    Fault.RESPONSE_ITEMS: Rule(
        FaultAnswer.FAIL_CALL,
        "rtrext.7.4.invalid-answers-are-not-used",
        ("7.4",),
        ("D-105", "D-106"),
    ),
}
"""Every fault has exactly one row."""


class FaultFound(RemoteProtocolError):
    """A received message has this fault."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(RULES[fault].requirement, detail or fault.name)
        self.fault = fault
