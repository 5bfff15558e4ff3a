"""What is known of a device beforehand: its claims, as the oracle takes them.

The oracle's states are made of a `Device` alone, in one place for each role
(`conformance.oracle.responder.state`, `conformance.oracle.requester.following`), so that whoever
judges (a case, `explore`, `replay`, a fuzz harness) gives the same octets the same verdict.  The
profile of a target becomes a `Device` in `conformance.tester.claimed`; this package knows none.

    rfc8166 section 3.3.2  Inline Threshold
    v2 section 2.3         Default Values
    rtrext section 8.1     Property List (the codes of properties: D-91)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from conformance.catalogue.interpretations import choice
from conformance.oracle.header import VERSION_TWO
from conformance.oracle.limits import UNLIMITED, Limits
from conformance.oracle.sizes import THRESHOLD_ONE, THRESHOLD_TWO
from rpcrdma.wire.operations import BY_NAME
from rpcrdma.wire.properties import ADOPTED, AS_PUBLISHED, known_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rpcrdma.wire.properties import PropertyNumbers

__all__ = ["Device"]

_NUMBERS: Final = {"4-to-7": ADOPTED, "as-published": AS_PUBLISHED}
"""D-91, by its readings."""


@dataclass(frozen=True, slots=True)
class Device:
    """What a device claims.

    Attributes:
        versions: of RPC-over-RDMA that it speaks.
        backward: whether it works in the backward direction, too.
        limits: how many chunks and segments it bears in one Call.
        call_threshold: octets of the longest message of Version One that it receives by Send.
        reply_threshold: octets of the longest that it sends.
        operations: names of the optional operations that it supports (D-63); None if nobody knows.
        chosen: readings chosen by its profile, by interpretation id.
    """

    versions: frozenset[int] = frozenset({1})
    backward: bool = False
    limits: Limits = UNLIMITED
    call_threshold: int = THRESHOLD_ONE
    reply_threshold: int = THRESHOLD_ONE
    operations: frozenset[str] | None = None
    chosen: Mapping[str, str] = field(default_factory=dict)

    @property
    def properties(self) -> PropertyNumbers:
        """The transport properties that it knows, under the codes that its profile chose."""
        supported = [BY_NAME[name].code for name in self.operations or ()]
        return known_to(supported, _NUMBERS[choice("D-91", self.chosen)])

    @property
    def receive_length(self) -> int:
        """Octets of the longest message that its Receives hold, whichever version it is in.

        A Receive is posted before anybody knows which version comes next (v2 2.3).
        """
        of_two = THRESHOLD_TWO if VERSION_TWO in self.versions else 0
        return max(self.call_threshold, of_two)
