"""What every answer of a Responder must be, whatever it answers: about that message, and readable.

    rfc8166 section 2.2.2  RPC Calls (a Reply has the XID of its Call)
    rfc8166 section 4.6    Protocol Elements No Longer Supported
    v2 section 4.2.2       Message Direction
    v2 section 5.3         Requester Does Not Support RPC-over-RDMA Version Two

Whoever waits for one answer asks this first; which answer it has to be is not looked at.  The lists
of a Reply are judged by `conformance.oracle.responder.reply_rules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.oracle.header import VERSION_TWO
from conformance.oracle.obsolete import never_sent
from conformance.oracle.outcome import Answered, ErrChunk, ErrVers, InvalidOption, Unexpected
from conformance.oracle.responder.error_rules import broken_error_rules
from conformance.oracle.responder.reply_rules import (
    about_another_call,
    in_another_version,
    told_as_a_call,
)
from rpcrdma.wire import Procedure, RdmaMsgp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.oracle.outcome import Outcome
    from conformance.oracle.verdict import BrokenRule

__all__ = ["broken_answer_rules", "obsolete_rule"]


def broken_answer_rules(outcome: Outcome, xid: int, version: int) -> tuple[BrokenRule, ...]:
    """The rules that an outcome breaks as an answer.

    Args:
        outcome: what came.
        xid: rdma_xid of the message that it answers.
        version: rdma_vers of that message.
    """
    match outcome:
        case Answered():
            return tuple(_reply(outcome, xid, version))
        case ErrVers() | ErrChunk() | InvalidOption():
            return broken_error_rules(outcome, xid, version)
        case Unexpected():
            return (obsolete_rule(outcome),)
        case _:
            return ()


def obsolete_rule(outcome: Unexpected) -> BrokenRule:
    """What a Responder breaks by a procedure that nobody sends any more."""
    is_msgp = isinstance(outcome.header.rdma_body, RdmaMsgp)
    procedure = Procedure.RDMA_MSGP if is_msgp else Procedure.RDMA_DONE
    # Only in the layout of Version One these are procedures at all.
    return never_sent(procedure, 1)


def _reply(answer: Answered, xid: int, version: int) -> Iterator[BrokenRule]:
    yield from about_another_call(answer.header, xid, version)
    # In layout, every version but Two is Version One: such a Reply can be read, and its version is
    # held against it by whoever compares the headers (`reply_rules`).
    if VERSION_TWO in (answer.header.rdma_vers, version):
        yield from in_another_version(answer.header, version)
    yield from told_as_a_call(answer)
