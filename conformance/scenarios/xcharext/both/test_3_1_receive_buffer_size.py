"""xcharext section 3.1, Receive Buffer Size: what a device sends when it was told a size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.options import verify as verify_options
from conformance.options.due import let_announce
from conformance.options.tester import both_ends
from conformance.oracle.sizes import THRESHOLD_TWO
from rpcrdma.wire.operations import ConnProp, ReqProp, UpdProp
from rpcrdma.wire.optional import Option, UnknownOption
from rpcrdma.wire.properties import ReceiveBufferSize, property_values

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester

OBEYED = "xcharext.3.1.no-send-beyond-the-announced-size"
REPLACED = "xcharext.4.4.new-values-replace-the-old"
UNTOLD = "xcharext.3.default-without-information"
LONG_CALL = "xcharext.3.1.long-call-beyond-the-size"
REPLY_CHUNK = "xcharext.3.1.reply-chunk-beyond-the-size"
NO_ROOM = "within the size that was told there may be no room for any answer"
BY_RDMA = {"requester": LONG_CALL, "responder": REPLY_CHUNK}
"""What a device breaks that does not take to RDMA, by its role."""

QUESTIONS: Final[dict[str, Option]] = {
    "request": ReqProp(property_values(ReceiveBufferSize(2048))),
    "unknown-operation": UnknownOption(77, b""),
}
"""Operations that are answered."""


@both_ends(OBEYED, LONG_CALL, REPLY_CHUNK, interpretations=("D-130", "D-142", "D-143"))
@pytest.mark.parametrize("size", [1024, 3000, 8192, 8193])
def test_announced_size_is_obeyed(tester: OptionTester, size: int) -> None:
    """No message is longer than the size in CONNPROP, and what does not fit goes by RDMA."""
    verify_options.claims(tester, "connprop")

    tester.send(ConnProp(property_values(ReceiveBufferSize(size)), ()))

    tester.call()
    # What does not fit goes by RDMA: if it does not go at all, or goes inline, that is broken.
    verify_options.obeys(tester, size, breaks=(OBEYED, BY_RDMA[tester.role]))


@both_ends(REPLACED, OBEYED, interpretations=("D-72", "D-140", "D-143"))
@pytest.mark.parametrize(("first", "then"), [(8192, 16384), (16384, 4096), (8192, 1024)])
def test_update_replaces_the_announced_size(tester: OptionTester, first: int, then: int) -> None:
    """No message is longer than the size in the last UPDPROP."""
    verify_options.claims(tester, "connprop", "updprop")
    values = property_values(ReceiveBufferSize(first))
    tester.send(ConnProp(values, verify_options.all_may_change(tester, values)))
    tester.call()

    tester.send(UpdProp(property_values(ReceiveBufferSize(then))))

    tester.call()
    verify_options.obeys(tester, then, breaks=(REPLACED, OBEYED))


@both_ends(UNTOLD, interpretations=("D-130",))
def test_default_size_is_assumed_without_information(tester: OptionTester) -> None:
    """Whoever was told nothing sends no message of more than 4096 octets."""
    verify_options.obeys(tester, THRESHOLD_TWO, breaks=(UNTOLD,))


@both_ends(OBEYED, interpretations=("D-142",), wider=NO_ROOM)
@pytest.mark.parametrize("size", [0, 16, 56, 100, 3001, 2**31, 2**32 - 1])
def test_odd_size_is_obeyed(tester: OptionTester, size: int) -> None:
    """A size without room for a header, an odd one, and one that no message has are borne."""
    verify_options.claims(tester, "updprop")
    let_announce(tester)

    tester.send(UpdProp(property_values(ReceiveBufferSize(size))))

    verify_options.unharmed_by(tester, size, breaks=(OBEYED,))


@both_ends(OBEYED, interpretations=("D-142",), wider=NO_ROOM)
@pytest.mark.parametrize("size", [0, 16, 40])
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_operation_is_answered_beyond_the_size(
    tester: OptionTester, question: str, size: int
) -> None:
    """What cannot be answered within the size gets nothing, or ends the connection."""
    verify_options.claims(tester, "updprop")
    let_announce(tester)
    tester.send(UpdProp(property_values(ReceiveBufferSize(size))))

    xid = tester.send(QUESTIONS[question])

    verify_options.answers_within(tester, xid, size, breaks=(OBEYED,))
