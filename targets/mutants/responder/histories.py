"""Mutants of the server: wrong only the second time, or with something else under way.

rfc8166 section 4.5    Error Handling
rfc8166 section 2.2.2  Requesters and Responders (XIDs belong to a connection)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from weakref import WeakSet

import msgspec

from rpcrdma.endpoint.core.actions import Disconnect
from rpcrdma.endpoint.core.faults import Fault
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from rpcrdma.endpoint.responder.responder import Responder
from rpcrdma.wire import Procedure
from rpcrdma.wire.rpc import xid_of
from targets.mutants.base import mutant
from targets.mutants.losing import is_procedure

if TYPE_CHECKING:
    from rpcrdma.endpoint.core import events
    from rpcrdma.endpoint.core.actions import Action
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords


@mutant(
    breaks="rfc8166.4.5.bad-call-header-answered",
    also_trips={
        "rfc8166.4.5.4.close-when-reply-cannot-be-sent": "a second fault of any kind is not told"
    },
)
class ReportsOneFaultOnly(Responder):
    """Reports the first bad header of a connection, and drops what is bad after it."""

    _said = False

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        if fault is Fault.UNKNOWN_VERSION:
            return super().send_error(words, fault)
        said, self._said = self._said, True
        return [] if said else super().send_error(words, fault)


@mutant(breaks="rfc8166.4.5.1.unsupported-version-gets-err-vers")
class HangsUpOverASecondVersion(Responder):
    """Closes the connection over the second message in a version that it does not support."""

    _seen = 0

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        if fault is Fault.UNKNOWN_VERSION:
            self._seen += 1
            if self._seen > 1:
                return [Disconnect("again a version that nobody speaks")]
        return super().send_error(words, fault)


@mutant(breaks="rfc8166.4.5.error-xid-echoed")
class RepeatsTheXidOfTheFirstError(ReplyRules):
    """Puts the XID of the first error into the third, and into all after it."""

    _xids: tuple[int, ...] = ()

    def error_xid(self, words: FixedWords) -> int:
        self._xids = (*self._xids, words.xid)[:3]
        return self._xids[0] if len(self._xids) > 2 else words.xid


@mutant(breaks="rfc8166.4.5.error-version-echoed")
class NamesTheVersionOfTheLastFault(ReplyRules):
    """Puts the version of the message that it found fault with before into an error."""

    _before: int | None = None

    def error_version(self, words: FixedWords) -> int:
        before, self._before = self._before, words.version
        return words.version if before is None else before


@mutant(breaks="rfc8166.2.2.2.reply-xid-is-the-calls")
class TakesOneCallOfEachXid(Responder):
    """Drops a call while one with the same XID waits on another connection."""

    _all: ClassVar[WeakSet[Responder]] = WeakSet()

    def _accept(self, call: IncomingCall) -> list[Action]:
        self._all.add(self)
        others = (one for one in self._all if one is not self)
        waiting = {held.xid for one in others for held in one._executing.calls()}  # noqa: SLF001
        return [] if call.xid in waiting else super()._accept(call)


@mutant(breaks="rfc8166.4.5.error-xid-echoed")
class BlamesTheCallThatWaits(Responder):
    """Reports a fault under the XID of the call that has been waiting for longest."""

    def send_error(self, words: FixedWords, fault: Fault) -> list[Action]:
        waiting = self._executing.oldest_xid
        blamed = words if waiting is None else msgspec.structs.replace(words, xid=waiting)
        return super().send_error(blamed, fault)


@mutant(breaks="rfc8166.4.2.4.responder-discards-error")
class HangsUpOverAnErrorForACall(Responder):
    """Closes the connection over an RDMA_ERROR under the XID of a call that waits."""

    def _receive(self, event: events.MessageReceived, now: float) -> list[Action]:
        actions = super()._receive(event, now)
        waiting = {call.xid for call in self._executing.calls()}
        is_error = is_procedure(event.data, Procedure.RDMA_ERROR)
        if is_error and xid_of(event.data) in waiting:
            return [*actions, Disconnect("an error about a call that waits")]
        return actions
