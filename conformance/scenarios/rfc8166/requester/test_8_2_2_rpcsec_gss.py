"""rfc8166 section 8.2.2 RPC Stream Protection and RPCSEC_GSS: what a Requester never reduces.

No security context is established here, which for most programs takes a key distribution centre:
what belongs to RPCSEC_GSS is in the credential and the verifier of a call, where each flavor has
its own, and no flavor's may be reduced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient


NOT_REDUCED: Final = "rfc8166.8.2.2.gss-elements-are-not-reduced"


@requirement(NOT_REDUCED, role="requester")
@pytest.mark.parametrize("kind", [ActKind.WRITE, ActKind.LONG_CALL])
def test_requester_reduces_neither_credential_nor_verifier(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """No Read chunk holds any of what stands before the arguments of a call."""
    result = client.do(kind, 6000)

    verify.calls.obey(service.received, NOT_REDUCED)
    verify.calls.done(result)


@requirement("rfc8166.8.2.2.3.roundup-of-reduced-items-not-transferred", role="requester")
@pytest.mark.parametrize("length", [1501, 4099])
def test_requester_does_not_transfer_the_padding_of_arguments(
    service: Service, client: ActingClient, length: int
) -> None:
    """An argument of an odd length is reduced without its padding, or it is worth a warning."""
    result = client.do(ActKind.WRITE, length)

    # The oracle judges each.
    verify.calls.some((call for call in service.received if call.reads), "with Read chunks")
    verify.calls.done(result)
