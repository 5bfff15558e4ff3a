"""v2 section 5, Protocol Version Negotiation: every grant is backed by Receives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance.catalogue.cite import requirement
from conformance.tester.client import unserved
from conformance.verify.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.tester.client.peer import Peer

GRANTED: Final = "v2.5.granted-calls-are-served"

SPARE: Final = 16
"""Receives that a device may have beside those for what it grants."""


@requirement(GRANTED)
@pytest.mark.parametrize("kind", unserved.TWO)
def test_responder_has_its_receives_after_what_it_does_not_serve(
    connect_two: Callable[..., Peer], kind: str
) -> None:
    """As many messages that are not served as it has Receives; then all credits at once."""
    traffic = Traffic.on(connect_two, breaks=GRANTED)

    for _ in range(traffic.credits + SPARE):
        traffic.send_odd(unserved.TWO[kind](traffic.peer))
        traffic.settle()

    traffic.use_all_credits()
