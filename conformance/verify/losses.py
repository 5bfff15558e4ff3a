"""What becomes of a client's calls whose connection is lost.

rfc8166 section 4.5.5   RPC can recover from the loss of a connection (D-157)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.verify import calls

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from targets.base import ActResult

__all__ = ["TELLS", "survived"]

TELLS: Final = "a client may tell of the calls that a connection has cost"
"""Why a case accepts that an act fails, which the oracle does not allow after good Replies."""


def survived(
    service: Service, client: ActingClient, result: ActResult, breaks: tuple[str, ...] = ()
) -> bool:
    """See that a client survives a loss: it makes its calls again, or tells of them and goes on.

    Args:
        service: where its calls come.
        client: what acts.
        result: of the act whose connection was lost, which has ended.
        breaks: the requirements that are broken otherwise.

    Returns:
        Whether the calls were made again, so that the act is done.

    Raises:
        Deviation: the act failed, and so does the next one, of which everything is answered.
    """
    if result.done:
        return True
    service.case.remark(
        "The client tells its application of the calls that were lost with a connection, and does"
        " not make them again."
    )
    calls.done(client.serve_good_act(), breaks)
    return False
