"""Whether a device may change a property of its own accord, and longer Receives at a request.

xcharext section 3.1  (a raise is told when no shorter Receive is left)
xcharext section 4.1  (what CONNPROP marks as unchanging, or leaves out, stays)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.options import verify as verify_options
from conformance.options.due import begun, let_announce
from conformance.options.verify import fixed
from rpcrdma.wire.operations import ConnProp, ReqProp, UpdProp
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester

__all__ = ["raised", "require_change"]


def require_change(tester: OptionTester, propid: int) -> None:
    """See that a device has not said that a property stays as it is.

    Raises:
        Unsupported: it has.
    """
    tester.call()
    let_announce(tester)
    found = begun(tester, ConnProp)
    if found is None or not isinstance(found.option, ConnProp):
        return
    told = {value.pv_which for value in found.option.opticonnpr_start}
    if propid in fixed(tester, found.option) or propid not in told:
        raise Unsupported(f"the device says that its property {propid} stays as it is")


def raised(tester: OptionTester, octets: int, breaks: tuple[str, ...] = ()) -> int:
    """Ask a device for longer Receives; returns their length when it has told of all of them.

    Args:
        tester: who asks.
        octets: of each.
        breaks: what the loss of an RPC meanwhile breaks.

    Raises:
        Unsupported: the device does not take requests.
        Deviation: it does not answer this one.
    """
    verify_options.claims(tester, "reqprop")
    before = len(tester.heard)
    wanted = ReqProp(property_values(ReceiveBufferSize(octets)))
    found = verify_options.answered(tester, tester.send(wanted))
    if 0 in found.done:
        return octets
    if verify_options.until(tester, UpdProp, before, breaks) is None and found.size is not None:
        return found.size
    return verify_options.told_size(tester)
