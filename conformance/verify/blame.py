"""What a wrong outcome breaks: what the verification says, or what the outcome itself shows.

rfc8166 section 4.6  RPC-over-RDMA Version One message types that nobody sends any longer
`conformance.oracle.layout`: messages that cannot be decoded
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.catalogue.inheritance import statements
from conformance.oracle.header import encode_header
from conformance.oracle.layout import broken_by, broken_by_rpc
from conformance.oracle.outcome import Undecodable, Unexpected
from conformance.oracle.responder.answer_rules import obsolete_rule

if TYPE_CHECKING:
    from conformance.oracle.outcome import Answered, Outcome
    from rpcrdma.errors import DecodeError

__all__ = ["Ids", "blamed", "ids_of", "unreadable"]

Ids = str | tuple[str, ...]


def blamed(outcome: Outcome, version: int, breaks: Ids) -> tuple[str, ...]:
    """What a wrong outcome breaks.

    Obsolete procedures, and messages that cannot be decoded, break rules of their own, whatever was
    asked.
    """
    if isinstance(outcome, Unexpected):
        return obsolete_rule(outcome).ids
    if isinstance(outcome, Undecodable):
        return statements(broken_by(outcome.octets, outcome.error, version), version)
    return ids_of(breaks)


def unreadable(answer: Answered, error: DecodeError, version: int) -> tuple[str, ...]:
    """What a Reply breaks whose RPC message cannot be decoded."""
    reduced = any(chunk.target for chunk in answer.body.rdma_writes)
    octets = encode_header(answer.header) + answer.payload if answer.two is None else b""
    rules = broken_by_rpc(octets, error, version, long=answer.is_long, reduced=reduced)
    return statements(rules, version)


def ids_of(breaks: Ids) -> tuple[str, ...]:
    """The ids of a `breaks` argument, which may be a single one."""
    return (breaks,) if isinstance(breaks, str) else breaks
