"""What a report says is in the words of the documents: nothing in it is Python."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from conformance.suite.runner import judge
from conformance.suite.selection import Selection
from reports.record import Verdict
from rpcrdma.wire import (
    ErrVers,
    RdmaError,
    RdmaMsg,
    RdmaNomsg,
    RdmaSegment,
    ReadSegment,
    TransportHeader,
    WriteChunk,
    _generated_nfs4,
    v2,
)
from rpcrdma.wire._generated_rtrext import BadContinuation, BadSequence, TransmissionId
from rpcrdma.wire.operations import ReptErr, RespProp, UpdProp
from rpcrdma.wire.properties import PropertyValue
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import constant_of, in_words, octets_in_words
from targets.registry import find_any_target

SEGMENT = RdmaSegment(0x10, 3000, 0x1000)
READ = ReadSegment(8, SEGMENT)
REPR = re.compile(r"<\w+[.:]|\w\(\w+=|\w\(\)|\bb['\"]|['\"], ['\"]|\bobject at 0x|\bNone\b")
"""What Python makes of an enumeration's member, of an object, of octets, of a list of texts."""

MUTANTS = {
    "advances-offsets": "rfc8166/2.2.2/responder-serves-many-connections",
    "alters-reply-chunk-handles": "rfc8166/3.3.2/responder-sends-no-reply-beyond-the-threshold*",
    "announces-in-version-one": "xcharext/4.1/server-has-no-properties-in-version-one",
    "announces-the-size-alone": "xcharext/4/announcement-is-in-form*",
    "answers-backward-calls-by-nomsg": "bidir/1.3.3/*",
    "answers-the-last-direction-first": "rtrext/7.3/server-places-two-results",
    "begins-requests-by-operation-one": "rtrext/11/requester-pads-with-zeros*",
    "counts-handles": "rfc8166/8.1/requester-offers-handles-that-cannot-be-predicted",
    "fills-two-write-chunks-at-most": "rfc8166/4.3.2/responder-matches-an-array-of-*",
    "marks-the-reply-chunk-present": "rfc8166/4.2.4/*",
    "names-the-first-transmission-at-client": "rtrext/9.5/requester-names-the-*",
    "refuses-error-reports": "rtrext/5.4/requester-bears-an-error-report*",
    "reports-unknown-operations-outside-of-groups": "rtrext/9.5/server-refuses-an-unknown-*",
    "responds-by-an-unknown-operation": "rtrext/11/server-pads-with-zeros*",
    "tells-nobody-that-a-long-call-failed": "xcharext/3.3/server-gives-an-error-to-the-*",
}
"""Mutants, and cases that kill them with a text that was an object's."""


@dataclass(frozen=True)
class Tally:
    """A dataclass that has no text of its own."""

    still_pending: int
    places: tuple[int, ...]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "none"),
        ("", "nothing"),
        ("as it is", "as it is"),
        (True, "TRUE"),
        (7, "7"),
        (_generated_nfs4.Status.NFS4ERR_BADXDR, "NFS4ERR_BADXDR (10036)"),
        (Verdict.NA, "N/A"),
        (b"abc", "3 octets 616263"),
        ([], "none"),
        ([(300,), (0, 0)], "300, (0, 0)"),
        ({3, 1}, "1, 3"),
        ({1: "one"}, "1: one"),
        (Tally(1, (2, 3)), "still pending 1, places (2, 3)"),
        (RdmaMsg((), (), None), "RDMA_MSG without chunks"),
        (RdmaMsg((READ,), (), None), "RDMA_MSG with 1 Read chunk at Position 8 (3000 octets)"),
        (
            RdmaNomsg(
                (READ, ReadSegment(9, SEGMENT)),
                (WriteChunk((SEGMENT, SEGMENT)), WriteChunk(())),
                WriteChunk((SEGMENT,) * 5),
            ),
            (
                "RDMA_NOMSG with 2 Read chunks at Position 8 (3000 octets) and 9 (3000 octets),"
                " 2 Write chunks (3000 + 3000 octets; no segment),"
                " a Reply chunk (15000 octets in 5 segments)"
            ),
        ),
        (v2.Rdma2Msg(MessageType.CALL, (), (), None), "RDMA2_MSG without chunks"),
        (SEGMENT, "a segment of 3000 octets at handle 0x00000010, offset 0x0000000000001000"),
        (
            READ,
            (
                "a segment of 3000 octets at handle 0x00000010, offset 0x0000000000001000,"
                " for Position 8"
            ),
        ),
        (WriteChunk((SEGMENT,)), "a chunk of 3000 octets"),
        (RdmaError(ErrVers(1, 2)), "RDMA_ERROR (ERR_VERS (rdma_vers_low 1, rdma_vers_high 2))"),
        (v2.Rdma2Error(v2.ErrInvalidOption()), "RDMA2_ERROR (RDMA2_ERR_INVAL_OPTION)"),
        (
            TransportHeader(1, 1, 3, RdmaMsg((), (), None)),
            "rdma_xid 0x00000001, rdma_vers 1, rdma_credit 3, RDMA_MSG without chunks",
        ),
        (
            RespProp((1, 2), (), ()),
            (
                "ROPT_RESPROP (optrespr_done 0x00000001 0x00000002, optrespr_rej none,"
                " optrespr_other none)"
            ),
        ),
        (
            UpdProp((PropertyValue(1, b"\0\0\x10\0"), PropertyValue(99, b""))),
            (
                "ROPT_UPDPROP (optupdpr_now (PROP_RBSIZ of 4 octets 00001000,"
                " property 99 of 0 octets))"
            ),
        ),
        (
            ReptErr(TransmissionId(7, MessageType.CALL, 1), None, BadSequence(1, 2)),
            (
                "ROPT_REPTERR (optre_bad (xmsi_xid 0x00000007, xmsi_dir CALL (0), xmsi_seq 1),"
                " optre_lead none, OPTRERR_BADSEQ (optri_expect 1, optri_current 2))"
            ),
        ),
    ],
)
def test_values_are_told_in_the_words_of_the_documents(value: object, words: str) -> None:
    assert in_words(value) == words


def test_many_octets_are_cut() -> None:
    assert octets_in_words(bytes(65)) == f"65 octets {'00' * 64} ..."


def test_the_constant_of_a_structure_is_that_of_its_operation_or_its_arm() -> None:
    assert constant_of(BadContinuation) == "OPTRERR_BADCONT"
    assert constant_of(UpdProp) == "ROPT_UPDPROP"
    assert constant_of(TransmissionId) == ""


@pytest.mark.long
@pytest.mark.parametrize(("mutant", "case"), MUTANTS.items())
def test_no_verdict_on_a_mutant_is_told_in_python(mutant: str, case: str) -> None:
    found = judge(find_any_target(f"mutant:{mutant}"), Selection(cases=(case,)))

    told = [record for record in found if record.verdict is not Verdict.PASS]
    assert told != []
    for record in told:
        texts = (record.reason, record.actual, *record.expected, *record.notes)
        assert [text for text in texts if REPR.search(text)] == []
        assert record.reason.rstrip(".") not in record.expected
