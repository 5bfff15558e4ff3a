"""Version Two, section 1: replies of every shape go on as in Version One; some of them will do."""

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

WRITES: Final = "v2.1.write-chunks-as-before"
REPLY: Final = "v2.1.reply-chunk-as-before"
EVERY: Final = 3
"""Of how many one is sent."""


@requirement(WRITES, REPLY, role="requester")
@pytest.mark.parametrize("shape", REPLY_SHAPES[::EVERY], ids=str)
def test_requester_takes_replies_of_every_shape(
    service_two: Service, client: ActingClient, shape: ReplyShape
) -> None:
    """All calls of an act have replies of a drawn shape: it is done, and what was read is right."""
    about = REPLY if shape.act == "long-reply" else WRITES
    verify.reply_shapes.taken(service_two, client, shape, (about,))
