"""rfc8166 section 3.3.2 Inline Threshold: how long a Requester's messages are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

WITHIN: Final = "rfc8166.3.3.2.message-within-inline-threshold"


@requirement(
    WITHIN,
    "rfc8166.3.3.3.1024-octets-unless-known",
    role="requester",
)
@pytest.mark.parametrize(
    ("kind", "length"),
    [
        (ActKind.WRITE, 800),
        *((ActKind.WRITE, length) for length in range(860, 980, 20)),
        (ActKind.WRITE, 1200),
        (ActKind.WRITE, 9000),
        (ActKind.LONG_CALL, 1200),
    ],
    ids=str,
)
def test_requester_keeps_the_inline_threshold(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """Nothing was agreed upon: no message of the client is longer than 1024 octets."""
    result = client.do(kind, length)

    verify.calls.obey(service.received, WITHIN)
    verify.calls.done(result)


@requirement(
    "rfc8166.3.3.2.threshold-is-constant",
    role="requester",
    means={WITHIN: "rfc8166.3.3.2.threshold-is-constant"},
)
@pytest.mark.parametrize("kind", [ActKind.WRITE, ActKind.LONG_CALL])
def test_requester_keeps_its_threshold_for_life(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """After many calls on a connection a message of the client is no longer than at first."""
    verify.calls.done(client.do(ActKind.MANY, count=60))

    result = client.do(kind, 1200)

    verify.calls.obey(service.received, WITHIN)
    verify.calls.done(result)
