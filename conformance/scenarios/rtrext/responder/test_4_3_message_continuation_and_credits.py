"""rtrext section 4.3, Message Continuation and Credits: long responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.groups import answers
from conformance.groups.client import NEEDS, GroupClient
from conformance.groups.request import grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

NO_CHUNK: Final = "rtrext.4.3.no-reply-chunk-where-responses-continue"


@requirement(NO_CHUNK, needs=NEEDS)
@pytest.mark.parametrize("length", [4000, 9000, 50000])
def test_server_continues_a_long_response(connect_two: Callable[..., Peer], length: int) -> None:
    """A long reply comes in several transmissions where these are reserved for it."""
    client = GroupClient.of(connect_two)

    call = client.send(grouped(client.peer, client.peer.workload.long_reply(length)))

    answers.served(client, call, breaks=NO_CHUNK)
