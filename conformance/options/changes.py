"""Whether a device may change a property of its own accord, and longer Receives at a request.

xcharext section 3.1  (a raise is told when no shorter Receive is left)
xcharext section 4.1  (what CONNPROP marks as unchanging, or leaves out, stays)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.options import verify as verify_options
from conformance.options.due import begun, let_announce
from conformance.options.verify import fixed
from rpcrdma.wire.operations import ConnProp, ReqProp, UpdProp
from rpcrdma.wire.properties import ReceiveBufferSize, property_values
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester
    from conformance.options.verify import Disposed

__all__ = ["AT_ONCE", "granted", "raised", "require_change", "rounds"]

AT_ONCE: Final = 8
"""Messages that a device with as many credits has Receives for."""


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


def rounds(tester: OptionTester) -> range:
    """As many times `AT_ONCE` messages, until no Receive is left that was posted before."""
    return range(verify_options.calls_that_use_up_receives(tester) // AT_ONCE)


def granted(tester: OptionTester, octets: int) -> tuple[Disposed, int]:
    """What is answered to a request for a size, and the size in force by it.

    Raises:
        Unsupported: the device does not take requests.
        Deviation: it does not answer this one.
    """
    verify_options.claims(tester, "reqprop")
    before = verify_options.told_size(tester)
    wanted = ReqProp(property_values(ReceiveBufferSize(octets)))
    found = verify_options.answered(tester, tester.send(wanted))
    if 0 in found.done:
        return found, octets
    return found, found.size or before


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
    before = len(tester.heard)
    found, size = granted(tester, octets)
    if 0 in found.done:
        return size
    if verify_options.until(tester, UpdProp, before, breaks) is None and found.size is not None:
        return found.size
    return verify_options.told_size(tester)
