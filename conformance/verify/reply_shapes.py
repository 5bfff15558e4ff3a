"""The verification of a client whose calls get replies of a drawn shape.

rfc8166 section 3.4.6    Write Chunks
rfc8166 section 4.3.2.2  Unused Write Chunks
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.tester.server.reply_shapes import shaped
from conformance.verify import calls, contents
from rpcrdma.ulp.pattern import pattern
from targets.base import ActKind

if TYPE_CHECKING:
    from conformance.tester.server import Service
    from conformance.tester.server.acting import ActingClient
    from conformance.tester.server.reply_shapes import ReplyShape

__all__ = ["taken"]

COUNT: Final = 4
"""Of an act that makes many calls."""


def taken(
    service: Service, client: ActingClient, shape: ReplyShape, breaks: tuple[str, ...]
) -> None:
    """A client takes replies of a shape of `REPLY_SHAPES` to all that it does in an act.

    Args:
        service: where its calls come.
        client: which.
        shape: of the replies, from the first that this case sends.
        breaks: what is broken where they are not taken.

    Raises:
        Inconclusive: it cannot be brought to do that.
        Deviation: the act failed, or the application got other octets.
    """
    service.grant = int(shape.grant)
    service.change = lambda call, draft: shaped(call, draft, shape)

    kind, length = ActKind(shape.act), int(shape.length)
    result = client.do(kind, length, COUNT if kind is ActKind.MANY_READS else 1)

    calls.done(result, breaks)
    if kind is ActKind.READ:
        contents.given(result, pattern(length), breaks)
