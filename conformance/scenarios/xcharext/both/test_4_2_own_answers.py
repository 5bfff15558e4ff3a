"""xcharext sections 4.2 and 4.3: how a device answers requests for changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.options import verify as verify_options
from conformance.options.due import due
from conformance.options.tester import both_ends
from conformance.oracle.outcome import OptionReceived
from rpcrdma.wire.operations import ReqProp, RespProp
from rpcrdma.wire.properties import (
    BackwardRequestSupport,
    BackwardSupport,
    PropertyValue,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType

if TYPE_CHECKING:
    from conformance.options.tester import Heard, OptionTester

ANSWERED = "xcharext.4.2.supported-request-is-answered"
SAME_XID = "xcharext.4.3.answer-has-the-requests-xid"
UNKNOWN = "xcharext.4.3.unknown-property-is-rejected"
UNCHANGED = "xcharext.4.3.unchangeable-property-is-rejected"
COVERED = "xcharext.4.3.dispositions-cover-the-request"
APART = "xcharext.4.3.dispositions-do-not-overlap"
ASKED_FOR = "xcharext.4.3.others-were-asked-for"
ANY_CODE = "xcharext.6.1.codes-of-any-size"
XID_IN_USE = "xcharext.4.2.xid-may-be-in-use"
DIRECTION = "v2.4.2.2.optional-direction-without-payload"
CREDIT = "v2.4.2.2.optional-credit-of-its-direction"
NO_PAYLOAD = "xcharext.4.no-payload-follows"
LAYOUT = "xcharext.4.operation-layout"
CODES = "xcharext.4.operation-codes"

STRANGE = PropertyValue(1000, b"abc")
GENERAL = BackwardRequestSupport(BackwardSupport.BKREQSUP_GENL)
ALLOWED = RequesterRemoteInvalidation(allowed=True)

WANTED = {
    "nothing": (),
    "the size": property_values(ReceiveBufferSize(4096)),
    "more": property_values(ReceiveBufferSize(2**31)),
    "less": property_values(ReceiveBufferSize(2)),
    "unknown": (STRANGE,),
    "all": (STRANGE, *property_values(GENERAL, ALLOWED, ReceiveBufferSize(16384))),
    "all in another order": (*property_values(ReceiveBufferSize(2), ALLOWED, GENERAL), STRANGE),
}


@both_ends(
    ANSWERED, SAME_XID, CODES, LAYOUT, NO_PAYLOAD, DIRECTION, CREDIT, interpretations=("D-78",)
)
@pytest.mark.parametrize("wanted", WANTED)
def test_request_gets_one_answer(tester: OptionTester, wanted: str) -> None:
    """Whatever is asked for gets one RESPPROP: under the XID, as a REPLY, with a credit."""
    verify_options.claims(tester, "reqprop")

    xid = tester.send(ReqProp(WANTED[wanted]))

    verify_options.answered(tester, xid, (ANSWERED,))
    (answer,) = (one for one in tester.heard if one.xid == xid)
    verify.equal(answer.direction, MessageType.REPLY, "rdma_optdir", breaks=(DIRECTION,))
    verify.that(answer.credits, "rdma_credit is not 0", actual="rdma_credit is 0", breaks=(CREDIT,))
    verify.equal(answer.behind, b"", "what stands after the answer", breaks=(NO_PAYLOAD,))


@both_ends(COVERED, APART, ASKED_FOR, UNKNOWN, UNCHANGED, interpretations=("D-73", "D-141"))
@pytest.mark.parametrize("wanted", WANTED)
def test_answer_has_each_property_once(tester: OptionTester, wanted: str) -> None:
    """Each property asked for is done, rejected or among the others, and nothing else is there."""
    verify_options.claims(tester, "reqprop")
    values = WANTED[wanted]

    found = verify_options.answered(tester, tester.send(ReqProp(values)))

    codes = [value.pv_which for value in values]
    others = frozenset(codes.index(v.pv_which) for v in found.other if v.pv_which in codes)
    foreign = [value.pv_which for value in found.other if value.pv_which not in codes]
    verify.equal(foreign, [], "the codes of foreign properties", breaks=(ASKED_FOR,))
    twice = (found.done & found.rejected) | (found.done & others) | (found.rejected & others)
    verify.equal(sorted(twice), [], "the places that are in two parts", breaks=(APART,))
    missing = frozenset(range(len(codes))) - found.done - found.rejected - others
    strange = [place for place, code in enumerate(codes) if code == STRANGE.pv_which]
    for place in strange:
        verify.that(
            place in found.rejected, f"place {place} is rejected", actual=found, breaks=(UNKNOWN,)
        )
    verify.equal(sorted(missing), [], "the places in no part", breaks=(COVERED, UNCHANGED))


@both_ends(ANSWERED, interpretations=("D-139",))
def test_two_requests_at_once_get_an_answer_each(tester: OptionTester) -> None:
    """A second request before the answer to the first: each is answered under its XID."""
    verify_options.claims(tester, "reqprop")
    first = tester.send(ReqProp(WANTED["unknown"]))

    second = tester.send(ReqProp(WANTED["the size"]))

    verify_options.answered(tester, first)
    verify_options.answered(tester, second)


@both_ends(ANY_CODE, ANSWERED)
@pytest.mark.parametrize("count", [100, 300])
def test_many_properties_are_borne(tester: OptionTester, count: int) -> None:
    """A request with hundreds of unknown properties is answered: all of them are rejected."""
    verify_options.claims(tester, "reqprop")
    values = tuple(PropertyValue(1000 + number, b"") for number in range(count))

    found = verify_options.answered(tester, tester.send(ReqProp(values)), (ANY_CODE, ANSWERED))

    broken = (ANY_CODE, UNKNOWN)
    verify.equal(found.rejected, frozenset(range(count)), "what is rejected", breaks=broken)


@both_ends(XID_IN_USE, interpretations=("D-77",))
def test_request_may_have_the_xid_of_an_rpc(tester: OptionTester) -> None:
    """A request under the XID of an RPC in flight: both are answered."""
    verify_options.claims(tester, "reqprop")

    xid = tester.send_within_call(ReqProp(WANTED["the size"]), (XID_IN_USE,))

    verify_options.answered(tester, xid, (XID_IN_USE,))


@both_ends(XID_IN_USE, interpretations=("D-77",))
def test_request_may_have_the_xid_of_the_devices_own(tester: OptionTester) -> None:
    """A request under the XID of the device's own pending one: it is answered."""
    verify_options.claims(tester, "reqprop")
    before = len(tester.heard)
    tester.ask_size(2048)
    pending, _ = verify_options.requested(tester, before)

    tester.send(ReqProp(WANTED["the size"]), xid=pending.xid)

    tester.note_accepted(pending.xid, OptionReceived, breaks=(XID_IN_USE,))
    tester.call((XID_IN_USE,))

    def answers() -> list[Heard]:
        found = (one for one in tester.heard if one.xid == pending.xid)
        return [one for one in found if isinstance(one.option, RespProp)]

    due(tester, lambda: bool(answers()), (XID_IN_USE,))
    tester.quiet()
    verify.equal(len(answers()), 1, "the number of answers", breaks=(XID_IN_USE,))
