"""Whether a device may change a property of its own accord.

xcharext section 4.1  (what CONNPROP marks as unchanging, or leaves out, stays)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.options.due import begun, let_announce
from conformance.options.verify import fixed
from rpcrdma.wire.operations import ConnProp
from targets.base import Unsupported

if TYPE_CHECKING:
    from conformance.options.tester import OptionTester

__all__ = ["require_change"]


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
