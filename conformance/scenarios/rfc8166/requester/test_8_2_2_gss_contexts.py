"""rfc8166 section 8.2.2 RPCSEC_GSS: calls within an established context.

The tester serves the context: to a client of NFS by Kerberos, to one of the suite's own program by
a mechanism of the suite's own, which protects nobody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import ReceivedCall, Service
    from conformance.tester.server.acting import ActingClient
    from targets.base import ActResult

KEEPS: Final = "rfc8166.8.2.2.2.gss-authentication-keeps-eligibility"
CREDENTIALS: Final = "rfc8166.8.2.2.2.room-for-gss-credentials"
UNDER: Final = "rfc8166.8.2.2.3.no-reduction-under-integrity-or-privacy"
BUFFERS: Final = "rfc8166.8.2.2.3.rdma-between-intermediate-buffers"
BOTH: Final = "rfc8166.8.2.2.3.long-messages-under-integrity-or-privacy"

PROCEDURES: Final = "rfc8166.6.1.binding-limits-procedures"
MAY_NOT_FIT: Final = "rfc8166.4.3.3.reply-chunk-when-reply-may-not-fit"
RESOURCES: Final = "rfc8166.6.2.reply-resources-for-the-maximum"

WRAPPED: Final = (ActKind.EXCHANGE_INTEGRITY, ActKind.EXCHANGE_PRIVACY)


def exchanged(result: ActResult, length: int, breaks: str) -> None:
    """The application got back what it had stored, as far as the adapter can tell."""
    verify.calls.done(result, (breaks,))
    if result.digest:
        verify.calls.reads(result, length, (breaks,))


@requirement(KEEPS, CREDENTIALS, role="requester", means={RESOURCES: CREDENTIALS})
@pytest.mark.parametrize("length", [600, 900, 940, 960, 5001])
def test_requester_uses_chunks_under_authentication(
    service: Service, client: ActingClient, length: int
) -> None:
    """With the service "none" chunks are as they are without, with room for longer verifiers.

    Some of these replies fit a Send without a verifier of RPCSEC_GSS, and not with it.
    """
    result = client.do(ActKind.EXCHANGE_AUTHENTICATED, length)

    verify.calls.obey(service.received, RESOURCES)
    exchanged(result, length, KEEPS)


@requirement(UNDER, role="requester", means={PROCEDURES: UNDER})
@pytest.mark.parametrize("kind", WRAPPED)
def test_requester_reduces_no_short_call_under_integrity_or_privacy(
    service: Service, client: ActingClient, kind: ActKind
) -> None:
    """There is no Read chunk but at Position zero, and no Write chunk, where all fits a Send."""
    result = client.do(kind, 400)

    verify.calls.obey(service.received, PROCEDURES)
    verify.calls.done(result)


def is_long(call: ReceivedCall) -> bool:
    """Whether a call comes as a Long Call."""
    return any(segment.position == 0 for segment in call.reads)


@requirement(UNDER, BOTH, BUFFERS, role="requester", means={PROCEDURES: UNDER, MAY_NOT_FIT: BOTH})
@pytest.mark.parametrize("length", [5001, 20000])
@pytest.mark.parametrize("kind", WRAPPED)
def test_requester_makes_long_calls_under_integrity_or_privacy(
    service: Service, client: ActingClient, kind: ActKind, length: int
) -> None:
    """What does not fit a Send is a Long Call whose header has a Reply chunk, and nothing else."""
    result = verify.calls.ended(service, client.begin(kind, length), (BUFFERS,))

    calls = verify.calls.some((call for call in service.received if is_long(call)), "that is long")
    verify.calls.obey(calls, PROCEDURES)
    verify.calls.obey(calls, MAY_NOT_FIT)
    exchanged(result, length, BUFFERS)
