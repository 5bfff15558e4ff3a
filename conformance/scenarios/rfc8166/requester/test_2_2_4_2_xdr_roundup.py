"""rfc8166 section 2.2.4.2 XDR Roundup: of a Requester's arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.case import Deviation
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


UNCOUNTED: Final = "rfc8166.2.2.4.2.roundup-does-not-count"
UNCHANGED: Final = "rfc8166.3.4.5.2.roundup-does-not-change-the-count"


@requirement(
    "rfc8166.2.2.4.2.roundup-is-zero-octets",
    UNCOUNTED,
    UNCHANGED,
    role="requester",
)
@pytest.mark.parametrize("length", [1, 6, 7, 5001, 70003])
def test_requester_pads_arguments_by_zeros_that_do_not_count(
    service: Service, client: ActingClient, length: int
) -> None:
    """What the client stores is counted without its padding, in the stream as in a chunk.

    The oracle looks at the padding itself.
    """
    result = client.do(ActKind.WRITE, length)
    calls = verify.calls.some(
        (call for call in service.received if service.arguments(call)), "that stores anything"
    )

    stored = sum(item.length for call in calls for item in service.arguments(call))
    if stored != length:
        raise Deviation(
            f"To store {length} octets, the client stored {stored}.",
            expected=(f"arguments of {length} octets together",),
            actual=f"{stored} octets in {len(calls)} calls",
            breaks=(UNCHANGED if any(call.reads for call in calls) else UNCOUNTED,),
        )
    verify.calls.done(result)
