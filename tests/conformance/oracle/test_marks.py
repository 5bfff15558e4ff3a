"""Broken rules tell which field of which message is wrong."""

from __future__ import annotations

import pytest

from conformance.catalogue.entries import load_catalogue
from conformance.oracle import marks
from conformance.oracle.marks import (
    WHAT_IT_IS,
    faulty_fields,
    field_of,
    marks_by,
    marks_of,
    marks_of_contents,
    marks_of_judgement,
    marks_of_kind,
    seen_message,
    seen_outcome,
)
from conformance.oracle.outcome import Silent, read_outcome
from conformance.oracle.verdict import (
    BrokenRule,
    FaultyField,
    Judgement,
    SeenMessage,
    broken_rule,
)
from reports.record import Mark, Verdict
from rpcrdma.wire import RdmaDone, RdmaError, RdmaMsg, TransportHeader, encode_header
from rpcrdma.wire._generated_rfc8166 import ErrChunk

XID_ECHOED = "rfc8166.4.5.error-xid-echoed"
ERROR = encode_header(TransportHeader(7, 1, 8, RdmaError(ErrChunk())))
SEEN = SeenMessage(7, len(ERROR))


def test_every_rule_of_the_table_is_a_requirement() -> None:
    catalogue = load_catalogue()

    named = [rule for rules in marks._RULES.values() for rule in rules.split()]

    assert len(set(named)) == len(named)
    for rule in named:
        assert catalogue[rule].id == rule


def test_a_requirement_is_about_a_field_in_either_version() -> None:
    assert field_of((XID_ECHOED,)) == "rdma_xid"
    assert field_of(("v2.4.2.3.error-echoes-the-xid",)) == "rdma_xid"
    assert field_of(("rfc8166.3.1.read-write-model-only", XID_ECHOED)) == "rdma_xid"


def test_what_goes_on_without_words_of_its_own_is_about_no_field() -> None:
    assert field_of(("v2.1.version-one-rules-go-on",)) == ""


@pytest.mark.parametrize(
    ("octets", "seen"), [(ERROR, SEEN), (ERROR[:4], SeenMessage(7, 4)), (b"abc", None)]
)
def test_a_message_is_found_by_its_first_word_and_its_length(
    octets: bytes, seen: SeenMessage | None
) -> None:
    assert seen_message(octets) == seen
    assert seen_outcome(read_outcome(octets)) == seen


def test_what_is_no_message_is_not_found() -> None:
    assert seen_outcome(Silent(1.0)) is None
    done = encode_header(TransportHeader(7, 1, 8, RdmaDone()))
    assert seen_outcome(read_outcome(done)) == SeenMessage(7, 0)


def test_a_rule_marks_the_field_that_its_judge_names_or_else_the_one_of_its_requirement() -> None:
    named = broken_rule(XID_ECHOED, "it is another", where="rdma_body.proc")
    unnamed = broken_rule(XID_ECHOED, "it is another")
    about_none = broken_rule("rfc8166.3.1.read-write-model-only", "odd")

    assert faulty_fields((named, unnamed, about_none, unnamed)) == (
        FaultyField("rdma_body.proc", "it is another"),
        FaultyField("rdma_xid", "it is another"),
    )
    assert marks_by(read_outcome(ERROR), (unnamed,)) == (Mark(7, 20, "rdma_xid", "it is another"),)


def test_a_rule_marks_nothing_where_nobody_knows_the_message() -> None:
    rule = BrokenRule((XID_ECHOED,), "it is another")
    seen = BrokenRule((XID_ECHOED,), "it is another", seen=SEEN)

    assert marks_of((rule,)) == ()
    assert marks_of((seen, seen)) == (Mark(7, 20, "rdma_xid", "it is another"),)
    assert rule == seen


def test_a_message_of_another_kind_is_marked_where_it_says_what_it_is() -> None:
    message = encode_header(TransportHeader(7, 1, 8, RdmaMsg((), (), None)))

    (mark,) = marks_of_kind(read_outcome(message))
    assert (mark.path, mark.why.partition(" xid")[0]) == (WHAT_IT_IS, "it is RDMA_MSG")
    (mark,) = marks_of_kind(read_outcome(message[:19]))
    assert mark.path == "rdma_body.rdma_reads[0]"
    assert marks_of_kind(Silent(1.0)) == ()


def test_a_reply_is_marked_at_its_status_or_at_its_results() -> None:
    outcome = read_outcome(ERROR)

    assert marks_of_contents(outcome, "odd") == (Mark(7, 20, "payload", "odd"),)
    assert marks_of_contents(outcome, "odd", ended=True) == (Mark(7, 20, "rpc_status", "odd"),)


def test_an_answer_that_may_not_be_is_marked_by_its_rules_or_for_what_it_is() -> None:
    outcome, rule = read_outcome(ERROR), broken_rule(XID_ECHOED, "odd")

    (mark,) = marks_of_judgement(outcome, Judgement(Verdict.FAIL, rules=(rule,)))
    assert (mark.path, mark.why) == ("rdma_xid", "odd")
    (mark,) = marks_of_judgement(outcome, Judgement(Verdict.FAIL))
    assert mark.path == WHAT_IT_IS
