"""Bugs planted in a server of both versions: in what it mixes up, and in what it calls back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from fuzz.harnesses.v2_responder import serving
from rpcrdma.endpoint.backward.requester import BackwardRequester
from rpcrdma.endpoint.responder.reply_rules import ReplyRules
from targets.reference.server_parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from rpcrdma.endpoint.backward.duplex import Duplex
    from rpcrdma.endpoint.core.backchannel import BackwardCall
    from rpcrdma.endpoint.responder.call_rules import IncomingCall
    from rpcrdma.wire import FixedWords

__all__ = ["IN_SERVERS", "errs_in_the_last_version", "forgets_grants", "takes_any_reply"]


class _LastVersion(ReplyRules):
    _last: int | None = None

    @override
    def reply_version(self, call: IncomingCall) -> int:
        self._last = super().reply_version(call)
        return self._last

    @override
    def error_version(self, words: FixedWords) -> int:
        return super().error_version(words) if self._last is None else self._last


class _Unlimited(BackwardRequester):
    @override
    def may_send(self, sends: int) -> bool:
        return True


class _TakesAnyReply(BackwardRequester):
    @override
    def find(self, xid: int) -> BackwardCall | None:
        return super().find(xid) or next(iter(self.in_flight), None)


def errs_in_the_last_version() -> Callable[[], Callable[[], Duplex]]:
    """Starts servers whose errors have the version of the Reply before (state)."""
    return serving(Parts(replies=_LastVersion))


def forgets_grants() -> Callable[[], Callable[[], Duplex]]:
    """Starts servers that call back as often as they like (credits)."""
    return serving(Parts(backward=_Unlimited))


def takes_any_reply() -> Callable[[], Callable[[], Duplex]]:
    """Starts servers that take a backward Reply under any XID for that to their oldest Call."""
    return serving(Parts(backward=_TakesAnyReply))


IN_SERVERS: Final = {
    "error-version": ("v2-responder", "fuzz.planted_server:errs_in_the_last_version"),
    "backward-xid": ("v2-responder", "fuzz.planted_server:takes_any_reply"),
    "backward-grant": ("v2-responder", "fuzz.planted_server:forgets_grants"),
}
"""Name -> harness that must find it, and the implementation that has it."""
