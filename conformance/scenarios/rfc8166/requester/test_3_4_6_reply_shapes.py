"""rfc8166 section 3.4.6 Write Chunks: replies of every shape that a Responder may choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from conformance.tester.server.reply_rows import REPLY_SHAPES

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.server.reply_shapes import ReplyShape


REASSEMBLED: Final = "rfc8166.3.4.6.1.results-reassembled-in-array-order"


@requirement(REASSEMBLED, role="requester")
@pytest.mark.parametrize("shape", REPLY_SHAPES, ids=str)
def test_requester_takes_replies_of_every_shape(
    service: Service, client: ActingClient, shape: ReplyShape
) -> None:
    """All calls of an act have replies of a drawn shape: it is done, and what was read is right."""
    verify.reply_shapes.taken(service, client, shape, (REASSEMBLED,))
