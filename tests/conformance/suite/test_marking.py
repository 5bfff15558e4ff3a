"""The field that is wrong is the one that is marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from conformance.oracle.marks import WHAT_IT_IS
from conformance.suite.marking import by_message, marked_fields
from conformance.suite.runner import certify
from conformance.suite.selection import Selection
from reports.record import Mark
from rpcrdma.fabric.trace import EventKind, Side, TraceEvent
from rpcrdma.wire import (
    ErrVers,
    RdmaError,
    RdmaMsg,
    RdmaSegment,
    TransportHeader,
    WriteChunk,
    encode_header,
    rpc,
    v2,
)
from targets.registry import find_any_target

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = (WriteChunk((RdmaSegment(1, 2, 3), RdmaSegment(4, 5, 6))),)
REPLY = encode_header(TransportHeader(7, 1, 8, RdmaMsg((), CHUNKS, None)))
REPLY += rpc.encode_message(rpc.accepted(7)) + b"four"
ERROR = encode_header(TransportHeader(7, 1, 8, RdmaError(ErrVers(1, 3))))
TWO = v2.encode_header(v2.Rdma2Header(7, 2, 8, v2.Rdma2Error(v2.ErrBadHeader())))

MUTANTS = [
    (
        "adds-a-fifth-fixed-word",
        "v2/1/responder-returns-write-chunks-without-data[unused]",
        "rdma_reads[1]",
        "not decoded",
    ),
    ("advances-offsets", "rfc8166/2.2.2/responder-serves-many-connections", "offset", "0x"),
    ("alters-reply-chunk-handles", "rfc8166/3.3.2/responder-keeps-its-threshold", "handle", "0x"),
    (
        "answers-backward-calls-with-read-list",
        "bidir/1.3.4/client-tells-two-calls-with-one-xid-apart[forward]",
        "rdma_reads",
        "1 entry",
    ),
    (
        "answers-err-chunk-to-versions",
        "rfc8166/4.5.1/responder-judges-the-version-before-the-rest[good-chunk-lists]",
        "err",
        r"ERR_CHUNK \(2\)",
    ),
    (
        "appends-to-errors",
        "rfc8166/3.2/responder-reports-an-error-once",
        "payload",
        "4 octets 0{8}",
    ),
    (
        "calls-back-under-two-xids",
        "bidir/1.3.4/server-gives-each-call-in-flight-an-xid-of-its-own",
        "rdma_xid",
        "0x",
    ),
    (
        "calls-in-rpc-version-three",
        "rfc8166/2.2.3/requester-opens-a-connection-for-its-calls[read]",
        "rpcvers",
        "3",
    ),
    (
        "claims-version-three",
        "rfc8166/4.5.1/responder-answers-an-unsupported-version-with-its-own-range[version-0]",
        "rdma_vers_high",
        "3",
    ),
    (
        "counts-positions-from-one",
        "rfc8166/2.2.4.2/requester-pads-arguments-by-zeros-that-do-not-count[5001]",
        "position",
        r"\d*[13579]$",
    ),
    (
        "drops-unused-segments",
        "rfc8166/3.4.6/responder-fills-the-segments-of-a-write-chunk-in-order[last-segment-not-at-all]",
        "target",
        "",
    ),
    (
        "echoes-read-list",
        "rfc8166/3.2/responder-answers-a-call-once[read-chunk]",
        "rdma_reads",
        r"\d entr",
    ),
    (
        "grants-zero",
        "bidir/1.3.4/server-takes-no-reply-with-an-xid-that-it-did-not-use",
        "rdma_credit",
        "0",
    ),
    (
        "leaves-the-credits-out",
        "rfc8166/2.2.3/requester-opens-a-connection-for-its-calls[read]",
        "rdma_reply",
        "not decoded",
    ),
    (
        "widens-errors",
        "v2/3.1/requester-refuses-an-operation-that-nobody-knows[0]",
        "rdma_vers_high",
        "not decoded",
    ),
    (
        "overlaps-its-ranges",
        "rtrext/3.3/requester-places-eligible-arguments-alone[read]",
        "optxrq_rsd",
        "2 entries",
    ),
    (
        "says-that-an-item-is-further-on",
        "rtrext/11/requester-pads-with-zeros[5000]",
        "optxrq_ddp",
        "1 entry",
    ),
    (
        "sends-more-than-it-tells",
        "rtrext/8.5/server-sends-no-response-beyond-its-limit",
        "optxrs_count",
        "19",
    ),
    (
        "swaps-the-codes-of-number-and-xid",
        "rtrext/9.5/server-names-errors-by-their-codes[BADSEQ]",
        "optre_info",
        "",
    ),
    (
        "tells-less-payload-than-there-is",
        "rtrext/3.3/server-leaves-what-is-not-eligible-in-the-stream[400]",
        "optxrs_pslen",
        "428",
    ),
]
"""Mutant, a case that kills it, and the field that it breaks: its name, and a part of its value."""


def marked(message: bytes, path: str) -> list[tuple[int, str]]:
    """Offset and name of the fields that are marked for a path."""
    found = marked_fields(message, (Mark(7, len(message), path, "wrong"),))
    return [(field.offset, field.name) for field in found if field.mark == "wrong"]


@pytest.mark.parametrize(
    ("message", "path", "place"),
    [
        (REPLY, "rdma_xid", (0, "rdma_xid")),
        (REPLY, "rdma_body.rdma_writes[0].target[1].length", (48, "length")),
        (REPLY, "rdma_proc", (12, "proc")),
        (REPLY, "rdma_err", (12, "proc")),
        (REPLY, WHAT_IT_IS, (12, "proc")),
        (ERROR, WHAT_IT_IS, (16, "err")),
        (TWO, WHAT_IT_IS, (16, "rdma_err")),
        (ERROR, "rdma_vers_high", (24, "rdma_vers_high")),
        (REPLY, "xid", (len(REPLY) - 28, "xid")),
        (REPLY, "mtype", (len(REPLY) - 24, "mtype")),
        (REPLY, "rpc_status", (len(REPLY) - 8, "stat")),
        (ERROR, "rpc_status", (16, "err")),
        (REPLY, "payload", (len(REPLY) - 4, "results")),
        (ERROR + b"four", "payload", (28, "payload")),
        (REPLY[:18], "rdma_body.rdma_reads[0]", (16, "rdma_reads[0]")),
    ],
)
def test_a_field_is_found_by_its_path_or_by_a_name(
    message: bytes, path: str, place: tuple[int, str]
) -> None:
    assert marked(message, path) == [place]


def test_a_field_that_the_message_does_not_have_is_not_marked() -> None:
    assert marked(ERROR, "rdma_body.rdma_writes[0]") == []
    assert marked(ERROR, "payload") == []


def test_what_is_wrong_with_one_field_is_told_together() -> None:
    marks = [Mark(7, 0, "rdma_xid", why) for why in ("odd", "even", "odd")]

    assert marked_fields(ERROR, marks)[1].mark == "odd; even"


def event(data: bytes, side: Side = Side.PEER) -> TraceEvent:
    return TraceEvent(0.0, 1, side, EventKind.SEND, data, length=len(data))


def test_a_mark_goes_to_the_last_message_of_the_device_that_is_alike() -> None:
    events = [event(REPLY), event(ERROR), event(REPLY), event(REPLY, Side.LOCAL)]

    whole, first = Mark(7, len(REPLY), "rdma_xid", "odd"), Mark(7, 0, "rdma_xid", "odd")
    other = Mark(8, len(REPLY), "rdma_xid", "odd")

    assert by_message(events, (whole, first, other)) == {2: [whole], 0: [first]}


@pytest.mark.parametrize(
    ("mutant", "case", "name", "value"), MUTANTS, ids=[mutant for mutant, *_ in MUTANTS]
)
def test_the_marked_field_is_the_one_that_a_mutant_breaks(
    tmp_path: Path, mutant: str, case: str, name: str, value: str
) -> None:
    run = certify(find_any_target(f"mutant:{mutant}"), Selection(cases=(case,)), tmp_path)

    fields = [
        field
        for record in run.cases
        for step in record.exchanges
        for field in step.fields
        if field.mark
    ]
    assert any(one.name == name and re.search(value, one.value) for one in fields), fields
