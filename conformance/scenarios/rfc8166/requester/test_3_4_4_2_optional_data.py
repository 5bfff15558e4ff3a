"""rfc8166 section 3.4.4.2 Optional-Data: a block that is present or absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance import verify
from conformance.catalogue.cite import requirement
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient

PRESENCE: Final = "rfc8166.3.4.4.2.presence-word-stays-in-the-stream"
DATA: Final = "rfc8166.3.4.4.2.optional-data-moves-to-the-chunk"
COUNT: Final = "rfc8166.3.4.4.1.count-stays-in-the-stream"
ELEMENTS: Final = "rfc8166.3.4.4.1.elements-move-to-the-chunk"
WHICH: Final = "rfc8166.4.3.2.1.reply-tells-which-chunk-is-which"


@requirement(PRESENCE, DATA, role="requester", means={COUNT: PRESENCE, ELEMENTS: DATA})
def test_requester_moves_optional_data_without_its_presence(
    service: Service, client: ActingClient
) -> None:
    """A block that is present goes into a Read chunk, the word that says so does not."""
    result = client.do(ActKind.WRITE_OPTIONAL)

    calls = verify.calls.some((call for call in service.received if call.reads), "with Read chunks")
    verify.calls.obey(calls, COUNT, ELEMENTS)
    verify.calls.done(result, (PRESENCE, DATA))


@requirement(WHICH, role="requester")
def test_requester_learns_which_optional_data_is_in_which_chunk(client: ActingClient) -> None:
    """Of two blocks both, one or none comes: the one that comes is in the first Write chunk."""
    result = client.do(ActKind.READ_OPTIONAL)

    verify.calls.done(result, (WHICH,))
