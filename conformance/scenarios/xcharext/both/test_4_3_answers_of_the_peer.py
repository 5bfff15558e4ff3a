"""xcharext sections 4.2 and 4.3: what a device makes of the answers to its own requests.

The device is told to ask; the tester's answer is odd in one way, and what the device sends
afterwards shows what it took from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.options import verify as verify_options
from conformance.options.changes import require_change
from conformance.options.due import begun
from conformance.options.tester import both_ends
from conformance.oracle.sizes import THRESHOLD_TWO
from rpcrdma.wire import v2
from rpcrdma.wire.operations import ConnProp, RespProp, UpdProp
from rpcrdma.wire.properties import (
    PROP_RBSIZ,
    ReceiveBufferSize,
    RequesterRemoteInvalidation,
    property_values,
)
from rpcrdma.wire.rpc import MessageType
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.options.tester import Heard, OptionTester
    from rpcrdma.wire.optional import Option

MISSING = "xcharext.2.1.missing-words-are-zero"
BIT = "xcharext.2.1.bit-of-an-element"
AT_ONCE = "xcharext.3.1.asked-for-size-is-kept-at-once"
REJECTED = "xcharext.3.change-may-be-rejected"
REFUSED = "xcharext.3.refusal-of-the-operation-is-rejection"
TAKEN = "xcharext.4.3.other-value-is-taken"
FOREIGN = "xcharext.4.3.foreign-values-are-ignored"
OVERLAP = "xcharext.4.3.overlap-counts-as-rejection"
GAP = "xcharext.4.3.gap-counts-as-rejection"
TO_NOTHING = "xcharext.4.3.answer-to-nothing-has-no-effect"

LENGTHS = (4100, 6000, 12000)
"""Octets of messages that a device sends inline only if it takes 16384 for granted."""

ASKED = 16384

OTHERS: Final[dict[str, tuple[type[Option], v2.Rdma2ErrorBody]]] = {
    "announcement": (ConnProp, v2.ErrBadHeader()),
    "update": (UpdProp, v2.ErrInvalidOption()),
}
"""What a device has said before it asks, and the error by which that is refused late."""


def _asked(tester: OptionTester) -> Heard:
    """The device asks for longer Receives; this is its request."""
    verify_options.claims(tester, "reqprop")
    before = len(tester.heard)
    tester.ask_size(ASKED)
    return verify_options.requested(tester, before)[0]


def _reply(tester: OptionTester, answer: RespProp, breaks: tuple[str, ...]) -> None:
    """The device asks for longer Receives; this is the answer, and RPCs go on."""
    request = _asked(tester)
    tester.send(answer, MessageType.REPLY, xid=request.xid)
    tester.call(breaks)


@both_ends(AT_ONCE, interpretations=("D-143",))
@pytest.mark.parametrize("octets", [1024, 2048])
def test_smaller_size_is_kept_from_the_request_on(tester: OptionTester, octets: int) -> None:
    """A device that asks for shorter Receives sends nothing longer, though no answer comes."""
    verify_options.claims(tester, "reqprop")
    before = len(tester.heard)

    tester.ask_size(octets)

    verify_options.requested(tester, before)
    longest = max(tester.longest(length, (AT_ONCE,)) for length in (octets, octets + 4, 2 * octets))
    if longest > octets:
        reason = f"The device sends {longest} octets at once, and has asked for {octets}."
        tester.case.let_pass(reason, (AT_ONCE,))


@both_ends(REJECTED)
def test_rejection_leaves_all_as_it_was(tester: OptionTester) -> None:
    """Every change is rejected: the old size goes on to hold, and RPCs go on."""
    _reply(tester, RespProp((), verify_options.bits(tester, {0}), ()), (REJECTED,))

    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(REJECTED,), lengths=LENGTHS)


@both_ends(REFUSED, interpretations=("D-77",))
def test_refusal_of_the_operation_is_a_rejection(tester: OptionTester) -> None:
    """REQPROP gets RDMA2_ERR_INVAL_OPTION: the old size holds, and no RPC fails."""
    request = _asked(tester)

    tester.refuse(request)

    tester.call((REFUSED,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(REFUSED,), lengths=LENGTHS)


@both_ends(TAKEN)
def test_other_value_is_taken(tester: OptionTester) -> None:
    """The answer has half of what was asked for: no message is longer."""
    _reply(tester, RespProp((), (), property_values(ReceiveBufferSize(ASKED // 2))), (TAKEN,))

    verify_options.obeys(tester, ASKED // 2, breaks=(TAKEN,))


@both_ends(FOREIGN)
def test_foreign_value_is_ignored(tester: OptionTester) -> None:
    """An answer about remote invalidation tells another size, too: it does not count."""
    verify_options.claims(tester, "reqprop")
    before = len(tester.heard)
    tester.ask_invalidation()
    request, _ = verify_options.requested(tester, before)
    others = property_values(ReceiveBufferSize(ASKED), RequesterRemoteInvalidation(allowed=False))

    tester.send(RespProp((), (), others), MessageType.REPLY, xid=request.xid)

    tester.call((FOREIGN,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(FOREIGN,), lengths=LENGTHS)


@both_ends(OVERLAP)
@pytest.mark.parametrize("beside", ["rejected", "other"])
def test_element_in_two_parts_counts_as_rejected(tester: OptionTester, beside: str) -> None:
    """The size is done, and rejected or another one as well: the old one holds."""
    both = verify_options.bits(tester, {0})
    other = property_values(ReceiveBufferSize(2 * ASKED))
    rejected = beside == "rejected"

    _reply(tester, RespProp(both, both if rejected else (), () if rejected else other), (OVERLAP,))

    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(OVERLAP,), lengths=LENGTHS)


@both_ends(GAP, MISSING)
@pytest.mark.parametrize("words", [0, 1, 2])
def test_element_in_no_part_counts_as_rejected(tester: OptionTester, words: int) -> None:
    """Subsets of no, one or two words of zero say nothing of the size: the old one holds."""
    _reply(tester, RespProp((0,) * words, (0,) * max(words, 1), ()), (GAP, MISSING))

    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(GAP, MISSING), lengths=LENGTHS)


@both_ends(BIT, GAP, interpretations=("D-73", "D-141"))
def test_bit_beyond_the_request_says_nothing_of_it(tester: OptionTester) -> None:
    """The last bit of a word is not the first element: the old size holds."""
    _reply(tester, RespProp(verify_options.bits(tester, {31}), (), ()), (BIT, GAP))

    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(BIT, GAP), lengths=LENGTHS)


@both_ends(TO_NOTHING, interpretations=("D-146",))
def test_answer_to_nothing_changes_nothing(tester: OptionTester) -> None:
    """A RESPPROP that nobody waits for tells a larger size: the old one holds."""
    verify_options.claims(tester, "resprop")
    others = property_values(ReceiveBufferSize(ASKED))

    xid = tester.send(RespProp((), (), others), MessageType.REPLY)

    verify_options.unanswered(tester, xid, breaks=(TO_NOTHING,), tolerated=(TO_NOTHING,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(TO_NOTHING,), lengths=LENGTHS)


@both_ends(TO_NOTHING, interpretations=("D-146",))
@pytest.mark.parametrize("same_xid", [True, False], ids=["same xid", "next xid"])
def test_second_answer_changes_nothing(tester: OptionTester, *, same_xid: bool) -> None:
    """After a rejection, or under another XID than the request's, a value does not count."""
    request = _asked(tester)
    if same_xid:
        rejection = RespProp((), verify_options.bits(tester, {0}), ())
        tester.send(rejection, MessageType.REPLY, xid=request.xid)
        tester.call()

    done = RespProp(verify_options.bits(tester, {0}), (), ())
    tester.send(done, MessageType.REPLY, xid=request.xid + (0 if same_xid else 1))

    tester.call((TO_NOTHING,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(TO_NOTHING,), lengths=LENGTHS)


@both_ends(TO_NOTHING, interpretations=("D-146",))
def test_answer_to_an_earlier_request_changes_nothing(tester: OptionTester) -> None:
    """While a second request waits, a value comes under the XID of the first: it does not count."""
    first = _asked(tester)
    rejection = RespProp((), verify_options.bits(tester, {0}), ())
    tester.send(rejection, MessageType.REPLY, xid=first.xid)
    tester.call()
    before = len(tester.heard)
    tester.ask_size(2 * ASKED)
    second, _ = verify_options.requested(tester, before)
    if second.xid == first.xid:
        raise Unsupported("the device makes both requests under one XID")

    done = RespProp(verify_options.bits(tester, {0}), (), ())
    tester.send(done, MessageType.REPLY, xid=first.xid)

    tester.call((TO_NOTHING,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(TO_NOTHING,), lengths=LENGTHS)


@both_ends(TO_NOTHING, REFUSED, interpretations=("D-77", "D-146"))
def test_answer_after_a_refusal_changes_nothing(tester: OptionTester) -> None:
    """REQPROP gets RDMA2_ERR_INVAL_OPTION, and an answer later: a value in that does not count."""
    request = _asked(tester)
    tester.refuse(request)
    tester.call((REFUSED,))

    done = RespProp(verify_options.bits(tester, {0}), (), ())
    tester.send(done, MessageType.REPLY, xid=request.xid)

    tester.call((TO_NOTHING,))
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(TO_NOTHING,), lengths=LENGTHS)


@both_ends(TAKEN, interpretations=("D-59", "D-72"))
@pytest.mark.parametrize("earlier", OTHERS)
def test_request_goes_on_when_an_earlier_operation_is_refused(
    tester: OptionTester, earlier: str
) -> None:
    """While a request waits, what the device said before is refused: the answer counts still."""
    verify_options.claims(tester, "connprop", "updprop", "reqprop")
    values = property_values(ReceiveBufferSize(ASKED))
    tester.send(ConnProp(values, verify_options.all_may_change(tester, values)))
    verify_options.announced(tester)
    kind, error = OTHERS[earlier]
    if kind is UpdProp:
        require_change(tester, PROP_RBSIZ)
        tester.change_size(2 * verify_options.told_size(tester))
        verify_options.until(tester, UpdProp, 0)
    said = begun(tester, kind)
    if said is None:
        raise Unsupported("the device has said nothing of the kind")
    before = len(tester.heard)
    tester.ask_size(ASKED // 2)
    request, _ = verify_options.requested(tester, before)

    tester.refuse(said, error)
    tester.call()
    other = RespProp((), (), property_values(ReceiveBufferSize(6000)))
    tester.send(other, MessageType.REPLY, xid=request.xid)

    tester.call((TAKEN,))
    verify_options.obeys(tester, 6000, breaks=(TAKEN,))
