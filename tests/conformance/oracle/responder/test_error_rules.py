"""The rules of RDMA_ERROR: each broken alone, and all kept."""

from __future__ import annotations

import pytest

from conformance.oracle.outcome import ErrChunk, ErrVers, InvalidOption, read_outcome
from conformance.oracle.responder.error_rules import (
    NO_PAYLOAD,
    REFUSAL_XID,
    VERSION_ECHOED,
    XID_ECHOED,
    broken_error_rules,
)
from rpcrdma import wire
from rpcrdma.wire import v2

XID = 5
BODIES = [wire.ErrVers(1, 1), wire.ErrChunk()]


def error(body: wire.ErrVers | wire.ErrChunk, tail: bytes = b"") -> ErrVers | ErrChunk:
    header = wire.TransportHeader(XID, 3, 4, wire.RdmaError(body))
    outcome = read_outcome(wire.encode_header(header) + tail)
    assert isinstance(outcome, ErrVers | ErrChunk)
    return outcome


@pytest.mark.parametrize("body", BODIES)
def test_an_error_that_repeats_xid_and_version_breaks_nothing(
    body: wire.ErrVers | wire.ErrChunk,
) -> None:
    assert broken_error_rules(error(body), XID, 3) == ()


@pytest.mark.parametrize(
    ("xid", "version", "tail", "rule", "detail"),
    [
        (6, 3, b"", XID_ECHOED, "rdma_xid of the error is 0x00000005, not 0x00000006"),
        (XID, 1, b"", VERSION_ECHOED, "rdma_vers of the error is 3, not 1"),
        (XID, 3, b"more", NO_PAYLOAD, "the error message has "),
    ],
)
@pytest.mark.parametrize("body", BODIES)
def test_each_rule_is_named_when_it_alone_is_broken(
    body: wire.ErrVers | wire.ErrChunk, xid: int, version: int, tail: bytes, rule: str, detail: str
) -> None:
    (broken,) = broken_error_rules(error(body, tail), xid, version)

    assert broken.ids == (rule,)
    assert broken.detail.startswith(detail)


@pytest.mark.parametrize(
    ("body", "xid", "tail", "rules"),
    [
        (v2.ErrInvalidOption(), 5, b"", []),
        (v2.ErrInvalidOption(), 6, b"", [REFUSAL_XID]),
        (v2.ErrInvalidOption(), 5, b"more", ["v2.4.2.1.error-has-no-payload"]),
        (v2.ErrBadHeader(), 6, b"", ["v2.4.2.3.error-echoes-the-xid"]),
    ],
)
def test_errors_of_version_two_break_the_rules_of_that_document(
    body: v2.Rdma2ErrorBody, xid: int, tail: bytes, rules: list[str]
) -> None:
    outcome = read_outcome(v2.encode_header(v2.Rdma2Header(5, 2, 1, v2.Rdma2Error(body))) + tail)
    assert isinstance(outcome, ErrChunk | InvalidOption)

    assert [rule.ids[0] for rule in broken_error_rules(outcome, xid, 2)] == rules
