"""rfc8166 section 3.4.4.1 Counted Arrays: an array of arrays, which is one data item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

WHOLE: Final = "rfc8166.3.4.4.1.elements-stay-whole"
ELEMENTS: Final = "rfc8166.3.4.4.1.elements-move-to-the-chunk"
REJOINS: Final = "rfc8166.3.4.4.chunk-data-leaves-and-rejoins-the-stream"


@requirement(WHOLE, role="requester", means={ELEMENTS: WHOLE})
def test_requester_moves_whole_elements_into_a_read_chunk(
    service: Service, client: ActingClient
) -> None:
    """The Read chunk of an array of arrays has each of them, whole and with its count."""
    result = client.do(ActKind.WRITE_ROWS)

    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")
    verify.calls.obey(calls, ELEMENTS)
    verify.calls.done(result, (WHOLE,))


@requirement(REJOINS, role="requester")
def test_requester_puts_whole_elements_back(client: ActingClient) -> None:
    """An array of arrays in a Write chunk is what the application gets."""
    result = client.do(ActKind.READ_ROWS)

    verify.calls.done(result, (REJOINS,))
