"""The tester as a server: what a device in the Requester role talks to.

`Service` listens, accepts, takes calls apart and answers them as a Responder should; a scenario
replaces any step for one call.  It uses the codec, the fabric and the programs of `rpcrdma.ulp`
directly; the reference endpoint has no part in it.
"""

from __future__ import annotations

from conformance.tester.server.line import Line, Welcome
from conformance.tester.server.received import ReceivedCall
from conformance.tester.server.reply import ReplyDraft, ReplyPlacement
from conformance.tester.server.service import Service

__all__ = ["Line", "ReceivedCall", "ReplyDraft", "ReplyPlacement", "Service", "Welcome"]
