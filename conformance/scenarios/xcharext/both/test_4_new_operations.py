"""xcharext section 4, New Operations: what a device sends, and what it does not support."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.options import verify as verify_options
from conformance.options.changes import require_change
from conformance.options.due import first_begun
from conformance.options.tester import both_ends
from conformance.oracle.outcome import ErrChunk, InvalidOption, OptionReceived, Silent
from conformance.oracle.sizes import THRESHOLD_TWO
from conformance.tester.case import Deviation
from rpcrdma.wire.operations import (
    XCHAREXT,
    ConnProp,
    OptionalOperation,
    ReqProp,
    RespProp,
    UpdProp,
    operations_of,
)
from rpcrdma.wire.optional import UnknownOption, with_values
from rpcrdma.wire.properties import BASIC, PROP_RBSIZ, ReceiveBufferSize, property_values
from rpcrdma.wire.rpc import MessageType
from rpcrdma.wire.words import in_words

if TYPE_CHECKING:
    from conformance.options.tester import Heard, OptionTester
    from rpcrdma.wire.optional import Option

TAKEN = "xcharext.1.3.both-ends-take-operations"
PROPVAL = "xcharext.2.1.propval-is-code-and-data"
TYPES = "xcharext.3.codes-and-types"
CODES = "xcharext.4.operation-codes"
LAYOUT = "xcharext.4.operation-layout"
NO_PAYLOAD = "xcharext.4.no-payload-follows"
FITS = "xcharext.4.1.connprop-fits-the-initial-receives"
NO_LONGER = "v2.2.3.no-send-beyond-4096-octets"
ALL = "xcharext.4.1.all-known-properties-are-told"
DIRECTION = "v2.4.2.2.optional-direction-without-payload"
CREDIT = "v2.4.2.2.optional-credit-of-its-direction"
REFUSED = "xcharext.4.unsupported-operation-is-refused"
TAKES_ANSWER = "xcharext.4.who-asks-takes-the-answer"
NEED_CONNPROP = "xcharext.4.answers-and-updates-need-connprop"

FORM = (CODES, LAYOUT, PROPVAL, TYPES)

OPERATIONS = {one.name: one for one in operations_of(XCHAREXT)}


def _judge_form(tester: OptionTester, found: Heard, what: str) -> None:
    """A message that the device began is in form: layout, direction, credits, nothing after."""
    verify.equal(found.problem, "", f"the problem with {what}", breaks=FORM)
    verify.equal(found.behind, b"", f"what stands after {what}", breaks=(NO_PAYLOAD,))
    verify.that(
        found.credits,
        f"rdma_credit of {what} is not 0",
        actual="rdma_credit is 0",
        breaks=(CREDIT,),
    )
    if found.direction is not MessageType.CALL:
        if tester.role == "responder" and not isinstance(found.option, ReqProp):
            reason = f"{what} of a server is a REPLY."
            tester.case.let_pass(reason, (DIRECTION,))
        else:
            raise Deviation(f"{what} says REPLY.", actual=str(found), breaks=(DIRECTION,))


def _send_empty(tester: OptionTester, operation: OptionalOperation) -> int:
    """Send an operation that carries no value; returns its XID."""
    return tester.send(with_values(operation, ()), operation.way())


def _first_begun(
    tester: OptionTester, kind: type[Option], since: int, breaks: tuple[str, ...]
) -> Heard:
    """What the device begins by an operation, which must be one of this extension."""
    begun = first_begun(tester, kind, since)
    unknown = isinstance(begun.option, UnknownOption)
    verify.that(not unknown, "its operation is a known one", actual=str(begun), breaks=breaks)
    return begun


@both_ends(*FORM, NO_PAYLOAD, FITS, ALL, DIRECTION, CREDIT, interpretations=("D-74", "D-78"))
def test_announcement_is_in_form(tester: OptionTester) -> None:
    """A device's CONNPROP can be decoded, fits 4096 octets and tells all that it knows."""
    verify_options.claims(tester, "connprop")
    tester.call()

    found = _first_begun(tester, ConnProp, 0, FORM)

    verify.that(
        found.length <= THRESHOLD_TWO,
        "it fits 4096 octets",
        actual=str(found),
        breaks=(FITS, NO_LONGER),
    )
    _judge_form(tester, found, "CONNPROP")
    if isinstance(found.option, ConnProp):
        told = {value.pv_which for value in found.option.opticonnpr_start}
        if not told >= BASIC.by_code.keys():
            tester.case.let_pass(
                f"CONNPROP tells of property {in_words(sorted(told))} alone.", (ALL,)
            )


@both_ends(*FORM, NO_PAYLOAD, DIRECTION, CREDIT, interpretations=("D-78",))
def test_request_is_in_form(tester: OptionTester) -> None:
    """A device's REQPROP can be decoded, is a CALL and has nothing after it."""
    verify_options.claims(tester, "reqprop")
    tester.call()
    before = len(tester.heard)

    tester.ask_size(2048)

    found = _first_begun(tester, ReqProp, before, FORM)
    _judge_form(tester, found, "REQPROP")
    wanted = property_values(ReceiveBufferSize(2048))
    verify.equal(found.option, ReqProp(wanted), "the request", breaks=FORM)


@both_ends(*FORM, NO_PAYLOAD, DIRECTION, CREDIT, interpretations=("D-78",))
def test_update_is_in_form(tester: OptionTester) -> None:
    """A device's UPDPROP can be decoded, and has nothing after it."""
    verify_options.claims(tester, "updprop")
    require_change(tester, PROP_RBSIZ)
    before = len(tester.heard)
    tester.change_size(2 * verify_options.told_size(tester))

    verify_options.until(tester, UpdProp, before)

    _judge_form(tester, _first_begun(tester, UpdProp, before, FORM), "UPDPROP")


@both_ends(
    TAKEN,
    REFUSED,
    NEED_CONNPROP,
    interpretations=("D-53", "D-63"),
    wider="what answers an operation that is taken is for the cases about that operation",
    narrower="whoever refuses an answer that nobody awaits says that it does not know it at all",
)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operation_is_supported_as_claimed(tester: OptionTester, operation: str) -> None:
    """What is claimed is taken; what is not gets RDMA2_ERR_INVAL_OPTION."""
    claimed = operation in tester.profile.claims.operations

    xid = _send_empty(tester, OPERATIONS[operation])

    accepted = (OptionReceived, Silent, ErrChunk) if claimed else (InvalidOption,)
    tester.note_accepted(xid, *accepted, breaks=(REFUSED, TAKEN))
    found = verify_options.answers(tester, xid, (REFUSED, TAKEN), is_due=not claimed)

    refused = any(one.refuses for one in found)
    if claimed:
        verify.that(not refused, "it is not refused", actual=found, breaks=(TAKEN, NEED_CONNPROP))
    else:
        verify.that(refused, "it is refused", actual=f"{found}", breaks=(REFUSED,))


@both_ends(NEED_CONNPROP, interpretations=("D-63",))
def test_answers_and_updates_go_with_connprop(tester: OptionTester) -> None:
    """A device that takes RESPPROP or UPDPROP takes CONNPROP, whatever it claims."""
    taken = set()
    for name, operation in OPERATIONS.items():
        claimed = name in tester.profile.claims.operations
        xid = _send_empty(tester, operation)
        found = verify_options.answers(tester, xid, is_due=not claimed)
        if not any(one.refuses for one in found):
            taken.add(name)

    without = sorted(name for name in taken if "connprop" in OPERATIONS[name].needs)
    verify.that(
        "connprop" in taken or not without,
        "CONNPROP is taken",
        actual=f"it is refused, and {', '.join(without)} is taken",
        breaks=(NEED_CONNPROP,),
    )


@both_ends(TAKES_ANSWER, interpretations=("D-63",))
def test_who_asks_takes_the_answer(tester: OptionTester) -> None:
    """The answer to a device's own request is not refused."""
    verify_options.claims(tester, "reqprop")
    before = len(tester.heard)
    tester.ask_size(2048)
    request, _ = verify_options.requested(tester, before)

    answer = RespProp(verify_options.bits(tester, {0}), (), ())
    tester.send(answer, MessageType.REPLY, xid=request.xid)

    tester.call((TAKES_ANSWER,))
    errors = [str(one) for one in tester.heard[before:] if one.error is not None]
    verify.equal(errors, [], "the errors about it", breaks=(TAKES_ANSWER,))
