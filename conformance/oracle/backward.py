"""What backward Calls and Replies must look like, rule by rule.

    bidir section 2.1.2  Backward Credits
    bidir section 2.4    Backward Direction Message Size
    bidir section 2.5    Sending A Backward Direction Call
    bidir section 2.6    Sending A Backward Direction Reply
    v2 section 4.2.2     Message Direction (the same rules in Version Two)

`broken_rules` judges one Call by itself and by those that are in flight, `broken_reply_rules` one
Reply; waiting for them is the business of `conformance.backward.client` (a device that calls back)
and `conformance.backward.server` (a device that is called back).  `BackwardLine` follows both
ends of a connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.oracle.verdict import broken_rule
from rpcrdma.wire import RdmaMsg
from rpcrdma.wire.rpc import MessageType, message_type_of, xid_of
from rpcrdma.wire.words import constant_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.oracle.outcome import Answered, Called
    from conformance.oracle.verdict import BrokenRule
    from rpcrdma.wire import RdmaNomsg

__all__ = ["BackwardLine", "InFlight", "broken_reply_rules", "broken_rules"]


@dataclass(frozen=True, slots=True)
class InFlight:
    """The device's Calls on a connection when another comes.

    Attributes:
        calls: those that have not been answered: XID to Payload stream.
        most: how many there may be: the largest grant, or one before any (D-42).
        may_have_chunks: whether the tester has announced general support (xcharext 3.3, D-131).
    """

    calls: Mapping[int, bytes]
    most: int
    may_have_chunks: bool = False


def broken_rules(
    called: Called, before: InFlight, threshold: int, version: int = 1
) -> tuple[BrokenRule, ...]:
    """The rules that a Call breaks.

    Args:
        called: as it came.
        before: the Calls in flight when it came.
        threshold: octets of the longest message that the tester agreed to receive (D-44).
        version: of the connection.
    """
    return (
        *_header(called, version),
        *(() if before.may_have_chunks else _chunks(called, version)),
        *_payload(called, version),
        *_company(called, before, threshold, version),
    )


def _header(called: Called, version: int) -> Iterator[BrokenRule]:
    header = called.header
    if header.rdma_vers != version:
        yield broken_rule(
            "bidir.2.5.call-has-version-one", f"rdma_vers is {header.rdma_vers}", version
        )
    if header.rdma_credit == 0:
        yield broken_rule("bidir.2.1.2.credit-is-never-zero", "rdma_credit is zero", version)


def _chunks(called: Called, version: int) -> Iterator[BrokenRule]:
    body = called.body
    # bidir 1.5.3: no RDMA for backward transactions, so that nobody exposes memory for them.
    if not isinstance(body, RdmaMsg):
        detail = f"it is an {constant_of(type(body))}"
        yield broken_rule("bidir.2.5.call-is-rdma-msg", detail, version, ("D-41",))
    if body.rdma_reads or body.rdma_writes or body.rdma_reply is not None:
        rule, detail = "bidir.2.5.call-has-empty-lists", "a list is not empty"
        yield broken_rule(rule, detail, version, ("D-41",), where=_filled(body))


def _filled(body: RdmaMsg | RdmaNomsg) -> str:
    """The path of the first list that is not empty."""
    names = ("rdma_reads", "rdma_writes")
    filled = (f"rdma_body.{name}" for name in names if getattr(body, name))
    return next(filled, "rdma_body.rdma_reply")


def _payload(called: Called, version: int) -> Iterator[BrokenRule]:
    if not isinstance(called.body, RdmaMsg):
        return
    payload = called.payload
    same = "bidir.2.5.call-header-follows-with-the-same-xid"
    if called.rpc is None:
        yield broken_rule(same, "no whole RPC Call follows the transport header", version)
    if len(payload) >= 4 and xid_of(payload) != called.xid:
        yield broken_rule(
            same, f"its XID is {xid_of(payload):#010x}, in rdma_xid {called.xid:#010x}", version
        )
    if message_type_of(payload) != MessageType.CALL:
        yield broken_rule(
            "bidir.2.5.call-msg-type", f"msg_type is {message_type_of(payload)}", version
        )


def _company(
    called: Called, before: InFlight, threshold: int, version: int
) -> Iterator[BrokenRule]:
    if called.length > threshold:
        detail = f"{called.length} octets, at most {threshold} are received"
        yield broken_rule("bidir.2.4.no-larger-than-the-receives", detail, version, ("D-44",))
    if called.xid in before.calls:
        detail = "its XID is that of a Call in flight"
        yield broken_rule("bidir.2.5.call-has-a-fresh-xid", detail, version)
        if called.payload == before.calls[called.xid]:
            # Another Call under that XID, or the same once more: either breaks a rule.  It is no
            # further one, so that it says nothing of the grant.
            detail = "to the octet the same, on a connection that stands"
            yield broken_rule("bidir.2.3.no-retransmission-without-a-connection", detail, version)
            return
    if len(before.calls) >= before.most:
        detail = f"{len(before.calls)} are in flight, {before.most} are granted"
        yield broken_rule("bidir.2.1.2.backward-calls-within-the-grant", detail, version, ("D-42",))


def broken_reply_rules(reply: Answered, threshold: int, version: int = 1) -> tuple[BrokenRule, ...]:
    """The rules that a backward Reply breaks.

    Args:
        reply: as it came; its rdma_xid is that of a Call.
        threshold: octets of the longest message that the tester agreed to receive (D-44).
        version: of the connection.
    """
    return (*_reply_header(reply, version), *_reply_payload(reply, threshold, version))


def _reply_header(reply: Answered, version: int) -> Iterator[BrokenRule]:
    header, body = reply.header, reply.body
    if header.rdma_vers != version:
        yield broken_rule(
            "bidir.2.6.reply-has-version-one", f"rdma_vers is {header.rdma_vers}", version
        )
    if version != 1 and reply.direction is not MessageType.REPLY:
        yield broken_rule("bidir.2.6.reply-msg-type", "its header says that it is a call", version)
    if not isinstance(body, RdmaMsg):
        detail = f"it is an {constant_of(type(body))}"
        yield broken_rule("bidir.2.6.reply-is-rdma-msg", detail, version, ("D-41",))
    if body.rdma_reads or body.rdma_writes or body.rdma_reply is not None:
        rule, detail = "bidir.2.6.reply-has-empty-lists", "a list is not empty"
        yield broken_rule(rule, detail, version, ("D-41",), where=_filled(body))
    if header.rdma_credit == 0:
        yield broken_rule("bidir.2.1.2.credit-is-never-zero", "rdma_credit is zero", version)


def _reply_payload(reply: Answered, threshold: int, version: int) -> Iterator[BrokenRule]:
    payload = reply.payload
    same = "bidir.2.6.reply-header-follows-with-the-same-xid"
    if isinstance(reply.body, RdmaMsg):
        if message_type_of(payload) != MessageType.REPLY:
            yield broken_rule(
                "bidir.2.6.reply-msg-type", f"msg_type is {message_type_of(payload)}", version
            )
        elif reply.rpc is None:
            yield broken_rule(same, "no whole RPC Reply follows the transport header", version)
        if len(payload) >= 4 and xid_of(payload) != reply.xid:
            yield broken_rule(
                same, f"its XID is {xid_of(payload):#010x}, in rdma_xid {reply.xid:#010x}", version
            )
    if reply.length > threshold:
        detail = f"{reply.length} octets, at most {threshold} are received"
        yield broken_rule("bidir.2.4.no-larger-than-the-receives", detail, version, ("D-44",))


class BackwardLine:
    """Follows the backward messages of one connection, as whoever sees both ends.

    Attributes:
        in_flight: Calls that have not been answered: XID to Payload stream.
        granted: the largest grant so far; one before any (D-42).
    """

    def __init__(self, call_threshold: int, reply_threshold: int, version: int = 1) -> None:
        """Begin.

        Args:
            call_threshold: octets of the longest backward Call (D-44).
            reply_threshold: octets of the longest backward Reply (D-44).
            version: of the connection.
        """
        self.in_flight: dict[int, bytes] = {}
        self.granted = 1
        self._call_threshold = call_threshold
        self._reply_threshold = reply_threshold
        self._version = version

    def called(self, called: Called) -> tuple[BrokenRule, ...]:
        """The rules that a Call of the server breaks; it is in flight from then on."""
        before = InFlight(dict(self.in_flight), self.granted)
        broken = broken_rules(called, before, self._call_threshold, self._version)
        self.in_flight[called.xid] = called.payload
        return broken

    def answered(self, reply: Answered) -> tuple[BrokenRule, ...]:
        """The rules that a Reply of the client breaks; its Call is over."""
        if self.in_flight.pop(reply.xid, None) is None:
            detail = f"no Call under {reply.xid:#010x} is in flight"
            return (broken_rule("bidir.1.3.4.reply-xid-is-the-calls", detail, self._version),)
        # bidir 2.1.2: a grant holds until the next one, and that may be on its way: the largest of
        # them is what nobody may go beyond.
        self.granted = max(self.granted, reply.credits)
        return broken_reply_rules(reply, self._reply_threshold, self._version)
