"""The tester as a server: what a device in the Requester role talks to.

`Service` listens, accepts, takes calls apart and answers them as a Responder should; a scenario
replaces any step for one call.  It uses the codec, the fabric and the programs of `rpcrdma.ulp`
directly; the reference endpoint has no part in it.
"""

from __future__ import annotations

from conformance.service.line import Line, Welcome
from conformance.service.received import ReceivedCall
from conformance.service.reply import Placement, ReplyDraft
from conformance.service.service import Service

__all__ = ["Line", "Placement", "ReceivedCall", "ReplyDraft", "Service", "Welcome"]
