"""xcharext section 2.3, Operations Related to Transport Properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.options import verify as verify_options
from conformance.options.tester import both_ends
from conformance.oracle.outcome import Silent
from rpcrdma.ulp import testprog_calls
from rpcrdma.wire.operations import ConnProp, UpdProp
from rpcrdma.wire.properties import ReceiveBufferSize, property_values

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester
    from rpcrdma.wire.optional import Option

NO_RPC = "xcharext.2.3.operations-carry-no-rpc"

VALUES = property_values(ReceiveBufferSize(8192))
XID = 0x2B2B0001


@both_ends(NO_RPC, interpretations=("D-32", "D-59", "D-60"))
@pytest.mark.parametrize(
    ("operation", "option"),
    [("connprop", ConnProp(VALUES, ())), ("updprop", UpdProp(VALUES))],
    ids=["connprop", "updprop"],
)
def test_call_behind_an_operation_is_not_executed(
    tester: OptionTester, operation: str, option: Option
) -> None:
    """A whole Call after an operation gets no Reply: silence, or an error about the message."""
    verify_options.claims(tester, operation)

    xid = tester.send(option, xid=XID, behind=testprog_calls.null(XID))

    verify_options.note_fault_report(tester, xid, Silent, breaks=(NO_RPC,))
    found = verify_options.answers(tester, xid, (NO_RPC,))
    strange = [one for one in found if not verify_options.is_fault_report(tester, one, (NO_RPC,))]
    verify.that(not strange, "nothing but an error answers it", actual=strange, breaks=(NO_RPC,))
    verify.that(
        XID not in tester.replies,
        "no Reply answers the Call",
        actual=f"a Reply came with xid {XID:#010x}",
        breaks=(NO_RPC,),
    )
