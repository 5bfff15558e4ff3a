"""What a wrong outcome breaks: what the verification says, or what the outcome itself shows.

rfc8166 section 4.6  RPC-over-RDMA Version One message types that nobody sends any longer
`conformance.oracle.layout`: messages that cannot be decoded
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.catalogue.inheritance import statements
from conformance.oracle.header import encode_header
from conformance.oracle.layout import broken_by, broken_by_rpc
from conformance.oracle.misencoding import misencoded
from conformance.oracle.outcome import Undecodable, Unexpected
from conformance.oracle.responder.answer_rules import obsolete_rule

if TYPE_CHECKING:
    from conformance.oracle.outcome import Answered, Outcome
    from rpcrdma.errors import DecodeError

__all__ = ["Ids", "blamed", "ids_of", "misread", "unreadable"]

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


def unreadable(answer: Answered, error: DecodeError, version: int, breaks: Ids) -> tuple[str, ...]:
    """What a Reply breaks whose RPC message cannot be decoded.

    Lists that are encoded wrongly may make a sense that nobody meant, and the payload none: that is
    said first.  What the verification says counts where results cannot be decoded, and not where
    the payload does not begin with an RPC header, whatever was asked.
    """
    reduced = any(chunk.target for chunk in answer.body.rdma_writes)
    headless = not answer.is_long and answer.rpc is None
    if headless or not breaks:
        empty = not answer.payload
        rules = broken_by_rpc(error, version, long=answer.is_long, reduced=reduced, empty=empty)
        breaks = statements(rules, version)
    return (*misread(answer), *ids_of(breaks))


def misread(answer: Answered) -> tuple[str, ...]:
    """What a Reply breaks whose lists make another sense than its sender meant."""
    # v2 4.2: the lists of Version Two begin with the direction, and are not compared.
    return () if answer.two else misencoded(encode_header(answer.header) + answer.payload)


def ids_of(breaks: Ids) -> tuple[str, ...]:
    """The ids of a `breaks` argument, which may be a single one."""
    return (breaks,) if isinstance(breaks, str) else breaks
