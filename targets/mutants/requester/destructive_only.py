"""Mutants of the Requester that are told of with destructive cases (see those of the Responder).

rfc8166 section 4.5  Error Handling
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rpcrdma.endpoint.requester.requester import Requester
from rpcrdma.wire import chunk_length
from targets.mutants.base import mutant

if TYPE_CHECKING:
    from rpcrdma.endpoint.requester.reply_parsing import Offer
    from rpcrdma.wire import RdmaMsg, RdmaNomsg

_NEGATIVE: Final = 2**31
"""The least length that is negative to who takes it for a signed number."""


@mutant(breaks="rfc8166.4.5.bad-reply-header-discarded")
class DiesOfImpossibleLengths(Requester):
    """Dies of a Reply that returns a Write chunk of 2^31 octets or more."""

    def _judge_lists(self, offer: Offer, body: RdmaMsg | RdmaNomsg) -> None:
        if any(chunk_length(chunk) >= _NEGATIVE for chunk in body.rdma_writes):
            raise RuntimeError("there is no such address")
        super()._judge_lists(offer, body)
