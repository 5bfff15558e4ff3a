"""rtrext section 11, Security Considerations: what is in the padding before bulk data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped, to_sends

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

PADDING: Final = "rtrext.11.padding-tells-nothing"


@requirement(PADDING, needs=NEEDS)
@pytest.mark.parametrize("length", [1, 3001, 9000])
def test_server_pads_with_zeros(connect_two: Callable[..., Peer], length: int) -> None:
    """What a server sends between payload and bulk data is zero."""
    client = GroupClient.of(connect_two)

    request = client.peer.workload.fetch(length)
    call = client.send(grouped(client.peer, request, directions=(to_sends(),)))

    answers.served(client, call, breaks=PADDING)
