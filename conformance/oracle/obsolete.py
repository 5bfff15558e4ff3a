"""Procedures that neither end sends any more.

rfc8166 section 4.2.4  Procedure Number
rfc8166 section 4.6    Protocol Elements No Longer Supported
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.oracle.verdict import BrokenRule, Ids, broken_rule
from rpcrdma.wire import Procedure

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_obsolete", "never_sent"]

_NEVER_SENT: Final[Mapping[int, Ids]] = {
    Procedure.RDMA_MSGP: ("rfc8166.4.6.1.msgp-is-not-sent", "rfc8166.4.2.4.msgp-is-reserved"),
    Procedure.RDMA_DONE: ("rfc8166.4.6.2.done-is-not-sent", "rfc8166.4.2.4.done-is-reserved"),
}


def is_obsolete(procedure: int) -> bool:
    """Whether a procedure is one of them."""
    return procedure in _NEVER_SENT


def never_sent(procedure: int, version: int) -> BrokenRule:
    """What whoever sends one breaks; what follows the fixed words is not looked at.

    Raises:
        KeyError: it is none of them.
    """
    return broken_rule(_NEVER_SENT[procedure], Procedure(procedure).name, version)
