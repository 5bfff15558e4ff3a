"""rfc8166 section 4.2.2 Version Number: of a Requester's calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


@requirement("rfc8166.4.2.2.version-is-one", role="requester")
@pytest.mark.parametrize("kind", [ActKind.SMALL, ActKind.READ, ActKind.WRITE])
def test_requester_speaks_version_one(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """Calls of every form carry version one."""
    result = client.do(kind, 5000)

    verify.calls.obey(service.received, "rfc8166.4.2.2.version-is-one")
    verify.calls.done(result)
